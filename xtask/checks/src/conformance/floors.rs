//! The ratchet: recorded misses that a run may not exceed.

use anyhow::{Result, bail};

use super::report::Figures;
use xtask::workspace;

/// The record, by corpus, kind and question.
const FILE: &str = "tests/conformance/floors.json";

/// Compares the figures with the record, or makes them the record.
///
/// # Errors
/// When there are more misses than recorded.
pub fn hold(corpus: &str, figures: &Figures, bless: bool) -> Result<()> {
    let file = workspace::root().join(FILE);
    let mut record: std::collections::BTreeMap<String, Figures> = match std::fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Default::default(),
    };
    let known = record.entry(corpus.to_string()).or_default();
    if bless {
        for (kind, questions) in figures {
            known.entry(kind.clone()).or_default().extend(questions.clone());
        }
        std::fs::write(&file, serde_json::to_string_pretty(&record)? + "\n")?;
        println!("recorded in {FILE}");
        return Ok(());
    }
    let mut worse = 0;
    for (kind, questions) in figures {
        for (question, misses) in questions {
            let floor = known.get(kind).and_then(|q| q.get(question)).copied().unwrap_or(0);
            if *misses > floor {
                worse += 1;
                println!("below the floor: {kind}, {question}: {misses} misses, {floor} recorded");
            } else if *misses < floor {
                println!(
                    "better than recorded: {kind}, {question}: {misses} misses, {floor} recorded (--bless)"
                );
            }
        }
    }
    if worse > 0 { bail!("conformance: {worse} figures below their floors") } else { Ok(()) }
}
