//! Writes into the cells of a notebook, which is a file of JSON: everything else in the file stays byte for byte.

use super::edits::Edits;
use crate::facts::Span;
use crate::sources::Cells;

/// The file with the edits of the text of its cells; `None` where one does not lie in one cell.
pub fn with_edits(file: &str, cells: &Cells, edits: &Edits) -> Option<String> {
    let mut file = file.to_owned();
    // From the last to the first, so that what the table of the cells says of the others stays true.
    for (span, text) in edits.iter().rev() {
        file = with_edit(&file, cells, span, text)?;
    }
    Some(file)
}

/// The file with `text` put in at a byte offset of the text of its cells; `None` where that lies in no cell.
pub fn with_insertion(file: &str, cells: &Cells, at: usize, text: &str) -> Option<String> {
    with_edit(file, cells, Span::new(at, at), text)
}

fn with_edit(file: &str, cells: &Cells, span: Span, text: &str) -> Option<String> {
    let (at, end) = (span.start as usize, span.end as usize);
    let cell = cells.iter().find(|cell| cell.range.contains(&at) || cell.range.end == at)?;
    let (start, quote) = cell.part_holding(at)?;
    let inside = quote + 1 + escaped_length(&file[quote + 1..], at - start)?;
    // A whole text of a list goes with its quotes.
    if let Some((next, next_quote)) = cell.part_holding(end)
        && text.is_empty()
        && (at, end) == (start, next)
        && next_quote > quote
    {
        return Some(format!("{}{}", &file[..quote], &file[next_quote..]));
    }
    let behind = match end {
        end if end == at => inside,
        end if end <= cell.range.end => {
            // The last byte decides, since the end of one text is the start of the next.
            let (start, quote) = cell.part_holding(end - 1)?;
            quote + 1 + escaped_length(&file[quote + 1..], end - start)?
        }
        _ => return None,
    };
    // In a list each line is a text of its own, as the editors write them.
    let before = file[..quote].trim_end();
    let between = &file[before.len()..quote];
    let between = if between.is_empty() { " " } else { between };
    let text = match before.ends_with(['[', ',']) {
        true => {
            let lines: Vec<String> = text.split_inclusive('\n').map(escaped).collect();
            let goes_on = text.ends_with('\n') && !file[behind..].starts_with('"');
            lines.join(&format!("\",{between}\""))
                + &if goes_on { format!("\",{between}\"") } else { String::new() }
        }
        false => escaped(text),
    };
    Some(format!("{}{text}{}", &file[..inside], &file[behind..]))
}

/// As it stands between the quotes.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// How many bytes of JSON the first `decoded` bytes of a text are written with.
fn escaped_length(json: &str, decoded: usize) -> Option<usize> {
    let (mut at, mut seen) = (0, 0);
    while seen < decoded {
        let rest = json.get(at..)?;
        let next = rest.chars().next()?;
        if next != '\\' {
            (at, seen) = (at + next.len_utf8(), seen + next.len_utf8());
            continue;
        }
        let code = |from: usize| u32::from_str_radix(rest.get(from..from + 4)?, 16).ok();
        (at, seen) = match rest.chars().nth(1)? {
            // Characters beyond the first 65536 are written as two codes.
            'u' if (0xd800..0xdc00).contains(&code(2)?) => (at + 12, seen + 4),
            'u' => (at + 6, seen + char::from_u32(code(2)?)?.len_utf8()),
            _ => (at + 2, seen + 1),
        };
    }
    (seen == decoded).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_text_are_found_in_json() {
        let json = r#"a\n\u00e9\ud83d\ude00\"é\\x", "z"#;
        let text: String =
            serde_json::from_str(&format!("\"{}\"", json.split("\", ").next().unwrap())).unwrap();
        assert_eq!(text, "a\né😀\"é\\x");
        for (decoded, rest) in [
            (0, "a"),
            (1, "\\n"),
            (2, "\\u00e9"),
            (4, "\\ud83d"),
            (8, "\\\""),
            (9, "é"),
            (11, "\\\\"),
            (12, "x"),
        ] {
            let at = escaped_length(json, decoded).unwrap();
            assert!(json[at..].starts_with(rest), "{decoded}: {}", &json[at..]);
        }
        assert_eq!(escaped_length(json, 3), None);
    }
}
