//! Peak memory of parsing, counted by the allocator. The only test of its process, since others would be counted too.

#[path = "../benches/workload/mod.rs"]
mod workload;

use peak_alloc::PeakAlloc;
use tvmscript::{ParseOptions, parse, registry};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum memory per statement.
const LIMIT_BYTES: usize = 4096;

#[test]
fn reading_takes_at_most_four_kilobytes_a_statement() {
    let statements = 3_000;
    // Initialises global tables.
    drop(parse("warm", &workload::w1(10), registry(), &ParseOptions::default()));
    for (name, text) in [("w1", workload::w1(statements)), ("w2", workload::w2(statements))] {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let parsed = parse(name, &text, registry(), &ParseOptions::default());
        let peak = ALLOCATOR.peak_usage() - before;
        assert!(parsed.errors.is_empty(), "{name}: {:?}", parsed.errors.first());
        let each = peak / parsed.statements;
        println!("{name}: {each} bytes a statement, {} statements", parsed.statements);
        assert!(each <= LIMIT_BYTES, "{name}: {each} bytes a statement");
    }
}
