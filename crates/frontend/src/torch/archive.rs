//! Zip archives whose entries are stored without compression, as PyTorch writes them.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;

/// The advice for files of other kinds.
const ADVICE: &str = "save the model with `torch.export.save` of torch 2.8 or newer";

const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
const DIRECTORY_ENTRY: u32 = 0x0201_4b50;
const LOCAL_ENTRY: u32 = 0x0403_4b50;

/// The length of the record at the end, without its comment.
const END_LENGTH: usize = 22;
/// Maximum length of the comment after it.
const MAX_COMMENT: usize = u16::MAX as usize;
/// Maximum number of entries.
const MAX_ENTRIES: usize = 1 << 20;

/// An entry: where its content is, and whether it is stored without compression.
#[derive(Debug)]
struct Entry {
    content: Range<usize>,
    is_stored: bool,
}

/// An archive in memory.
#[derive(Debug)]
pub(super) struct Archive {
    bytes: Bytes,
    /// Entries by their names without the first folder, which is common to all.
    entries: HashMap<String, Entry>,
}

/// Little-endian numbers at offsets; `None` beyond the end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn u16(&self, at: usize) -> Option<usize> {
        self.bytes(at).map(|bytes| usize::from(u16::from_le_bytes(bytes)))
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.bytes(at).map(u64::from_le_bytes)
    }
}

impl Archive {
    /// Reads the directory of an archive. Content is not looked at.
    pub(super) fn open(bytes: Bytes) -> Result<Archive, String> {
        if bytes.starts_with(&[0x80]) {
            return Err(format!("it is a pickle, which is never read; {ADVICE}"));
        }
        let entries = directory(&Numbers(&bytes))
            .ok_or_else(|| format!("it is not a zip archive, or is cut off or damaged; {ADVICE}"))?;
        let archive = Archive { bytes, entries };
        archive.check_kind()?;
        Ok(archive)
    }

    /// Refuses archives of other kinds.
    fn check_kind(&self) -> Result<(), String> {
        if self.names().any(|name| name.starts_with("models/")) {
            return Ok(());
        }
        let has = |wanted: &str| self.names().any(|name| name == wanted || name.starts_with(wanted));
        let kind = if has("serialized_exported_program.json") {
            "a program of torch 2.1 to 2.7"
        } else if has("code/") || has("data.pkl") {
            "a TorchScript module or a pickle, which is never read"
        } else {
            "an archive without a program"
        };
        Err(format!("it is {kind}; {ADVICE}"))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The name of the program: `model`, else that of the only one.
    pub(super) fn program(&self) -> Result<String, String> {
        let mut programs: Vec<&str> = self
            .names()
            .filter_map(|name| name.strip_prefix("models/")?.strip_suffix(".json"))
            .filter(|name| !name.contains('/'))
            .collect();
        programs.sort_unstable();
        match programs.as_slice() {
            [only] => Ok((*only).to_owned()),
            [] => Err(format!("it has no program; {ADVICE}")),
            several if several.contains(&"model") => Ok("model".to_owned()),
            several => Err(format!("it has several programs, none of them `model`: {}", several.join(", "))),
        }
    }

    /// The content of an entry.
    pub(super) fn read(&self, name: &str) -> Result<Bytes, String> {
        let entry = self.entries.get(name).ok_or_else(|| format!("the entry `{name}` is missing"))?;
        if !entry.is_stored {
            return Err(format!("the entry `{name}` is compressed or encrypted, which PyTorch does not do"));
        }
        match self.bytes.get(entry.content.clone()) {
            Some(_) => Ok(self.bytes.slice(entry.content.clone())),
            None => Err(format!("the entry `{name}` is cut off")),
        }
    }

    /// Returns `true` if there is an entry of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Size of the file in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Reads the central directory; `None` if it is missing or damaged.
fn directory(file: &Numbers<'_>) -> Option<HashMap<String, Entry>> {
    let length = file.0.len();
    let last = length.checked_sub(END_LENGTH)?;
    let end = (last.saturating_sub(MAX_COMMENT)..=last).rev().find(|at| file.u32(*at) == Some(END))?;
    let mut offset = u64::from(file.u32(end + 16)?);
    let mut size = u64::from(file.u32(end + 12)?);
    if let Some(locator) = end.checked_sub(20)
        && file.u32(locator) == Some(LOCATOR_64)
    {
        let record = usize::try_from(file.u64(locator + 8)?).ok()?;
        if file.u32(record)? != END_64 {
            return None;
        }
        size = file.u64(record.checked_add(40)?)?;
        offset = file.u64(record.checked_add(48)?)?;
    }
    let mut at = usize::try_from(offset).ok()?;
    let stop = at.checked_add(usize::try_from(size).ok()?).filter(|stop| *stop <= length)?;
    let mut entries = HashMap::new();
    while at < stop && entries.len() < MAX_ENTRIES {
        let (name, entry, next) = directory_entry(file, at)?;
        let inner = name.split_once('/').map_or(name.as_str(), |(_, inner)| inner);
        entries.insert(inner.to_owned(), entry);
        at = next;
    }
    Some(entries)
}

/// The entry of the directory at an offset, and the offset of the next one.
fn directory_entry(file: &Numbers<'_>, at: usize) -> Option<(String, Entry, usize)> {
    if file.u32(at)? != DIRECTORY_ENTRY {
        return None;
    }
    let (flags, method) = (file.u16(at + 8)?, file.u16(at + 10)?);
    let (packed, full, local) = (file.u32(at + 20)?, file.u32(at + 24)?, file.u32(at + 42)?);
    let lengths = [file.u16(at + 28)?, file.u16(at + 30)?, file.u16(at + 32)?];
    let name_at = at.checked_add(46)?;
    let extra_at = name_at.checked_add(lengths[0])?;
    let next = extra_at.checked_add(lengths[1])?;
    let name = String::from_utf8_lossy(file.0.get(name_at..extra_at)?).into_owned();
    let wide = wide_fields(&Numbers(file.0.get(extra_at..next)?), [full, packed, local]);
    let [full, packed, local] = wide?;
    let local = usize::try_from(local).ok()?;
    // Lengths of name and extra field may differ from those in the directory.
    let content = match file.u32(local) {
        Some(LOCAL_ENTRY) => {
            let names = file.u16(local + 26)?.checked_add(file.u16(local + 28)?)?;
            let start = local.checked_add(30)?.checked_add(names)?;
            start..start.checked_add(usize::try_from(full).ok()?)?
        }
        _ => return None,
    };
    let is_stored = method == 0 && flags & 1 == 0 && packed == full;
    Some((name, Entry { content, is_stored }, next.checked_add(lengths[2])?))
}

/// Sizes and offset of an entry; those that do not fit 32 bits are in the extra field, in this order.
fn wide_fields(extra: &Numbers<'_>, fields: [u32; 3]) -> Option<[u64; 3]> {
    const WIDE: usize = 1;
    let mut found = fields.map(u64::from);
    if !fields.contains(&u32::MAX) {
        return Some(found);
    }
    let mut at = 0;
    while extra.u16(at)? != WIDE {
        at = at.checked_add(4)?.checked_add(extra.u16(at + 2)?)?;
    }
    at += 4;
    for field in found.iter_mut().filter(|field| **field == u64::from(u32::MAX)) {
        *field = extra.u64(at)?;
        at += 8;
    }
    Some(found)
}
