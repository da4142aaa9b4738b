//! A self-contained HTML page.

use std::fmt::Write as _;

use super::lines::{Group, Line, Side};
use super::terminal::pieces;
use super::{Comparison, RenderOptions};

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Structural diff</title>
<style>
body { font-family: system-ui, sans-serif; margin: 1em; color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font: 13px/1.4 ui-monospace, monospace; }
col.number { width: 4em; }
td { white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; padding: 0 .5em; }
td.number { text-align: right; opacity: .5; user-select: none; }
tr.changed td.a { background: #ff808033; }
tr.changed td.b { background: #60d06033; }
tr.gap td { text-align: center; opacity: .5; }
mark { color: inherit; border-radius: 2px; }
mark.change, mark.insert, mark.remove { background: #ffb00080; }
mark.rename { background: #60a0ff80; }
mark.move { background: #d070ff80; }
</style>
</head>
<body>
"#;

/// A page with comparisons, e.g. one per script of a file.
pub fn page(comparisons: &[(&Comparison, &RenderOptions)]) -> String {
    let mut out = String::from(HEAD);
    for (comparison, options) in comparisons {
        comparison.table(&mut out, options);
    }
    out.push_str("</body>\n</html>\n");
    out
}

impl Comparison {
    /// Renders a self-contained page with both texts side by side.
    pub fn html(&self, options: &RenderOptions) -> String {
        page(&[(self, options)])
    }

    fn table(&self, out: &mut String, options: &RenderOptions) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<h2>{} &rarr; {}</h2>", escaped(&options.name_a), escaped(&options.name_b));
        if !self.records().is_empty() {
            out.push_str("<ul>\n");
            for record in self.records() {
                let (a, b) =
                    (record.a.as_deref().unwrap_or_default(), record.b.as_deref().unwrap_or_default());
                let arrow = if !a.is_empty() && !b.is_empty() && a != b { " &rarr; " } else { "" };
                let second = if a == b { "" } else { b };
                let (a, second) = (escaped(a), escaped(second));
                let _ = writeln!(
                    out,
                    "<li><mark class=\"{0}\">{0}</mark> <code>{a}{arrow}{second}</code></li>",
                    record.op
                );
            }
            out.push_str("</ul>\n");
        }
        out.push_str(
            "<table>\n<colgroup><col class=\"number\"><col><col class=\"number\"><col></colgroup>\n",
        );
        for group in &self.rows {
            match group {
                Group::Same(pairs) => {
                    let context = options.context_lines;
                    let is_long = pairs.len() > 2 * context + 1;
                    for (at, &(i, j)) in pairs.iter().enumerate() {
                        if is_long && at == context {
                            let hidden = pairs.len() - 2 * context;
                            let _ = writeln!(
                                out,
                                "<tr class=\"gap\"><td colspan=\"4\">{hidden} equal lines</td></tr>"
                            );
                        }
                        if !is_long || at < context || at + context >= pairs.len() {
                            self.row(out, Some(i), Some(j), "same");
                        }
                    }
                }
                Group::Changed(left, right) => {
                    for at in 0..left.len().max(right.len()) {
                        let line = |range: &std::ops::Range<usize>| range.clone().nth(at);
                        self.row(out, line(left), line(right), "changed");
                    }
                }
            }
        }
        out.push_str("</table>\n");
    }

    fn row(&self, out: &mut String, left: Option<usize>, right: Option<usize>, class: &str) {
        let _ = write!(out, "<tr class=\"{class}\">");
        for (side, index, name) in [(Side::A, left, "a"), (Side::B, right, "b")] {
            let line = index.and_then(|index| self.text(side).lines.get(index));
            let number =
                index.filter(|_| line.is_some()).map_or_else(String::new, |index| (index + 1).to_string());
            let shown = match class {
                "changed" => name,
                _ => "",
            };
            let _ = write!(out, "<td class=\"number\">{number}</td><td class=\"{shown}\">");
            out.push_str(&line.map_or_else(String::new, content));
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
}

fn content(line: &Line) -> String {
    pieces(line).into_iter().fold(String::new(), |mut out, (text, op)| {
        let text = escaped(text);
        let _ = match op {
            Some(op) => write!(out, "<mark class=\"{op}\">{text}</mark>"),
            None => write!(out, "{text}"),
        };
        out
    })
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}
