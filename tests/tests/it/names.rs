//! Names of TVM's namespaces: each is supported, or listed as unsupported.

use std::path::Path;

/// Supported and unsupported names of the list.
fn names() -> (Vec<String>, Vec<String>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/names.txt");
    let text = std::fs::read_to_string(file).expect("the list is there");
    let (mut here, mut left_out) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("- ") {
            Some(name) => left_out.push(name.to_owned()),
            None => here.push(line.to_owned()),
        }
    }
    (here, left_out)
}

/// The names that scripts do not find.
fn unknown(names: &[String]) -> Vec<String> {
    let head = "@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n";
    let lines: String = names.iter().enumerate().map(|(i, name)| format!("    v{i} = {name}\n")).collect();
    let text = format!("{head}{lines}    return x\n");
    let mistakes = tvmscript_tests::mistakes("names", &text);
    mistakes.into_iter().map(|mistake| names[mistake.line - 3].clone()).collect()
}

#[test]
fn the_names_of_tvm_are_here() {
    let (here, _) = names();
    assert!(here.len() > 600, "{}", here.len());
    assert_eq!(unknown(&here), Vec::<String>::new());
}

#[test]
fn names_that_are_left_out_are_not_here() {
    let (_, left_out) = names();
    assert_eq!(unknown(&left_out), left_out);
}

#[test]
fn an_intrinsic_of_llvm_is_noted_where_it_is_looked_up() {
    use tvmscript::Severity;
    use tvmscript::script_parser::{ParseOptions, parse_script};
    let text = "@T.prim_func\ndef f(x: T.float32):\n    \
                T.evaluate(T.call_llvm_pure_intrin(\"float32\", T.llvm_lookup_intrinsic_id(\"llvm.sqrt\"), x))\n";
    let parsed = parse_script("llvm", text, tvmscript::registry(), &ParseOptions::default());
    assert_eq!((parsed.errors.len(), parsed.scripts.len()), (0, 1));
    let notes: Vec<_> = parsed
        .warnings
        .iter()
        .map(|note| {
            (note.severity, {
                let range = note.range();
                range.start as usize..range.end as usize
            })
        })
        .collect();
    let at = text.find("T.llvm_lookup").expect("the call is there");
    let call = at..at + "T.llvm_lookup_intrinsic_id(\"llvm.sqrt\")".len();
    assert_eq!(notes, [(Severity::Note, call)]);
}
