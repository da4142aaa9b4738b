//! Files that are not scripts: invalid UTF-8, empty, binary. Each has one typed error at its position, and status 1.

use std::path::Path;
use std::process::Command;

#[test]
fn bytes_that_are_no_script_give_an_error_at_their_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/err_bytes");
    let expected =
        std::fs::read_to_string(folder.join("expect.txt")).expect("the list of the fixtures is there");
    let listed: Vec<&str> = expected.lines().filter(|l| !l.starts_with('#')).collect();
    assert!(!listed.is_empty());
    for line in listed {
        let mut parts = line.splitn(3, ' ');
        let (name, number, words) = (parts.next(), parts.next(), parts.next());
        let (Some(name), Some(number), Some(words)) = (name, number, words) else {
            panic!("a line of the list: {line}")
        };
        let output = Command::new(env!("CARGO_BIN_EXE_tvmscript"))
            .args(["check", "--format", "json"])
            .arg(folder.join(name))
            .output()
            .expect("the command runs");
        assert_eq!(output.status.code(), Some(1), "{name}");
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told).to_lowercase();
        assert!(told.contains(words), "{name}: expected {words}, found {told}");
        assert!(
            told.contains(&format!("\"start\":{{\"line\":{number},")),
            "{name}: not at line {number}: {told}"
        );
    }
}
