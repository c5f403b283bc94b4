//! Unified diffs: of files, as programs apply them, and of the cells of a notebook, for people.

use crate::sources::Source;
use similar::TextDiff;

/// The diff of a file, as `git apply` and `patch -p1` read it.
pub fn patch(name: &str, old: &str, new: &str) -> String {
    diff(&header("a/", name), &header("b/", name), old, new)
}

/// The diffs of the cells that change, each with the number of its cell; `None` for what is no notebook.
pub fn of_cells(old: &Source, new: &Source) -> Option<String> {
    let was = old.cells.as_ref()?.as_ref().ok()?;
    let is = new.cells.as_ref()?.as_ref().ok()?;
    let pairs = was.iter().zip(is.iter());
    let changed = pairs.map(|(was, is)| {
        let name = format!("{}:cell {}", old.name, was.number);
        let (was, is) = (&old.text[was.range.clone()], &new.text[is.range.clone()]);
        diff(&format!("a/{name}"), &format!("b/{name}"), was, is)
    });
    Some(changed.collect())
}

fn diff(from: &str, to: &str, old: &str, new: &str) -> String {
    /// Lines around a change that are shown.
    const CONTEXT: usize = 3;
    // A lone carriage return ends no line for those who apply it.
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let compared = TextDiff::from_slices(&old, &new);
    let mut text = String::new();
    for hunk in compared.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if text.is_empty() {
            text = format!("--- {from}\n+++ {to}\n");
        }
        text.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            text.push_str(&format!("{}{}", change.tag(), change.value()));
            if !change.value().ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// A name as it stands in the head of a diff: in quotes where it has characters that would end it.
fn header(side: &str, name: &str) -> String {
    let is_plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    if !name.chars().all(is_plain) {
        let mut quoted = String::from("\"");
        quoted.push_str(side);
        for c in name.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                '\n' => quoted.push_str("\\n"),
                '\t' => quoted.push_str("\\t"),
                c if c.is_ascii_control() => quoted.push_str(&format!("\\{:03o}", c as u32)),
                c => quoted.push(c),
            }
        }
        return quoted + "\"";
    }
    // Without the tab behind it a name would end at its first blank.
    let tab = if name.contains(' ') { "\t" } else { "" };
    format!("{side}{name}{tab}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_patch_is_a_line() {
        let text = patch("a b.py", "x\r\ny\rz\nlast\r", "x\r\ny\rZ\nlast\r");
        let expected = "--- a/a b.py\t\n+++ b/a b.py\t\n@@ -1,3 +1,3 @@\n x\r\n-y\rz\n+y\rZ\n last\r\n\\ No newline at end of file\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn names_that_cannot_stand_alone_are_quoted() {
        assert_eq!(header("a/", "x.py"), "a/x.py");
        assert_eq!(header("b/", "ü\t\"\x1b.py"), "\"b/ü\\t\\\"\\033.py\"");
    }
}
