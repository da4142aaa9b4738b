//! The checks that every change passes: the selections of the corpus and of the vectors.

use std::process::Command;

fn passes(command: &str) {
    let run =
        Command::new(env!("CARGO_BIN_EXE_xtask-checks")).arg(command).output().expect("the program runs");
    let [stdout, stderr] = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{command}:\n{stdout}{stderr}");
}

#[test]
fn the_selection_of_the_corpus_conforms() {
    passes("conformance");
}

#[test]
fn the_selection_of_the_vectors_agrees() {
    passes("vectors");
}
