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
    #[cfg(unix)]
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }

    #[cfg(not(unix))]
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        in_turn(self, offset, |mut file| std::io::Write::write_all(&mut file, bytes))
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

/// Sets the one position of a file, and keeps other threads from it meanwhile.
#[cfg(not(unix))]
pub(crate) fn in_turn(mut file: &File, offset: u64, act: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    static POSITION: Mutex<()> = Mutex::new(());
    let _turn = POSITION.lock().unwrap_or_else(PoisonError::into_inner);
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(offset))?;
    act(file)
}
