//! What files that are not read may start: who says that nobody sets a variable has to have seen all who might.

use crate::facts::{FileId, Place, Span};
use crate::findings::{Finding, Related, RelativeTime, Severity};
use crate::program::Program;
use crate::sources::{Language, Source, file_name_of};

/// Makes notes of what is missing in programs that such a file names, and shows where it does.
pub fn soften_where_unread(findings: &mut [Finding], program: &Program<'_>) {
    let files = program.sources.files.iter().enumerate();
    let unread: Vec<(FileId, &Source)> = files
        .filter(|(_, source)| is_unread(source))
        .map(|(file, source)| (FileId(file as u32), source))
        .collect();
    if unread.is_empty() {
        return;
    }
    for finding in findings.iter_mut().filter(|finding| finding.rule.starts_with("missing-")) {
        let programs = match finding.programs.as_slice() {
            [] => &[finding.place.file],
            programs => programs,
        };
        let named = programs.iter().map(|&file| {
            let name = program.name_of(file);
            unread.iter().find_map(|(launcher, source)| {
                mention(&source.text, name).map(|span| Place { file: *launcher, span })
            })
        });
        let Some(places) = named.collect::<Option<Vec<Place>>>() else { continue };
        let Some(&place) = places.first() else { continue };
        finding.severity = Severity::Note;
        finding.related.push(Related {
            place,
            message: "this names the program, in a file that is not read: it may set what is missing"
                .to_owned(),
            moment: RelativeTime::Unordered,
        });
    }
}

/// Whether a file may start programs in ways that nobody follows.
fn is_unread(source: &Source) -> bool {
    let name = file_name_of(&source.name);
    // Of csh and fish what stands in loops and behind conditions is left out.
    source.language == Language::Unread
        || name == "noxfile.py"
        || name.ends_with("csh")
        || name.ends_with(".fish")
}

/// Where a text names a file of the project: by a path that ends as that of the file does, or as a module.
fn mention(text: &str, name: &str) -> Option<Span> {
    let last = file_name_of(name);
    let dotted = name.strip_suffix(".py").map(|stem| stem.replace('/', "."));
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./\\".contains(&byte);
    let word_at = |at: usize, length: usize| {
        let bytes = text.as_bytes();
        let start = bytes[..at].iter().rposition(|&byte| !is_path(byte)).map_or(0, |before| before + 1);
        let ends = bytes.get(at + length).is_none_or(|&byte| !is_path(byte));
        ends.then_some((start, at + length))
    };
    let by_path = memchr::memmem::find_iter(text.as_bytes(), last.as_bytes()).find_map(|at| {
        let (start, end) = word_at(at, last.len())?;
        let path = text[start..end].replace('\\', "/");
        let path = path.trim_start_matches("./").trim_start_matches('/');
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        (ends(name, path) || ends(path, name)).then(|| Span::new(start, end))
    });
    let by_module = || {
        let dotted = dotted.as_deref().filter(|dotted| dotted.contains('.'))?;
        let at = memchr::memmem::find(text.as_bytes(), dotted.as_bytes())?;
        let (start, end) = word_at(at, dotted.len())?;
        (start == at).then(|| Span::new(start, end))
    };
    by_path.or_else(by_module)
}

#[cfg(test)]
mod tests {
    use super::mention;

    #[test]
    fn a_file_is_named_by_the_end_of_its_path_or_as_a_module() {
        let names = |text: &str, name: &str| mention(text, name).is_some();
        assert!(names("python train.py", "train.py") && names("python src/train.py", "train.py"));
        assert!(
            names("run /opt/app/src/train.py --fast", "src/train.py") && names("./train.py;", "src/train.py")
        );
        assert!(names("python -m app.train", "app/train.py"));
        assert!(!names("python retrain.py", "train.py") && !names("python train.pyc", "train.py"));
        assert!(
            !names("python other/train.py", "src/train.py")
                && !names("python -m myapp.train", "app/train.py")
        );
    }
}
