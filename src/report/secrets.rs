//! Values of variables that have nothing to do with GPUs: whoever reads a report must not see them, also where they
//! stand on the line that a finding is about.

use crate::sources::{Language, Source};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What names of variables about GPUs have in them.
const SHOWN: &[&str] = &["CUDA", "DEVICE", "GPU", "HIP_", "NVIDIA", "ROCR_", "TORCH", "XLA", "JAX_"];

/// A line of a file as reports show it: of the same length, with stars for what is nobody's business.
pub fn concealed<'l>(source: &Source, line: &'l str) -> Cow<'l, str> {
    static SETTING: LazyLock<Regex> = LazyLock::new(|| {
        let value = r#""[^"]*"?|'[^']*'?|[^\s,;}'"]+"#;
        Regex::new(&format!(r#"\b([A-Z][A-Z0-9_]+)["']?\s*[:?]?[=:]\s*({value})"#))
            .expect("the pattern is a constant")
    });
    let is_code = matches!(source.language, Language::Python | Language::Notebook | Language::Rust);
    if is_code || !line.contains(['=', ':']) {
        return line.into();
    }
    let mut shown = String::new();
    let mut end = 0;
    let mut at = 0;
    while let Some(setting) = SETTING.captures_at(line, at) {
        let (Some(name), Some(value)) = (setting.get(1), setting.get(2)) else { break };
        let about_gpus = SHOWN.iter().any(|word| name.as_str().contains(word));
        // `RUN = CUDA_VISIBLE_DEVICES=0 python` goes on with a setting of its own.
        let holds_setting =
            value.as_str().contains('=') && SHOWN.iter().any(|word| value.as_str().contains(word));
        at = if holds_setting { value.start() } else { value.end() };
        if !about_gpus && !holds_setting {
            shown.push_str(&line[end..value.start()]);
            shown.extend(value.as_str().chars().map(star));
            end = value.end();
        }
    }
    if end == 0 {
        return line.into();
    }
    shown.push_str(&line[end..]);
    shown.into()
}

/// A star that takes as much room as the letter that it stands for.
fn star(letter: char) -> char {
    match letter {
        '"' | '\'' => letter,
        letter => ['*', '·', '…', '🞄'][letter.len_utf8() - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_about_gpus_is_shown() {
        let source = Source::new(None, ".env".to_owned(), Language::Dotenv, String::new());
        let shown = |line: &str| concealed(&source, line).into_owned();
        assert_eq!(shown("API_TOKEN=sesame"), "API_TOKEN=******");
        assert_eq!(shown("ENV TOKEN=a CUDA_VISIBLE_DEVICES=1"), "ENV TOKEN=* CUDA_VISIBLE_DEVICES=1");
        assert_eq!(shown(r#"{"TOKEN": "ä", "GPU": 1}"#), r#"{"TOKEN": "·", "GPU": 1}"#);
        assert_eq!(shown("RUN = CUDA_VISIBLE_DEVICES=0 python"), "RUN = CUDA_VISIBLE_DEVICES=0 python");
        assert_eq!(shown("device = \"cuda:1\""), "device = \"cuda:1\"");
        assert_eq!(shown("export TOKEN='a b"), "export TOKEN='***");
    }
}
