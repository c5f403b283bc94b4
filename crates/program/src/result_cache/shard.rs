//! Which part of a project a check follows, where several share the work.

use crate::facts::FileId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of so many parts, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    pub index: u32,
    pub of: u32,
}

/// Not of the form `2/8`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoShard {
    #[error("`{0}` is no part such as 2/8: the second of eight")]
    Form(String),
    #[error("there is no shard {index} of {of}: they count from 1 to {of}")]
    Index { index: u32, of: u32 },
    #[error("at most {MOST} shards share the work")]
    Many,
}

/// Each reads all files, so more are of no use.
pub const MOST: u32 = 1000;

/// Neighbours import much the same, so they are followed together.
const NEIGHBOURS: u32 = 4;

impl Shard {
    /// Whether it follows what starts with a file.
    pub fn has(self, file: FileId) -> bool {
        file.0 / NEIGHBOURS % self.of == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let form = || NoShard::Form(text.to_owned());
        let (index, of) = text.split_once('/').ok_or_else(form)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| form());
        match (number(index)?, number(of)?) {
            (_, of) if of > MOST => Err(NoShard::Many),
            (index, of) if index < 1 || index > of => Err(NoShard::Index { index, of }),
            (index, of) => Ok(Shard { index, of }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_count_from_one() {
        assert_eq!("2/8".parse(), Ok(Shard { index: 2, of: 8 }));
        for (text, why) in [
            ("0/8", "there is no shard 0 of 8: they count from 1 to 8"),
            ("9/8", "there is no shard 9 of 8: they count from 1 to 8"),
            ("0/0", "there is no shard 0 of 0: they count from 1 to 0"),
            ("1/1001", "at most 1000 shards share the work"),
            ("2", "`2` is no part such as 2/8: the second of eight"),
            ("-1/2", "`-1/2` is no part such as 2/8: the second of eight"),
            ("a/b", "`a/b` is no part such as 2/8: the second of eight"),
        ] {
            assert_eq!(text.parse::<Shard>().unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn each_file_is_in_one_shard() {
        for of in 1..10 {
            for file in (0..100).map(FileId) {
                let having = (1..=of).filter(|&index| Shard { index, of }.has(file));
                assert_eq!(having.count(), 1);
            }
        }
    }
}
