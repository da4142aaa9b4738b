//! Zip archives without compression, as PyTorch writes them.

/// An archive of entries: names and contents. The checksums are 0.
#[must_use]
pub fn zip(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in entries {
        let offset = out.len() as u32;
        let size = (content.len() as u32).to_le_bytes();
        let name_length = (name.len() as u16).to_le_bytes();
        // Version, flags, method, time, date and checksum, of which the reader uses flags and method.
        let common = [&[20, 0, 0, 0, 0, 0][..], &[0; 8], &size, &size, &name_length, &[0, 0]].concat();
        out.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), content].concat());
        let rest = [&[0; 10][..], &offset.to_le_bytes(), name.as_bytes()].concat();
        directory.extend([&b"PK\x01\x02\x14\x00"[..], &common, &rest].concat());
    }
    let (count, start) = ((entries.len() as u16).to_le_bytes(), out.len() as u32);
    let size = directory.len() as u32;
    out.extend(directory);
    let end = [&[0; 4][..], &count, &count, &size.to_le_bytes(), &start.to_le_bytes(), &[0, 0]].concat();
    out.extend([&b"PK\x05\x06"[..], &end].concat());
    out
}

/// The entries of an archive whose directory is as [`zip`] or PyTorch writes it: names and contents.
#[must_use]
pub fn unzip(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let number = |at: usize, bytes: usize| {
        let bytes = archive.get(at..at + bytes).unwrap_or_default();
        bytes.iter().rev().fold(0usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let is_entry = |at: &usize| archive[*at..].starts_with(b"PK\x01\x02");
    let directory = (0..archive.len().saturating_sub(46)).filter(is_entry);
    let entry = |at: usize| {
        let name = String::from_utf8_lossy(archive.get(at + 46..at + 46 + number(at + 28, 2))?).into_owned();
        let (size, local) = (number(at + 24, 4), number(at + 42, 4));
        let start = local + 30 + number(local + 26, 2) + number(local + 28, 2);
        Some((name, archive.get(start..start + size)?.to_vec()))
    };
    directory.filter_map(entry).collect()
}
