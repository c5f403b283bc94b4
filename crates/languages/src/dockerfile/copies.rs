//! Files that `COPY` puts into the image under another name: `/app/entrypoint.sh` is `docker/entrypoint.sh` of the
//! project.

use crate::code::{Block, Expr, ExprKind, StatementKind};
use crate::languages::json_string;
use crate::sources::Source;

use super::instructions::Instruction;

/// Where files of the image come from.
#[derive(Default)]
pub struct Copies {
    /// The whole path in the image, and the path in the project, if it comes from there.
    files: Vec<(String, Option<String>)>,
    /// The folder that relative paths start from.
    folder: String,
}

impl Copies {
    pub fn change_folder(&mut self, path: &str) {
        self.folder = self.whole(path);
    }

    /// `COPY [--chown=…] sources… destination`
    pub fn note(&mut self, instruction: &Instruction<'_>, source: &Source) {
        let words: Vec<String> = match json_string::words(instruction.text, &instruction.origin, source) {
            Some(words) => {
                let texts = words.iter().filter_map(|word| word.literal.as_ref());
                texts.map(|literal| literal.text.to_owned()).collect()
            }
            None => instruction.text.split_whitespace().map(str::to_owned).collect(),
        };
        if words.iter().any(|word| word.contains("<<")) {
            return;
        }
        // What another stage made is no file of the project.
        let is_made = words.iter().any(|word| word.starts_with("--from"));
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
        let Some((to, from)) = words.split_last() else { return };
        for file in from {
            let name = file.rsplit('/').next().unwrap_or(file);
            // A folder keeps the names below it, which are found by their ends.
            if !name.contains('.') || name.starts_with('.') || name.contains(['*', '$']) {
                continue;
            }
            let is_folder = from.len() > 1 || to.ends_with('/') || matches!(*to, "." | "./");
            let whole = self.whole(to);
            let at = if is_folder { format!("{}/{name}", whole.trim_end_matches('/')) } else { whole };
            let file = file.trim_start_matches("./").to_owned();
            self.files.push((at, (!is_made).then_some(file)));
        }
    }

    fn whole(&self, path: &str) -> String {
        let path = path.trim_start_matches("./");
        match path {
            "" | "." => self.folder.clone(),
            path if path.starts_with('/') => path.to_owned(),
            path => format!("{}/{path}", self.folder.trim_end_matches('/')),
        }
    }

    /// Puts the files of the project in the place of those of the image.
    pub fn resolve(&self, steps: &mut Block<'_>) {
        if self.files.is_empty() {
            return;
        }
        for step in steps {
            match &mut step.kind {
                StatementKind::Command(command) => {
                    command.words.iter_mut().for_each(|word| self.resolve_word(word));
                    self.resolve(&mut command.script);
                }
                StatementKind::Source(path) => self.resolve_word(path),
                StatementKind::Apart(block) | StatementKind::Child(block) => self.resolve(block),
                _ => {}
            }
        }
    }

    fn resolve_word(&self, word: &mut Expr<'_>) {
        let ExprKind::Text(text) = &word.kind else { return };
        let whole = self.whole(text);
        // Programs on the path are called without their folder.
        let is_called = |at: &str| {
            let folder = at.strip_suffix(&format!("/{text}")).unwrap_or_default();
            ["/usr/local/bin", "/usr/bin", "/bin"].contains(&folder)
        };
        let found = self.files.iter().rev().find(|(at, _)| *at == whole || is_called(at));
        if let Some((_, file)) = found {
            word.kind = match file {
                Some(file) => ExprKind::Text(file.clone().into()),
                None => ExprKind::Unknown(Vec::new()),
            };
        }
    }
}
