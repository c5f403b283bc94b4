//! Files in which nothing is changed: somebody is in the middle of merging them, or they are not of the project.

use crate::sources::{Source, Sources};

/// Why nothing may be changed in a file, in one clause; `None` when it may.
pub fn reason_against(source: &Source, sources: &Sources) -> Option<String> {
    if has_conflicts(&source.text) {
        return Some("the file has marks of a merge that is not finished".to_owned());
    }
    let path = source.path.as_ref()?;
    let is_inside = sources.beside.real(path).starts_with(sources.beside.real(&sources.root));
    (!is_inside).then(|| "the file lies outside of the project".to_owned())
}

/// Whether a text has all three marks that git leaves, each at the start of a line.
fn has_conflicts(text: &str) -> bool {
    if memchr::memmem::find(text.as_bytes(), b"<<<<<<< ").is_none() {
        return false;
    }
    let has = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    has("<<<<<<< ") && text.lines().any(|line| line == "=======") && has(">>>>>>> ")
}

#[cfg(test)]
mod tests {
    use super::has_conflicts;

    #[test]
    fn all_three_marks_are_needed() {
        assert!(has_conflicts("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n"));
        assert!(!has_conflicts("title\n=======\n"));
        assert!(!has_conflicts("print('<<<<<<< x')\n=======\n>>>>>>> y\n"));
    }
}
