//! Values of variables that have nothing to do with GPUs: whoever reads a report must not see them, also where they
//! stand on the line that a finding is about.

use crate::sources::{Language, Source};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What names of variables about GPUs have in them.
const SHOWN: &[&str] = &["CUDA", "DEVICE", "GPU", "HIP_", "NVIDIA", "ROCR_", "TORCH", "XLA", "JAX_"];

/// Without one of these words a line gives nothing away. The pattern that says where takes longer to make than all else that a
/// report of a few lines needs.
const TELLING: &[&str] = &["credential", "key", "passw", "secret", "token"];

/// A line of a file as reports show it: of the same length, with stars for what is nobody's business.
pub fn concealed<'l>(source: &Source, line: &'l str) -> Cow<'l, str> {
    static GIVEN_AWAY: LazyLock<Regex> = LazyLock::new(|| {
        let name = r#"(?:token|secret|passw(?:or)?d|credentials?|[-_](?:api|access|secret)?[-_]?key)"#;
        let value = r#""[^"]+"?|'[^']+'?"#;
        // An option of a command may have its value behind a blank and without quotes.
        Regex::new(&format!(
            r#"(?i)\b\w*{name}["'\]]*\s*[:=]\s*(?<literal>{value})|\s--?[\w-]*{name}[=\s]\s*(?<option>{value}|[^\s"'$-]\S*)"#
        ))
        .expect("the pattern is a constant")
    });
    let mut shown = settings_concealed(source, line);
    let lower = line.to_ascii_lowercase();
    if !TELLING.iter().any(|word| lower.contains(word)) {
        return shown;
    }
    let values: Vec<_> = GIVEN_AWAY
        .captures_iter(&shown)
        .filter_map(|found| found.name("literal").or(found.name("option")))
        .map(|value| value.range())
        .collect();
    for range in values {
        let stars: String = shown[range.clone()].chars().map(star).collect();
        shown.to_mut().replace_range(range, &stars);
    }
    shown
}

/// The same for what a file of settings or a script sets, where anything may be secret that is not about GPUs.
fn settings_concealed<'l>(source: &Source, line: &'l str) -> Cow<'l, str> {
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

    #[test]
    fn what_is_called_a_secret_is_one_in_any_language() {
        let python = Source::new(None, "a.py".to_owned(), Language::Python, String::new());
        for (line, expected) in [
            (
                r#"os.environ["DB_PASSWORD"] = "ä"; x.cuda(1)"#,
                r#"os.environ["DB_PASSWORD"] = "·"; x.cuda(1)"#,
            ),
            ("login(api_key='abc', device='cuda:1')", "login(api_key='***', device='cuda:1')"),
            ("tokens = model(token_ids).to('cuda:1')", "tokens = model(token_ids).to('cuda:1')"),
            ("for key in keys: x.to('cuda:1')", "for key in keys: x.to('cuda:1')"),
        ] {
            assert_eq!(concealed(&python, line), expected);
        }
        let script = Source::new(None, "run.sh".to_owned(), Language::Shell, String::new());
        for (line, expected) in [
            ("python a.py --hf-token abc --gpu 1", "python a.py --hf-token *** --gpu 1"),
            ("python a.py --password='a b' --gpu 1", "python a.py --password='***' --gpu 1"),
            ("python a.py --token $TOKEN --gpu 1", "python a.py --token $TOKEN --gpu 1"),
        ] {
            assert_eq!(concealed(&script, line), expected);
        }
    }
}
