//! Where the comments of a TOML file stand: not in texts.

use crate::facts::Span;

/// The comments that speak to gpulint.
pub fn spans(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'#', b'"', b'\'', &bytes[at..]) {
        at += found;
        if bytes[at] == b'#' {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |length| at + length);
            if text[at..end].contains("gpulint:") {
                spans.push(Span::new(at, at + text[at..end].trim_end().len()));
            }
            at = end;
        } else {
            at = behind_text(text, at);
        }
    }
    spans
}

/// Behind the text in quotes that begins at `at`.
fn behind_text(text: &str, at: usize) -> usize {
    let quote = &text[at..at + 1];
    let long = quote.repeat(3);
    if let Some(inside) = text[at..].strip_prefix(&long) {
        let start = text.len() - inside.len();
        return inside.find(&long).map_or(text.len(), |length| start + length + 3);
    }
    let bytes = text.as_bytes();
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'\n' {
        match bytes[end] {
            b'\\' if quote == "\"" => end += 1,
            byte if byte == bytes[at] => return end + 1,
            _ => {}
        }
        end += 1;
    }
    end.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::spans;

    #[test]
    fn texts_are_no_comments() {
        let text =
            "a = \"# gpulint: ignore\"\nb = '''\n# gpulint: ignore\n'''\nc = 1  # gpulint: ignore[x] y\n";
        let found: Vec<&str> = spans(text).into_iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, ["# gpulint: ignore[x] y"]);
        assert!(spans("a = \"gpulint: #\\").is_empty());
    }
}
