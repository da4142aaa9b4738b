//! Binds arguments to a signature, right and wrong ones, and prints what comes of it.

use tvmscript_script_value::{Arguments, BuildResult, CallArgs, FromScript, ScriptValue, Signature};

const CLAMP: Signature = Signature::new("clamp", &["value", "low", "high"]).with_required(2);

fn clamp(mut args: Arguments) -> BuildResult<i64> {
    let value = args.required(0, i64::from_script)?;
    let low = args.required(1, i64::from_script)?;
    let high = args.optional(2, i64::from_script)?;
    Ok(value.max(low).min(high.unwrap_or(i64::MAX)))
}

fn main() {
    let mut keyword = CallArgs::positional([ScriptValue::Int(12), ScriptValue::Int(0)]);
    keyword.keywords.push(("high".into(), ScriptValue::Int(9)));
    let mut misspelt = keyword.clone();
    misspelt.keywords[0].0 = "hihg".into();
    let calls = [
        keyword,
        misspelt,
        CallArgs::positional([ScriptValue::Int(12)]),
        CallArgs::positional([ScriptValue::str("12"), ScriptValue::Int(0)]),
    ];
    for args in calls {
        match CLAMP.bind(args).and_then(clamp) {
            Ok(value) => println!("{value}"),
            Err(error) => println!("error: {error} ({})", error.note.as_deref().unwrap_or("no note")),
        }
    }
}
