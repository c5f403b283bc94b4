//! The lines of an INI file → sections with keys; a value may go on over indented lines.

use crate::facts::Span;

/// `[name]` and what stands below it.
#[derive(Debug)]
pub struct Section<'s> {
    pub name: &'s str,
    pub span: Span,
    pub keys: Vec<Key<'s>>,
}

/// `key = value`
#[derive(Debug)]
pub struct Key<'s> {
    pub name: &'s str,
    pub span: Span,
    /// The lines of the value that are not empty, with where each begins.
    pub lines: Vec<(&'s str, usize)>,
}

/// What a file consists of.
#[derive(Debug, Default)]
pub struct Ini<'s> {
    pub sections: Vec<Section<'s>>,
    pub comments: Vec<Span>,
}

impl<'s> Ini<'s> {
    pub fn section(&self, name: &str) -> Option<&Section<'s>> {
        self.sections.iter().find(|section| section.name == name)
    }
}

impl<'s> Section<'s> {
    pub fn key(&self, names: &[&str]) -> Option<&Key<'s>> {
        self.keys.iter().find(|key| names.contains(&key.name))
    }
}

/// Reads a text; lines that are nothing are passed over.
pub fn read(text: &str) -> Ini<'_> {
    let mut ini = Ini::default();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
        line(text, at, end, &mut ini);
        at = end + 1;
    }
    ini
}

fn line<'s>(text: &'s str, start: usize, end: usize, ini: &mut Ini<'s>) {
    let whole = &text[start..end];
    let lead = whole.len() - whole.trim_start().len();
    let body = whole.trim();
    let at = start + lead;
    if body.is_empty() {
        return;
    }
    if body.starts_with(['#', ';']) {
        return ini.comments.push(Span::new(at, at + body.len()));
    }
    let (body, comment) = match memchr::memmem::find(body.as_bytes(), b" #") {
        Some(found) => (body[..found].trim_end(), Some(found + 1)),
        None => (body, None),
    };
    if let Some(comment) = comment {
        ini.comments.push(Span::new(at + comment, start + whole.trim_end().len()));
    }
    if lead == 0
        && let Some(name) = body.strip_prefix('[').and_then(|rest| rest.split(']').next())
    {
        let span = Span::new(at, at + body.len());
        return ini.sections.push(Section { name: name.trim(), span, keys: Vec::new() });
    }
    let Some(section) = ini.sections.last_mut() else { return };
    if lead > 0
        && let Some(key) = section.keys.last_mut()
    {
        key.lines.push((body, at));
        return;
    }
    let Some(split) = body.find(['=', ':']) else { return };
    let name = body[..split].trim_end();
    let value = body[split + 1..].trim_start();
    let value_at = at + body.len() - value.len();
    let span = Span::new(at, at + name.len());
    let lines = if value.is_empty() { Vec::new() } else { vec![(value, value_at)] };
    section.keys.push(Key { name, span, lines });
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn values_go_on_over_indented_lines() {
        let text = "; note\n[a]\nx = 1 # why\ny =\n  two\r\n  # no\n  three\n[b]\nz: 4\n";
        let ini = read(text);
        let shown = |name: &str| {
            let section = ini.section(name).unwrap();
            section.keys.iter().flat_map(|key| key.lines.iter().map(|(line, _)| *line)).collect::<Vec<_>>()
        };
        assert_eq!(shown("a"), ["1", "two", "three"]);
        assert_eq!(shown("b"), ["4"]);
        assert_eq!(ini.comments.len(), 3);
        for key in ini.sections.iter().flat_map(|section| &section.keys) {
            for (line, at) in &key.lines {
                assert!(text[*at..].starts_with(line));
            }
        }
    }
}
