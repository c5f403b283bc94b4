//! Keys of a file of settings that choose a device, and flags that do, in programs whose code never says their names.

use crate::code::{Expr, ExprKind};
use crate::facts::{FileId, Place, Span, is_whole_name};
use crate::findings::Severity;
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;

/// Keys by which people choose a GPU, in lower case.
const KEYS: &[&str] =
    &["cuda_device", "device", "device_id", "gpu", "gpu_id", "gpu_ids", "gpus", "use_cuda", "use_gpu"];

/// What reads a file of settings.
const READERS: &[&str] = &[
    "safe_load",
    "yaml.load",
    "full_load",
    "json.load",
    "tomllib.load",
    "toml.load",
    "tomli.load",
    "OmegaConf.load",
];

/// Words that hand on settings without their names.
const WHOLE: &[&str] = &[
    ".items()",
    ".values()",
    "setattr(",
    "getattr(",
    "vars(",
    "__dict__",
    "__getattr__",
    "from_dict",
    "instantiate(",
    "parse_obj",
    "model_validate",
    "update(",
    "**",
    "hydra",
    "merge(",
];

/// Words of files in which a GPU may be used.
const USING: &[&str] = &["cuda", "torch", "transformers", "tensorflow", "jax", "cupy"];

/// Of projects with more files of Python nobody tells what reads a setting.
const MOST: usize = 60;

/// `device: cpu` in a file that a program reads as data, where no code says `device`.
pub(super) fn that_no_code_names(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let Some(contents) = &scope.code.contents else { return Vec::new() };
    let mut keys: Vec<(Span, &str)> = Vec::new();
    collect(contents, &mut keys, 0);
    if keys.is_empty() {
        return Vec::new();
    }
    let own = file_name_of(scope.program.name_of(scope.file));
    let files: Vec<(FileId, &str)> = scope
        .program
        .every_file()
        .filter(|(file, source)| *file != scope.file && !is_data(&source.name))
        .map(|(file, source)| (file, source.text.as_str()))
        .collect();
    let is_python = |file: FileId| {
        let name = scope.program.name_of(file);
        name.ends_with(".py") || name.ends_with(".ipynb")
    };
    let code: Vec<(FileId, &str)> = files.iter().copied().filter(|(file, _)| is_python(*file)).collect();
    let reads = |text: &str| text.contains(own) && READERS.iter().any(|reader| text.contains(reader));
    let Some((reader, text)) = code.iter().find(|(_, text)| reads(text)) else { return Vec::new() };
    let says = |words: &[&str]| code.iter().any(|(_, text)| words.iter().any(|word| text.contains(word)));
    // Another file that names it may be a launcher or a template that reads it in its own way.
    if code.len() > MOST || says(WHOLE) || !says(USING) {
        return Vec::new();
    }
    let Some(at) = text.find(own) else { return Vec::new() };
    let place = Place { file: *reader, span: Span::new(at, at + own.len()) };
    let is_unread = |(_, key): &&(Span, &str)| files.iter().all(|(_, text)| !has_word(text, key));
    let found = keys.iter().filter(is_unread).map(|(span, key)| {
        let found = RawFinding::at(scope.place(*span)).word("what", format!("the setting `{key}`"));
        let found = found.word("says", super::unused_choices::WHICH).word("fate", "no code names it");
        found.beside(place, "the file is read here").at_most(Severity::Note)
    });
    found.collect()
}

/// Files that hold settings or prose, and read none.
fn is_data(name: &str) -> bool {
    [".md", ".rst", ".txt", ".json", ".yaml", ".yml", ".toml", ".lock"].iter().any(|end| name.ends_with(end))
}

/// The keys of a dictionary and of those in it, whose values are a text or a number.
fn collect<'c>(held: &'c Expr<'_>, keys: &mut Vec<(Span, &'c str)>, depth: usize) {
    let ExprKind::Mapping(pairs) = &held.kind else { return };
    for (key, value) in pairs {
        let Some(Expr { span, kind: ExprKind::Text(key) }) = key else { continue };
        let is_choice = match &value.kind {
            ExprKind::Text(text) => !text.contains(' '),
            ExprKind::Int(_) => true,
            // `use_gpu: true`
            ExprKind::Unknown(_) => key.to_ascii_lowercase().starts_with("use_"),
            _ => false,
        };
        if is_choice && KEYS.contains(&key.to_ascii_lowercase().as_str()) {
            keys.push((*span, key));
        } else if depth < 5 {
            collect(value, keys, depth + 1);
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| is_whole_name(text, at, at + word.len()))
}

/// `flags.DEFINE_integer("cuda_device", 1, "…")` of absl, in a project that never says `FLAGS.cuda_device`.
pub(super) fn unread_flags(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let text = scope.whole_text();
    if !text.contains("DEFINE_")
        || ["flag_values_dict", "flags_into_string", "key_flags"].iter().any(|all| text.contains(all))
    {
        return Vec::new();
    }
    let mut defined: Vec<(Span, Span, &str)> = Vec::new();
    // Who names all flags at once hands them on.
    let mut handed = false;
    scope.each_call(&mut |expr, call, _| {
        handed |= call
            .arguments
            .iter()
            .any(|one| scope.names.path(&one.value).is_some_and(|path| path.ends_with("flags.FLAGS")));
        let is_definition = scope.names.path(&call.callee).is_some_and(|path| path.contains("flags.DEFINE_"));
        let Some(first) = call.arguments.first().filter(|one| is_definition && one.name.is_none()) else {
            return;
        };
        if let ExprKind::Text(name) = &first.value.kind
            && KEYS.contains(&name.as_ref())
        {
            defined.push((expr.span, first.value.span, name));
        }
    });
    let is_read = |name: &str| {
        let own = text.match_indices(name).filter(|(at, _)| {
            let before = text[..*at].trim_end_matches(['"', '\'', '[']);
            before.ends_with("FLAGS.")
                || before.ends_with("FLAGS")
                || before.ends_with("flags.")
                || before.ends_with('.')
        });
        own.count() > 0 || scope.is_named_elsewhere(name)
    };
    // `_DEVICE = flags.DEFINE_string("device", …)` is read under that name.
    let is_kept = |definition: Span| {
        let start = text[..definition.start as usize].rfind('\n').map_or(0, |at| at + 1);
        text[start..definition.start as usize].contains('=')
    };
    let open =
        defined.iter().filter(|(definition, _, name)| !handed && !is_kept(*definition) && !is_read(name));
    let found = open.map(|(definition, _, name)| {
        let found = RawFinding::at(scope.place(*definition)).word("what", format!("the flag `--{name}`"));
        found.word("says", super::unused_choices::WHICH).word("fate", super::unused_choices::UNREAD)
    });
    found.collect()
}
