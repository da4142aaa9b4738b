//! The page as one HTML file.
//!
//! The file loads nothing: style and script are inside and allowed by their hashes, everything else is forbidden. The data is
//! deflated JSON in base64, which has no character that ends an element. The only other text of the input is the title and,
//! for readers without a script, the beginning of the last text; both are escaped.

use std::io::BufWriter;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest as _, Sha256};

use super::Page;

const STYLE: &str = include_str!("../../page/dist/page.css");
const SCRIPT: &str = include_str!("../../page/dist/page.js");

/// Bytes of text for readers without a script.
const MAX_PLAIN_BYTES: usize = 24 << 10;

/// Error of a page that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The data has no form as JSON.
    #[error("the data of the page cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The data cannot be deflated.
    #[error("the data of the page cannot be deflated: {0}")]
    Deflate(#[from] std::io::Error),
}

/// Writes a page as HTML. The same page gives the same bytes.
///
/// # Errors
/// If the data cannot be written as JSON.
pub fn html(page: &Page) -> Result<String, PageError> {
    let data = STANDARD.encode(deflated(page)?);
    let title = escaped(&page.title);
    let (script_hash, style_hash) = (hash(SCRIPT), hash(STYLE));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{script_hash}'; style-src 'sha256-{style_hash}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    let plain = escaped(&plain_text(page));
    let mut html = String::with_capacity(data.len() + plain.len() + STYLE.len() + SCRIPT.len() + 2048);
    html.extend([
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        &policy,
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
        &title,
        "</title>\n<style>",
        STYLE,
        "</style>\n</head>\n<body>\n<noscript>\n<h1>",
        &title,
        "</h1>\n<p>This page needs a script, which it contains. Without it, this is the last text:</p>\n<pre>",
        &plain,
        "</pre>\n</noscript>\n<script type=\"application/octet-stream\" id=\"data\">",
        &data,
        "</script>\n<script>",
        SCRIPT,
        "</script>\n</body>\n</html>\n",
    ]);
    Ok(html)
}

/// The data as JSON, deflated without a header.
fn deflated(page: &Page) -> Result<Vec<u8>, PageError> {
    let mut out = BufWriter::new(DeflateEncoder::new(Vec::new(), Compression::new(6)));
    serde_json::to_writer(&mut out, page)?;
    let encoder = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(encoder.finish()?)
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// The beginning of the last text of the first run.
fn plain_text(page: &Page) -> String {
    let mut plain = String::new();
    let parts = page.runs.first().and_then(|run| run.versions.last()).map(|version| version.parts.as_slice());
    for part in parts.unwrap_or_default() {
        for line in page.texts.get(part.text as usize).map_or("", String::as_str).split('\n') {
            if plain.len() + line.len() > MAX_PLAIN_BYTES {
                plain.push_str("...\n");
                return plain;
            }
            plain.push_str(line);
            plain.push('\n');
        }
    }
    plain
}

/// The text without characters that are markup, or that HTML and XML cannot contain.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            // Direction marks show a line as another one; other control characters are errors in HTML.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
