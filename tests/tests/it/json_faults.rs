//! Invalid JSON of nodes: each file of `fixtures/err_json` has its expected error beside it.

use std::path::Path;

use tvmscript_test_texts::files_of;

#[test]
fn wrong_json_has_the_recorded_error() {
    let files = files_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/err_json"), "json");
    assert!(files.len() > 30, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the file is there");
        let found = match tvmscript::from_json(&text, tvmscript::registry()) {
            Ok(_) => "no error\n".to_owned(),
            Err(error) => {
                let line = text[..error.offset_bytes].matches('\n').count() + 1;
                format!("{}\nat {}, line {line}\n", error.kind, error.path)
            }
        };
        let expected = file.with_extension("error");
        if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
            std::fs::write(&expected, &found).expect("the folder can be written to");
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}: {found}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
