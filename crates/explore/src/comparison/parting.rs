//! The place where two runs part.

/// The content of a version: equal for versions that are structurally equal, and for texts that are equal apart from layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fingerprint {
    /// Hash of IR, of which names are no part.
    Ir(u64),
    /// Hash of a text without white space.
    Text(u64),
}

/// The first versions of two runs that differ, by index; nothing if the runs end in the same way.
///
/// Passes that change nothing, names of passes and names of files do not count: the contents that one run has one after the other
/// are compared with those of the other run. If one run goes on where the other one ends, its next version is compared with the
/// last one of the other.
pub fn parting(a: &[Fingerprint], b: &[Fingerprint]) -> Option<[u32; 2]> {
    let (mut x, mut y) = (steps(a), steps(b));
    let (mut last_a, mut last_b) = (0, 0);
    loop {
        let (i, j) = match (x.next(), y.next()) {
            (None, None) => return None,
            (Some((i, left)), Some((j, right))) if left == right => {
                (last_a, last_b) = (i, j);
                continue;
            }
            (Some((i, _)), Some((j, _))) => (i, j),
            (Some((i, _)), None) => (i, b.len().saturating_sub(1).max(last_b)),
            (None, Some((j, _))) => (a.len().saturating_sub(1).max(last_a), j),
        };
        return Some([u32::try_from(i).unwrap_or(u32::MAX), u32::try_from(j).unwrap_or(u32::MAX)]);
    }
}

/// The versions that differ from the one before.
fn steps(versions: &[Fingerprint]) -> impl Iterator<Item = (usize, Fingerprint)> + '_ {
    let mut last = None;
    versions.iter().copied().enumerate().filter(move |(_, version)| last.replace(*version) != Some(*version))
}
