//! Errors of readers of dumps.

/// The reason why a dump cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// A folder or file that the system does not let read.
    #[error("`{name}` cannot be read: {reason}")]
    Unreadable {
        /// Name of the file.
        name: String,
        /// The system's reason.
        reason: String,
    },
    /// More text than the limit.
    #[error(
        "`{name}` is too large: all texts of a dump may have {limit_bytes} bytes; give a folder with fewer passes"
    )]
    TooLarge {
        /// Name of the file at which the limit was exceeded.
        name: String,
        /// The limit.
        limit_bytes: u64,
    },
    /// More files than the limit.
    #[error(
        "`{name}` has more than {limit} files and folders; give the folder that has the dumps themselves"
    )]
    TooManyFiles {
        /// Name of the folder.
        name: String,
        /// The limit.
        limit: usize,
    },
    /// A folder without files of a dump.
    #[error(
        "`{name}` has no dump of passes: expected files such as `000_pass.py` (TVM's `DumpIR`), `00_pass_before.tir` and \
         `00_pass_after.tir` (TileLang's lower trace), or `00-input.py` (`tvmscript opt --dump-dir`)"
    )]
    NoDump {
        /// Name of the folder.
        name: String,
    },
    /// A file without a heading of a dump.
    #[error(
        "`{name}` has no dump of passes: expected lines such as `After Running Pass: ..` (TVM's `PrintAfterAll`) or \
         `// -----// IR Dump After .. //----- //` (MLIR)"
    )]
    NoHeading {
        /// Name of the file.
        name: String,
    },
    /// A folder that is the record of a schedule.
    #[error("`{name}` has the record of a schedule, not dumps of passes")]
    ScheduleRecord {
        /// Name of the folder.
        name: String,
    },
}

impl DumpError {
    pub(crate) fn unreadable(name: &str, error: &std::io::Error) -> DumpError {
        DumpError::Unreadable { name: name.to_owned(), reason: error.kind().to_string() }
    }

    /// Returns `true` if the input was read, and is something else.
    pub fn is_other_kind(&self) -> bool {
        matches!(
            self,
            DumpError::NoDump { .. } | DumpError::NoHeading { .. } | DumpError::ScheduleRecord { .. }
        )
    }
}
