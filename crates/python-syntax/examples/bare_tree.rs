//! Measures rustpython's parser alone: the time for the bare syntax tree of a file, without this crate's own parser.
//!
//! `cargo run --release -p tvmscript-python-syntax --example bare_tree -- FILE`. The anchor that `docs/performance.md`
//! compares parsing with.

use rustpython_parser::{Mode, parse};

/// CPU seconds of this thread.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds since the first call, where there is no clock of CPU time.
#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64()
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        println!("usage: bare_tree FILE");
        return;
    };
    let text = std::fs::read_to_string(&path).expect("the file is readable text");
    let mut seconds: Vec<f64> = (0..15)
        .map(|_| {
            let begin = cpu_seconds();
            let tree = parse(&text, Mode::Module, &path);
            let seconds = cpu_seconds() - begin;
            assert!(tree.is_ok(), "{path} is not Python");
            seconds
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    println!("{{\"op\":\"bare_tree\",\"cpu\":{}}}", seconds[seconds.len() / 2]);
}
