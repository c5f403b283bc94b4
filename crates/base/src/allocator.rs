//! PYTORCH_CUDA_ALLOC_CONF and its kin: `key:value,key:value`, and how values go wrong.
//!
//! Modelled on torch 2.15.0, whose answers to every value of `tests/vectors/allocator.yaml` were seen when it was executed
//! on a machine without a GPU. Source of the keys: the page of torch on the semantics of CUDA.

use std::borrow::Cow;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: Kind,
    /// The item that is wrong, as written.
    pub item: String,
    /// What is expected in its place.
    pub wanted: Cow<'static, str>,
}

/// How torch takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `import torch` ends the interpreter.
    Aborts,
    /// The first call that initialises torch's CUDA state raises.
    Raises,
    /// It raises in torch 2.15, and may be a key of another version.
    UnknownKey,
}

/// What the value of a key must be.
#[derive(Clone, Copy)]
enum Form {
    Backend,
    Bool,
    /// A number of megabytes, at least this.
    AtLeast(u64),
    /// The same, where no size of large segments is set beside it.
    AtLeastOfSegment(u64),
    /// Between 0 and 1, without them.
    Inside,
    /// Between 0 and 1, or one of them.
    Fraction,
    /// A power of two, or a list of them for each size.
    Divisions,
    /// A power of two up to 128.
    Threads,
    List,
    Any,
}

/// The keys of torch 2.15.
const KEYS: &[(&str, Form)] = &[
    ("backend", Form::Backend),
    ("expandable_segments", Form::Bool),
    ("expandable_segments_reserve", Form::Any),
    ("expandable_segments_reserve_by_class", Form::List),
    ("garbage_collection_threshold", Form::Inside),
    ("graph_capture_record_stream_reuse", Form::Bool),
    ("large_segment_size_mb", Form::AtLeast(11)),
    ("max_non_split_rounding_mb", Form::AtLeastOfSegment(20)),
    ("max_split_size_mb", Form::AtLeastOfSegment(20)),
    ("per_process_memory_fraction", Form::Fraction),
    ("pinned_free_catch_all", Form::Bool),
    ("pinned_max_cached_size_mb", Form::AtLeast(0)),
    ("pinned_max_round_threshold_mb", Form::AtLeast(0)),
    ("pinned_num_register_threads", Form::Threads),
    ("pinned_reserve_segment_size_mb", Form::AtLeast(1)),
    ("pinned_use_background_threads", Form::Bool),
    ("pinned_use_cuda_host_register", Form::Bool),
    ("pinned_use_hip_host_register", Form::Bool),
    ("release_lock_on_cudamalloc", Form::Bool),
    ("release_lock_on_hipmalloc", Form::Bool),
    ("roundup_power2_divisions", Form::Divisions),
    ("throw_on_cudamalloc_oom", Form::Bool),
];

/// What `backend:cudaMallocAsync` passes over.
const NATIVE_ONLY: &[&str] =
    &["garbage_collection_threshold", "max_split_size_mb", "roundup_power2_divisions"];

/// The first thing that is wrong with a value.
pub fn problem(value: &str) -> Option<Problem> {
    let text: String = value.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    if text.is_empty() {
        return None;
    }
    let items = items(&text);
    let problem = |kind, item: &str, wanted: &str| {
        Some(Problem { kind, item: item.to_owned(), wanted: wanted.to_owned().into() })
    };
    // What ends the interpreter does so whatever else is wrong.
    for item in items.iter().filter(|item| !item.is_empty() || text == ",") {
        if item.matches('[').count() != item.matches(']').count() {
            return problem(Kind::Aborts, item, "a list that ends with `]`");
        }
        match item.split_once(':') {
            None if item.contains('=') => return problem(Kind::Aborts, item, &item.replacen('=', ":", 1)),
            None => return problem(Kind::Aborts, item, "`key:value`"),
            Some(("", "")) | Some((_, "")) => return problem(Kind::Aborts, item, "`key:value`"),
            Some((_, value)) if !value.starts_with([':', '[']) && value.contains([':', ';']) => {
                return problem(Kind::Aborts, item, "items with commas between them");
            }
            Some(_) => {}
        }
    }
    for (at, item) in items.iter().enumerate() {
        if item.is_empty() {
            // A comma at the end is none.
            if at + 1 == items.len() {
                break;
            }
            return problem(Kind::Raises, ",", "`key:value` between two commas");
        }
        let (key, value) = item.split_once(':').unwrap_or((item, ""));
        let Some((_, form)) = KEYS.iter().find(|(known, _)| *known == key) else {
            return Some(unknown_key(key));
        };
        let segments = items.iter().any(|item| item.starts_with("large_segment_size_mb"));
        if let Some(wanted) = form.refuses(value, segments) {
            return Some(Problem { kind: Kind::Raises, item: (*item).to_owned(), wanted });
        }
    }
    None
}

/// The keys beside `backend:cudaMallocAsync` that have no effect with it.
pub fn ignored_by_backend(value: &str) -> Vec<&str> {
    let settings: Vec<(&str, &str)> = settings(value).collect();
    if !settings.iter().any(|(key, value)| *key == "backend" && *value == "cudaMallocAsync") {
        return Vec::new();
    }
    settings.iter().map(|(key, _)| *key).filter(|key| NATIVE_ONLY.contains(key)).collect()
}

/// Whether two values say the same, in whichever order.
pub fn says_the_same(one: &str, other: &str) -> bool {
    includes(one, other) && includes(other, one)
}

/// The first setting that two values give different values, as the first of them has it.
pub fn contradiction(one: &str, other: &str) -> Option<String> {
    let others: Vec<(&str, &str)> = settings(other).collect();
    let differs =
        |(key, value): &(&str, &str)| others.iter().any(|(known, new)| known == key && new != value);
    settings(one).find(differs).map(|(key, value)| format!("{key}:{value}"))
}

/// Whether a value says all that another says.
pub fn includes(value: &str, wanted: &str) -> bool {
    let said: Vec<(&str, &str)> = settings(value).collect();
    settings(wanted).all(|setting| said.contains(&setting))
}

/// The settings of a value; of a key that is set twice the last.
pub fn settings(value: &str) -> impl Iterator<Item = (&str, &str)> {
    let all = items(value).into_iter().filter_map(|item| item.split_once(':'));
    let all: Vec<(&str, &str)> = all.map(|(key, value)| (key.trim(), value.trim())).collect();
    (0..all.len())
        .filter_map(move |at| {
            let again = all[at + 1..].iter().any(|(key, _)| *key == all[at].0);
            (!again).then_some(all[at])
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// What stands between commas that are in no list.
fn items(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth <= 0 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    items
}

fn unknown_key(key: &str) -> Problem {
    /// More letters away it is another word.
    const FAR: usize = 2;
    let lower = key.to_ascii_lowercase();
    let near = KEYS.iter().map(|(known, _)| (strsim::osa_distance(known, &lower), *known)).min();
    let similar = near.filter(|(distance, _)| *distance <= FAR).map(|(_, known)| known);
    // `max_split_size` for `max_split_size_mb`.
    let known = similar.or_else(|| {
        let with_unit = format!("{lower}_mb");
        KEYS.iter().map(|(known, _)| *known).find(|known| *known == with_unit)
    });
    match known {
        Some(known) => {
            Problem { kind: Kind::Raises, item: key.to_owned(), wanted: format!("`{known}`").into() }
        }
        None => {
            Problem { kind: Kind::UnknownKey, item: key.to_owned(), wanted: "a key that torch knows".into() }
        }
    }
}

impl Form {
    /// What is wanted instead of a value; `None` when it is accepted. `segments`: their size is set beside it.
    fn refuses(self, value: &str, segments: bool) -> Option<Cow<'static, str>> {
        let is_list = value.starts_with('[') && value.ends_with(']');
        let unless = |holds: bool, wanted: &'static str| (!holds).then_some(Cow::Borrowed(wanted));
        match self {
            Form::Backend => unless(
                matches!(value, "native" | "cudaMallocAsync" | "hipMallocAsync"),
                "`native` or `cudaMallocAsync`",
            ),
            Form::Bool => {
                unless(matches!(value, "True" | "False"), "`True` or `False`, in exactly these letters")
            }
            Form::AtLeast(least) => too_small(value, least),
            Form::AtLeastOfSegment(least) => too_small(value, if segments { 0 } else { least }),
            Form::Inside => unless(
                fraction(value).is_some_and(|share| share > 0.0 && share < 1.0),
                "a number between 0 and 1",
            ),
            Form::Fraction => unless(
                fraction(value).is_some_and(|share| (0.0..=1.0).contains(&share)),
                "a number from 0 to 1",
            ),
            Form::Divisions if is_list => unless(divisions(&value[1..value.len() - 1]), "powers of two"),
            Form::Divisions => unless(is_power_of_two(value), "a power of two"),
            Form::Threads => {
                let threads = leading_number(value).filter(|_| is_power_of_two(value));
                unless(threads.is_some_and(|threads| threads <= 128), "a power of two up to 128")
            }
            Form::List => unless(is_list, "a list in brackets"),
            Form::Any => None,
        }
    }
}

fn too_small(value: &str, least: u64) -> Option<Cow<'static, str>> {
    // A negative number is read as a very large one.
    let number = value.strip_prefix('-').map_or_else(|| leading_number(value), |_| Some(u64::MAX));
    match number {
        Some(number) if number >= least => None,
        Some(_) => Some(format!("at least {least}").into()),
        None => Some("a number".into()),
    }
}

/// The digits that a text begins with, as `stoull` reads them.
fn leading_number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

fn fraction(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn is_power_of_two(text: &str) -> bool {
    leading_number(text).is_some_and(u64::is_power_of_two)
}

/// `256:1,512:2,>:8`
fn divisions(list: &str) -> bool {
    list.is_empty()
        || list.split(',').all(|pair| {
            pair.split_once(':').is_some_and(|(size, count)| {
                (size == ">" || is_power_of_two(size)) && (count == "0" || is_power_of_two(count))
            })
        })
}

#[cfg(test)]
mod tests;
