//! Base64 with padding, the standard alphabet.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let sextet = (word >> (18 - 6 * digit)) as usize & 63;
            out.push(if digit > chunk.len() { '=' } else { char::from(ALPHABET[sextet]) });
        }
    }
    out
}

/// The bytes; nothing when the text is no padded base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    const VALUES: [u8; 256] = {
        let mut values = [255; 256];
        let mut i = 0;
        while i < 64 {
            values[ALPHABET[i] as usize] = i as u8;
            i += 1;
        }
        values
    };
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in digits.as_bytes().chunks(4) {
        let mut word = 0u32;
        for i in 0..4 {
            let value = chunk.get(i).map_or(0, |&b| VALUES[b as usize]);
            if value > 63 {
                return None;
            }
            word = word << 6 | u32::from(value);
        }
        out.extend(&word.to_be_bytes()[1..chunk.len()]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_reads_back() {
        for (bytes, text) in
            [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (b"foob", "Zm9vYg==")]
        {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        for text in ["Z", "Zg=", "Z===", "Zm9*", "=Zg=", "Zg"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
