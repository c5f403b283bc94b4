//! The lines of a Dockerfile → instructions: continued lines are joined, comments between them dropped, and the
//! texts behind `<<EOF` are part of the instruction.

use super::super::embedded::{Extract, Origin};
use crate::facts::Span;
use crate::sources::Source;

/// One instruction.
#[derive(Clone)]
pub struct Instruction<'s> {
    /// In capitals.
    pub keyword: String,
    /// What follows the keyword, with continued lines joined.
    pub text: &'s str,
    /// Where `text` stands.
    pub origin: Origin,
    /// From the keyword to its last line, without texts behind `<<EOF`.
    pub span: Span,
    /// The lines below up to the end of the last text behind `<<EOF`, and where they begin.
    pub here: Option<(&'s str, usize)>,
}

/// What a Dockerfile consists of.
#[derive(Default)]
pub struct Instructions<'s> {
    pub all: Vec<Instruction<'s>>,
    pub comments: Vec<Span>,
}

/// Reads all instructions of a file.
pub fn read(source: &Source) -> Instructions<'_> {
    let text = source.text.as_str();
    let escape = escape_character(text);
    let mut read = Instructions::default();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < text.len() {
        let (start, line, next) = line_at(text, at);
        at = next;
        if line.is_empty() {
            continue;
        }
        if line.starts_with('#') {
            read.comments.push(Span::new(start, start + line.len()));
            continue;
        }
        let keyword_length = line.bytes().take_while(u8::is_ascii_alphabetic).count();
        let body_start = start + keyword_length;
        let mut extract = Extract::default();
        let mut end = start + line.len();
        let mut piece = Some((body_start, &text[body_start..end]));
        let mut is_one_line = true;
        while let Some((piece_start, part)) = piece.take() {
            let Some(part) = part.strip_suffix(escape) else {
                extract.push(part, piece_start);
                break;
            };
            is_one_line = false;
            extract.push(part, piece_start);
            while at < text.len() {
                let (next_start, line, next) = line_at(text, at);
                at = next;
                if line.starts_with('#') {
                    read.comments.push(Span::new(next_start, next_start + line.len()));
                } else if !line.is_empty() {
                    // Blanks at the beginning of the line are part of the text.
                    let blank_start = text[..next_start].rfind('\n').map_or(0, |newline| newline + 1);
                    end = next_start + line.len();
                    piece = Some((blank_start, &text[blank_start..end]));
                    break;
                }
            }
        }
        let (joined, origin) = extract.finish();
        let body = if is_one_line { &text[body_start..end] } else { source.keep(joined) };
        let keyword = line[..keyword_length].to_ascii_uppercase();
        let here = matches!(keyword.as_str(), "RUN" | "COPY" | "ADD" | "ONBUILD")
            .then(|| here_texts(text, body, at))
            .flatten();
        if let Some((lines, start)) = here {
            at = start + lines.len();
        }
        read.all.push(Instruction { keyword, text: body, origin, span: Span::new(start, end), here });
    }
    read
}

/// The line that begins at `at`, without blanks around it: where that starts, and where the next line begins.
fn line_at(text: &str, at: usize) -> (usize, &str, usize) {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
    let line = &text[at..end];
    let trimmed = line.trim_start();
    (at + line.len() - trimmed.len(), trimmed.trim_end(), end + 1)
}

/// `# escape=` above all else names the character that continues a line.
fn escape_character(text: &str) -> char {
    for line in text.trim_start_matches('\u{feff}').lines() {
        let Some((key, value)) = line.trim().strip_prefix('#').and_then(|rest| rest.split_once('=')) else {
            return '\\';
        };
        if key.trim().eq_ignore_ascii_case("escape") {
            return if value.trim() == "`" { '`' } else { '\\' };
        }
    }
    '\\'
}

/// The lines from `at` on that belong to the `<<EOF` of an instruction.
fn here_texts<'s>(text: &'s str, body: &str, at: usize) -> Option<(&'s str, usize)> {
    let mut end = at;
    let mut any = false;
    for (found, _) in body.match_indices("<<") {
        let rest = &body[found + 2..];
        // `<<<` and `1 << 2` are something else.
        if rest.starts_with('<') || body[..found].ends_with('<') {
            continue;
        }
        let (dash, rest) = rest.strip_prefix('-').map_or((false, rest), |rest| (true, rest));
        let word = rest.trim_start_matches(['"', '\'']);
        let length = word.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if length == 0 || word.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        end = end_of_here_text(text, end.min(text.len()), &word[..length], dash)?;
        any = true;
    }
    (any && at <= text.len()).then(|| (&text[at..end.min(text.len())], at))
}

/// Behind the line that ends the text; `None` when nothing does.
fn end_of_here_text(text: &str, mut at: usize, delimiter: &str, dash: bool) -> Option<usize> {
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        let line = text[at..end].trim_end_matches('\r');
        let line = if dash { line.trim_start_matches('\t') } else { line };
        at = end + 1;
        if line == delimiter {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Language;

    fn shown(text: &str) -> Vec<String> {
        let source = Source::new(None, "Dockerfile".to_owned(), Language::Dockerfile, text.to_owned());
        let read = read(&source);
        read.all.iter().map(|one| format!("{}|{}", one.keyword, one.text.trim())).collect()
    }

    #[test]
    fn continued_lines_are_one_instruction() {
        let text = "# note\nfrom a\nRUN one \\\n  # not part\n\n  two\nENV A=1\n";
        assert_eq!(shown(text), ["FROM|a", "RUN|one   two", "ENV|A=1"]);
        assert_eq!(shown("# escape=`\nFROM a\nRUN c:\\ `\n x\n"), ["FROM|a", "RUN|c:\\  x"]);
        assert_eq!(shown("FROM a\r\nRUN b \\\r\n c\r\n"), ["FROM|a", "RUN|b  c"]);
        assert_eq!(shown("RUN a \\"), ["RUN|a"]);
    }

    #[test]
    fn texts_behind_an_instruction_are_no_instructions() {
        assert_eq!(shown("RUN <<EOF\nENV A=1\nEOF\nENV B=2\n"), ["RUN|<<EOF", "ENV|B=2"]);
        assert_eq!(shown("COPY <<-'END' /x\n\tENV A=1\n\tEND\nENV B=2"), ["COPY|<<-'END' /x", "ENV|B=2"]);
        // What never ends is no such text.
        assert_eq!(shown("RUN <<EOF\nENV A=1\n"), ["RUN|<<EOF", "ENV|A=1"]);
    }
}
