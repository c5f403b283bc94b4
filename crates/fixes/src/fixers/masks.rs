//! What somebody meant who wrote a value of CUDA_VISIBLE_DEVICES that CUDA does not read so.

use super::spellings::is_right;
use crate::fixes::Refusal;

/// Words that say that no GPU is wanted; `None` of Python may as well mean that nothing is set.
const NONE: &[&str] = &["cpu", "disabled", "none", "no", "off", "void"];

/// More GPUs than this are in no machine.
const MOST: u32 = 64;

/// The value as CUDA reads it.
pub fn meant(value: &str) -> Result<String, Refusal> {
    let plain = without_marks(value);
    if NONE.contains(&plain.as_str()) {
        return Ok("-1".to_owned());
    }
    if plain.eq_ignore_ascii_case("all") {
        return Err("`all` is every GPU, which a program sees without CUDA_VISIBLE_DEVICES: remove it, or name the GPUs".to_owned());
    }
    let elements: Vec<String> = parts_of(&plain)
        .into_iter()
        .map(|part| element(&part))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| format!("it is not clear which GPUs `{value}` means"))?
        .concat();
    let is_index = |element: &String| element.bytes().all(|byte| byte.is_ascii_digit());
    if elements.iter().any(is_index) && !elements.iter().all(is_index) {
        return Err("it names GPUs by index and by UUID, of which CUDA reads one kind".to_owned());
    }
    let mask = elements.join(",");
    if crate::masks::read(&mask).fault == Some(crate::masks::Fault::Repeated) {
        return Err("a GPU is named twice, and it is not clear which one was meant".to_owned());
    }
    match !elements.is_empty() && is_right(&mask) {
        true => Ok(mask),
        false => Err(format!("it is not clear which GPUs `{value}` means")),
    }
}

/// Without quotes inside of it, and without brackets around it.
fn without_marks(value: &str) -> String {
    let plain: String = value.chars().filter(|one| !matches!(one, '"' | '\'' | '\\')).collect();
    let mut inner = plain.trim();
    for (open, close) in [('[', ']'), ('(', ')'), ('{', '}')] {
        if let Some(inside) = inner.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            inner = inside.trim();
        }
    }
    inner.to_owned()
}

/// The elements of a list, whatever parts them.
fn parts_of(list: &str) -> Vec<String> {
    let parts =
        list.split(|one: char| one.is_whitespace() || matches!(one, ',' | ';' | '|' | '/' | '，' | '、'));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The GPUs that an element names: one, or those of a range.
fn element(part: &str) -> Option<Vec<String>> {
    let lower = part.to_ascii_lowercase();
    for prefix in ["gpu-", "mig-"] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            // `gpu-0` is an index to most people, and a UUID to CUDA.
            if rest.len() < 4 {
                return None;
            }
            return Some(vec![format!("{}{}", prefix.to_ascii_uppercase(), &part[prefix.len()..])]);
        }
    }
    let index = ["cuda:", "gpu:", "cuda", "gpu"].into_iter().find_map(|prefix| lower.strip_prefix(prefix));
    let index = index.unwrap_or(&lower);
    if let Some((first, last)) = index.split_once('-') {
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let is_range = first < last && last < MOST;
        return is_range.then(|| (first..=last).map(|index| index.to_string()).collect());
    }
    let number: u32 = index.parse().ok().filter(|_| index.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(vec![number.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_meant() {
        let read = |value: &str| meant(value).unwrap_or_else(|_| "?".to_owned());
        assert_eq!(read("cuda:0"), "0");
        assert_eq!(read("cuda:0,cuda:1"), "0,1");
        assert_eq!(read("[0, 1]"), "0,1");
        assert_eq!(read("'\"0\"'"), "0");
        assert_eq!(read("gpu-8932f937"), "GPU-8932f937");
        assert_eq!(read("0;1"), "0,1");
        assert_eq!(read("0 1"), "0,1");
        assert_eq!(read("0-3"), "0,1,2,3");
        assert_eq!(read("0,2-3"), "0,2,3");
        assert_eq!(read("none"), "-1");
        for unclear in ["all", "None", "gpu-0", "0,0", "0,GPU-8932f937", "3-0", "0:1", "0.1", "x", ""] {
            assert_eq!(read(unclear), "?", "{unclear}");
        }
    }
}
