//! A check whose programs are followed by several machines: what each of them leaves for the others, and all of it together.
//!
//! It is what a later check of the same files would take from an earlier one, so that the whole comes to what one check comes to.
//! What the shards did not follow is followed in the end.

use super::{Cache, MOST_BYTES_OF_PROGRAMS, key, text_in};
use crate::Outcome;
use crate::check_remembering;
use crate::findings::Finding;
use crate::program::{ResultCache, ResultStore, Shard};
use crate::rules::{Loaded, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Digest, Sources};

/// What one shard of a check came to.
pub struct Part {
    /// Stands for the check: its files, its policy, its options and this gpulint.
    pub check: Digest,
    pub earlier: ResultStore<Finding>,
}

/// One shard; `None` when what is checked cannot be told from other checks.
///
/// # Errors
/// Those of [`crate::check`].
pub fn part(
    cache: Option<&Cache>,
    sources: &Sources,
    settings: &Settings,
    rules: &Loaded,
    shard: Shard,
) -> Result<Option<Part>, UnknownSelector> {
    let Some(keys) = key::of(sources, settings, rules) else { return Ok(None) };
    // Beside what whole checks keep, which would lose what others follow.
    let file =
        |cache: &Cache| cache.folder.join(format!("{}-{}-{}.programs", keys.project, shard.index, shard.of));
    let known = cache.and_then(|cache| {
        let whole = cache.folder.join(format!("{}.programs", keys.project));
        text_in(&file(cache)).or_else(|| text_in(&whole))
    });
    let known = known.and_then(|text| serde_json::from_str(&text).ok());
    let memory = ResultCache::new(known.unwrap_or_default(), sources, keys.files).of_shard(shard);
    let (_, earlier) = check_remembering(sources, settings, rules, Some(memory), None)?;
    let earlier = earlier.unwrap_or_default();
    if let Some(cache) = cache {
        let _ = cache.place(&file(cache), &earlier, MOST_BYTES_OF_PROGRAMS);
    }
    Ok(Some(Part { check: keys.check, earlier: earlier.told_by(shard) }))
}

/// All shards of a check together: what [`crate::check`] finds. `None` when they are of another check than this.
///
/// # Errors
/// Those of [`crate::check`].
pub fn joined(
    cache: Option<&Cache>,
    sources: &Sources,
    settings: &Settings,
    rules: &Loaded,
    (of, mut shards): (Digest, Vec<ResultStore<Finding>>),
) -> Result<Option<Outcome>, UnknownSelector> {
    let Some(keys) = key::of(sources, settings, rules).filter(|keys| keys.check == of) else {
        return Ok(None);
    };
    let file = cache.map(|cache| cache.folder.join(format!("{}.programs", keys.project)));
    // What no shard follows is known from the last time that they were merged.
    let known = file.as_deref().and_then(text_in).and_then(|text| serde_json::from_str(&text).ok());
    shards.extend(known);
    let memory = ResultCache::new(ResultStore::joined(shards), sources, keys.files);
    let (outcome, earlier) = check_remembering(sources, settings, rules, Some(memory), None)?;
    if let (Some(cache), Some(file), Some(earlier)) = (cache, file, earlier) {
        let _ = cache.place(&file, &earlier, MOST_BYTES_OF_PROGRAMS);
    }
    Ok(Some(outcome))
}
