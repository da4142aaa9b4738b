//! Renders a warning about a recipe, prints it as SARIF and applies its fix.

use tvmscript_diagnostics::sarif::{Log, Tool};
use tvmscript_diagnostics::{Applicability, Diagnostic, ErrorCode, Fix, Message, apply, render, reports};

static TYPO: ErrorCode = ErrorCode { code: "X0001", name: "typo", meaning: "A word is misspelt." };

const TEXT: &str = "boil watre\nadd tea\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let message = Message::new(&TYPO, "unknown word `watre`");
    let found = [Diagnostic::warning(message, 5..10)
        .with_label(15..18, "it is needed for this")
        .with_fix(Fix::replace(5..10, "water", Applicability::Certain))];
    print!("{}", render::<Message>(&found, "tea.recipe", TEXT, false));
    let tool = Tool {
        name: "kitchen",
        version: "1.0.0",
        home: "https://example.org",
        help: "https://example.org/{code}",
    };
    let mut log = Log::new(tool);
    log.add_file("tea.recipe", &reports(&found, TEXT), |_| Some(&TYPO));
    println!("{:#}", log.to_json());
    print!("{}", apply(TEXT, &found[0].fixes[0].edits)?);
    Ok(())
}
