//! CUDA_VISIBLE_DEVICES: what a value selects, and how values go wrong.
//!
//! Modelled on `torch.cuda._parse_visible_devices` of torch 2.15, executed on every value of
//! `tests/vectors/visible-devices.yaml`; the driver itself was not run. Source of the syntax: CUDA programming
//! guide, appendix on environment variables.

pub mod selection;

/// What a value of CUDA_VISIBLE_DEVICES selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    pub kind: Kind,
    /// How many GPUs are left at most.
    pub left: usize,
    /// The highest index among them, when they are named by index.
    pub highest: Option<u64>,
    pub fault: Option<Fault>,
}

impl Mask {
    /// Whether it names a card that is not there where cards are counted from 0 and as many as it leaves.
    pub fn counts_outside(&self) -> bool {
        self.highest.is_some_and(|highest| highest >= self.left as u64)
    }
}

/// What GPUs are named by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `""`, `-1`: no GPU, on purpose.
    Nothing,
    Index,
    /// `GPU-…`
    Uuid,
    /// `MIG-…`
    Mig,
    /// A text that names none.
    Other,
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The first element names no GPU, so all are hidden.
    HidesAll,
    /// The same GPU twice hides all.
    Repeated,
    /// The list ends at an element that names no GPU, or is of another kind than the first.
    CutShort,
}

/// `1 GPU`, `2 GPUs`
pub fn gpus(count: usize) -> String {
    if count == 1 { "1 GPU".to_owned() } else { format!("{count} GPUs") }
}

/// Reads a value.
pub fn read(value: &str) -> Mask {
    let value = value.trim();
    let none = |kind, fault| Mask { kind, left: 0, highest: None, fault };
    if value.is_empty() || is_negative(value) || value.eq_ignore_ascii_case("NoDevFiles") {
        return none(Kind::Nothing, None);
    }
    for (prefix, kind) in [("GPU-", Kind::Uuid), ("MIG-", Kind::Mig)] {
        if value.starts_with(prefix) {
            return names(value, prefix, kind);
        }
    }
    indices(value).unwrap_or_else(|| none(Kind::Other, Some(Fault::HidesAll)))
}

/// `-1`, `-2`: an index that no GPU has.
fn is_negative(value: &str) -> bool {
    value.split(',').next().is_some_and(|first| {
        first.trim().strip_prefix('-').is_some_and(|digits| {
            digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.bytes().any(|byte| byte != b'0')
        })
    })
}

fn names(value: &str, prefix: &str, kind: Kind) -> Mask {
    let mut known: Vec<&str> = Vec::new();
    let mut fault = None;
    let elements: Vec<&str> = value.split(',').map(str::trim).collect();
    for (index, element) in elements.iter().enumerate() {
        if !element.starts_with(prefix) {
            let only_a_comma = element.is_empty() && index + 1 == elements.len();
            fault = (!only_a_comma).then_some(Fault::CutShort);
            break;
        }
        if known.contains(element) {
            return Mask { kind, left: 0, highest: None, fault: Some(Fault::Repeated) };
        }
        known.push(element);
    }
    Mask { kind, left: known.len(), highest: None, fault }
}

/// `None` when the first element is no index.
fn indices(value: &str) -> Option<Mask> {
    let mut known: Vec<u64> = Vec::new();
    let mut fault = None;
    let elements: Vec<&str> = value.split(',').map(str::trim).collect();
    for (position, element) in elements.iter().enumerate() {
        let Some((index, rest)) = leading_number(element) else {
            if position == 0 {
                return None;
            }
            let only_a_comma = element.is_empty() && position + 1 == elements.len();
            fault = fault.or((!only_a_comma).then_some(Fault::CutShort));
            break;
        };
        if known.contains(&index) {
            return Some(Mask { kind: Kind::Index, left: 0, highest: None, fault: Some(Fault::Repeated) });
        }
        known.push(index);
        if separates(rest) {
            fault = Some(Fault::CutShort);
        }
    }
    Some(Mask { kind: Kind::Index, left: known.len(), highest: known.iter().max().copied(), fault })
}

/// The number that an element begins with, and what follows; as `strtoul` reads it.
fn leading_number(element: &str) -> Option<(u64, &str)> {
    let digits = element.strip_prefix('+').unwrap_or(element);
    let digits = if element.starts_with("-0") { &element[1..] } else { digits };
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    // More digits than fit name no GPU either.
    (end > 0).then(|| (digits[..end].parse().unwrap_or(u64::MAX), &digits[end..]))
}

/// Whether what follows a number looks like another element of a list that has the wrong separator: `0;1`, `0 1`,
/// `0-3`, `0.1`. The rest of `1gpu` is passed over, as the parser does.
fn separates(rest: &str) -> bool {
    let behind =
        rest.trim_start_matches([' ', '\t', ';', ':', '-', '|', '/', '.', '，', '、', '\u{a0}', '\n']);
    behind.len() < rest.len() && behind.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests;
