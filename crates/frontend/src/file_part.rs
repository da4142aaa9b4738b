//! Elements that stay in a file until they are needed.

use std::fs::File;
use std::io::Result;
use std::sync::{Arc, OnceLock};

use tvmscript_ir_core::tensor::ElementSource;

/// Elements of at least this size stay in their file.
pub(crate) const MIN_BYTES: usize = 1 << 20;

/// Size of the parts that are read at once, which stay in a processor's cache until they are hashed and written.
const BUFFER_BYTES: usize = 1 << 18;

/// A part of an open file. The file may be replaced by another one meanwhile, not changed.
#[derive(Debug)]
pub(crate) struct FilePart {
    file: Arc<File>,
    offset: u64,
    length: usize,
    whole: OnceLock<Option<Vec<u8>>>,
}

impl FilePart {
    /// A part that is inside the file.
    pub(crate) fn new(file: Arc<File>, offset: u64, length: usize) -> FilePart {
        FilePart { file, offset, length, whole: OnceLock::new() }
    }

    fn read(&self, start: usize, buffer: &mut [u8]) -> Result<()> {
        read_exact_at(&self.file, buffer, self.offset.saturating_add(start as u64))
    }
}

impl ElementSource for FilePart {
    fn byte_count(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> Option<&[u8]> {
        let read = || {
            let mut whole = vec![0; self.length];
            self.read(0, &mut whole).ok().map(|()| whole)
        };
        self.whole.get_or_init(read).as_deref()
    }

    fn read_parts(&self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if let Some(Some(whole)) = self.whole.get() {
            return take(whole);
        }
        let mut buffer = vec![0; self.length.min(BUFFER_BYTES)];
        let mut start = 0;
        while start < self.length {
            buffer.truncate(self.length - start);
            self.read(start, &mut buffer)?;
            take(&buffer)?;
            start += buffer.len();
        }
        Ok(())
    }
}

/// Fills a buffer from an offset of a file.
#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(not(unix))]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<()> {
    crate::write_at::in_turn(file, offset, |mut file| std::io::Read::read_exact(&mut file, buffer))
}
