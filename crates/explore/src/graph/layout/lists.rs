//! Lists of numbers by a number, in two flat tables.

/// For each key, from 0, its values in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// First value of each key, and the number of all values.
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    /// Lists of pairs of a key below `count` and a value.
    pub(super) fn new(count: u32, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0_u32; count as usize + 1];
        for (key, _) in pairs.clone() {
            if let Some(next) = starts.get_mut(key as usize + 1) {
                *next += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut free = starts.clone();
        let mut values = vec![0; total as usize];
        for (key, value) in pairs {
            if let Some(slot) = free.get_mut(key as usize) {
                if let Some(place) = values.get_mut(*slot as usize) {
                    *place = value;
                }
                *slot += 1;
            }
        }
        Lists { starts, values }
    }

    /// The values of a key.
    pub(super) fn of(&self, key: u32) -> &[u32] {
        let at = |key: u32| self.starts.get(key as usize).map_or(0, |start| *start as usize);
        self.values.get(at(key)..at(key + 1)).unwrap_or_default()
    }
}
