//! Highlighted code in HTML, as notebooks keep it.

/// The text of HTML: without elements, styles and scripts.
pub(super) fn text(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        unescape(before, &mut out);
        let hidden = ["style", "script"]
            .into_iter()
            .find(|name| tag.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)));
        let end = match hidden {
            Some(name) => tag.find(&format!("</{name}")).unwrap_or(tag.len()),
            None => 0,
        };
        let tail = tag.get(end..).unwrap_or_default();
        rest = tail.find('>').and_then(|close| tail.get(close + 1..)).unwrap_or_default();
        if tag.starts_with("<br") || tag.starts_with("</p>") || tag.starts_with("</div>") {
            out.push('\n');
        }
    }
    unescape(rest, &mut out);
    out
}

fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(rest.get(..at).unwrap_or_default());
        let entity = rest.get(at + 1..).unwrap_or_default();
        let known = entity.bytes().take(10).position(|byte| byte == b';').and_then(|end| {
            let name = entity.get(..end)?;
            let c = match name {
                "lt" => '<',
                "gt" => '>',
                "amp" => '&',
                "quot" => '"',
                "apos" => '\'',
                "nbsp" => ' ',
                _ => {
                    let number = name.strip_prefix('#')?;
                    let code = match number.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                        None => number.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
            };
            Some((c, end + 1))
        });
        match known {
            Some((c, length)) => {
                out.push(c);
                rest = entity.get(length..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = entity;
            }
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn elements_and_entities() {
        let html = "<style>a { b }</style><div class=\"highlight\"><pre><span class=\"nd\">@T</span>.f<br/>a &lt; &#39;b&#x27; &amp;&amp; &x</pre>";
        assert_eq!(text(html), "@T.f\na < 'b' && &x");
        assert_eq!(text("a < b <i"), "a ");
    }
}
