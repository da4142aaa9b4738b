//! Writing at offsets of a file, by several threads at once.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::sync::{Mutex, PoisonError};

/// What is written in parts, in any order and by several threads at once.
pub trait WriteAt: Sync {
    /// Writes all bytes at an offset.
    ///
    /// # Errors
    /// Those of the file.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()>;
}

impl WriteAt for File {
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> Result<()> {
        while !bytes.is_empty() {
            let written = advance(write_at(self, bytes, offset), &mut offset, ErrorKind::WriteZero)?;
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    }
}

/// A file in memory, which grows as far as it is written.
impl WriteAt for Mutex<Vec<u8>> {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let start = usize::try_from(offset).map_err(Error::other)?;
        let end = start.checked_add(bytes.len()).ok_or(ErrorKind::FileTooLarge)?;
        let mut file = self.lock().unwrap_or_else(PoisonError::into_inner);
        if file.len() < end {
            file.resize(end, 0);
        }
        if let Some(part) = file.get_mut(start..end) {
            part.copy_from_slice(bytes);
        }
        Ok(())
    }
}

/// The bytes that a call moved, after which the offset is behind them; an interrupted one moved none.
pub(crate) fn advance(moved: Result<usize>, offset: &mut u64, none: ErrorKind) -> Result<usize> {
    match moved {
        Ok(0) => Err(none.into()),
        Ok(count) => {
            *offset = offset.saturating_add(count as u64);
            Ok(count)
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(0),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    use std::os::unix::fs::FileExt as _;
    file.write_at(bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    use std::os::windows::fs::FileExt as _;
    file.seek_write(bytes, offset)
}

/// Elsewhere one position serves all threads in turn.
#[cfg(not(any(unix, windows)))]
pub(crate) static POSITION: Mutex<()> = Mutex::new(());

#[cfg(not(any(unix, windows)))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    use std::io::{Seek as _, SeekFrom, Write as _};
    let _turn = POSITION.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.write(bytes)
}
