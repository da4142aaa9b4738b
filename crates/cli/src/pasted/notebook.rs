//! Notebooks: JSON files of cells with code and its outputs.

use serde_json::Value;

use super::{MAX_BYTES, Part, console, html};

/// The code of the cells, or what they printed, in one text. A comment names each cell.
pub(super) fn python(text: &str, part: Part) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let notebook: Value = serde_json::from_str(text).ok()?;
    // Before version 4, cells were in worksheets.
    let cells =
        notebook.get("cells").or_else(|| notebook.get("worksheets")?.get(0)?.get("cells"))?.as_array()?;
    let mut out = String::new();
    let code = cells.iter().filter(|cell| cell.get("cell_type").and_then(Value::as_str) == Some("code"));
    for (index, cell) in code.enumerate() {
        let number =
            cell.get("execution_count").or_else(|| cell.get("prompt_number")).and_then(Value::as_u64);
        let number = number.unwrap_or(index as u64 + 1);
        match part {
            Part::Code => {
                let source = cell.get("source").or_else(|| cell.get("input")).map(joined).unwrap_or_default();
                add(&mut out, &format!("# In [{number}]"), &code_of(&source));
            }
            Part::Outputs => {
                for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
                    for printed in printed(output) {
                        add(&mut out, &format!("# Out[{number}]"), &printed);
                    }
                }
            }
        }
    }
    Some(out)
}

fn add(out: &mut String, title: &str, text: &str) {
    if !text.trim().is_empty() {
        out.push_str(&format!("{title}\n{}\n\n", text.trim_end()));
    }
}

/// A text that may be a list of its lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// The Python of a cell: without commands of IPython, and nothing of a cell in another language.
fn code_of(source: &str) -> String {
    let first = source.trim_start().lines().next().unwrap_or_default();
    let is_python =
        |magic: &str| ["time", "timeit", "capture", "prun", "python", "python3", "memit"].contains(&magic);
    if let Some(magic) = first.strip_prefix("%%")
        && !is_python(magic.split_whitespace().next().unwrap_or_default())
    {
        return String::new();
    }
    let mut lines: Vec<&str> = source.lines().collect();
    lines.iter_mut().filter(|line| console::is_magic(line)).for_each(|line| *line = "");
    lines.join("\n")
}

/// The texts of an output that contain a script.
fn printed(output: &Value) -> Vec<String> {
    let data = output.get("data").unwrap_or(output);
    let texts = [output.get("text"), data.get("text/plain"), data.get("text/html")];
    let [stream, plain, page] = texts.map(|text| text.map(joined));
    let page = page.map(|page| html::text(&page));
    let is_script = |text: &String| text.lines().any(|line| line.trim_start().contains("@"));
    // One output has the same text in several forms.
    let own = [plain, page].into_iter().flatten().find(is_script);
    stream.filter(is_script).into_iter().chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_outputs_of_cells() {
        let notebook = serde_json::json!({"nbformat": 4, "cells": [
            {"cell_type": "markdown", "source": "text"},
            {"cell_type": "code", "execution_count": 3, "source": ["%matplotlib inline\n", "x = 1"], "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["@T.f\n", "def f(): pass"]},
                {"output_type": "display_data", "data": {
                    "text/plain": ["<IPython.core.display.HTML object>"],
                    "text/html": "<pre><span>@T</span>.g</pre>"}},
                {"output_type": "stream", "text": "12"}]},
            {"cell_type": "code", "source": "%%bash\nls", "outputs": []},
            {"cell_type": "code", "source": "%%time\ny = 2", "outputs": []}]})
        .to_string();
        let code = python(&notebook, Part::Code).expect("a notebook");
        assert_eq!(code, "# In [3]\n\nx = 1\n\n# In [3]\n\ny = 2\n\n");
        let outputs = python(&notebook, Part::Outputs).expect("a notebook");
        assert_eq!(outputs, "# Out[3]\n@T.f\ndef f(): pass\n\n# Out[3]\n@T.g\n\n");
        assert_eq!(python("{}", Part::Code), None);
    }
}
