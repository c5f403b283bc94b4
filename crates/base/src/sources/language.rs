//! Which language a file is in, by its name or its first line.

use std::path::Path;

/// The language of a file, which decides the front-end that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Python,
    Notebook,
    Markdown,
    Rust,
    Shell,
    PowerShell,
    Batch,
    Dotenv,
    Dockerfile,
    Makefile,
    Yaml,
    Toml,
    Json,
    Ini,
    Requirements,
    /// A list of commands for a runner of its own: a justfile, a Procfile, a crontab.
    Launcher,
    /// It may start programs, and is not read: a script of fish, a Snakefile.
    Unread,
    /// Machine code that numba keeps for the next start. It is not read; that it is there says enough.
    Cache,
}

/// All languages, by the names that rules give them.
const NAMES: &[(&str, Language)] = &[
    ("python", Language::Python),
    ("notebook", Language::Notebook),
    ("markdown", Language::Markdown),
    ("rust", Language::Rust),
    ("shell", Language::Shell),
    ("powershell", Language::PowerShell),
    ("batch", Language::Batch),
    ("dotenv", Language::Dotenv),
    ("dockerfile", Language::Dockerfile),
    ("makefile", Language::Makefile),
    ("yaml", Language::Yaml),
    ("toml", Language::Toml),
    ("json", Language::Json),
    ("ini", Language::Ini),
    ("requirements", Language::Requirements),
    ("launcher", Language::Launcher),
    ("cache", Language::Cache),
    ("unread", Language::Unread),
];

/// Endings of names, in lower case.
const ENDINGS: &[(&str, Language)] = &[
    ("py", Language::Python),
    ("pyw", Language::Python),
    ("ipynb", Language::Notebook),
    ("md", Language::Markdown),
    ("markdown", Language::Markdown),
    ("rs", Language::Rust),
    ("sh", Language::Shell),
    ("bash", Language::Shell),
    ("zsh", Language::Shell),
    ("ksh", Language::Shell),
    ("sbatch", Language::Shell),
    ("slurm", Language::Shell),
    ("pbs", Language::Shell),
    ("lsf", Language::Shell),
    ("sge", Language::Shell),
    ("qsub", Language::Shell),
    ("bsub", Language::Shell),
    ("ps1", Language::PowerShell),
    ("psm1", Language::PowerShell),
    ("bat", Language::Batch),
    ("cmd", Language::Batch),
    ("env", Language::Dotenv),
    ("dockerfile", Language::Dockerfile),
    ("containerfile", Language::Dockerfile),
    ("mk", Language::Makefile),
    ("mak", Language::Makefile),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("toml", Language::Toml),
    ("json", Language::Json),
    ("jsonc", Language::Json),
    ("ini", Language::Ini),
    ("cfg", Language::Ini),
    ("service", Language::Ini),
    ("just", Language::Launcher),
    ("cron", Language::Launcher),
    ("crontab", Language::Launcher),
    ("fish", Language::Launcher),
    ("csh", Language::Launcher),
    ("tcsh", Language::Launcher),
    ("nu", Language::Unread),
    ("smk", Language::Unread),
    ("nf", Language::Unread),
    ("nomad", Language::Unread),
    ("nbc", Language::Cache),
    ("nbi", Language::Cache),
];

impl Language {
    /// The language that a file's name says, if it says one.
    pub fn of_name(path: &Path) -> Option<Language> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        match name.as_str() {
            "makefile" | "gnumakefile" => return Some(Language::Makefile),
            "setup.cfg" => return Some(Language::Ini),
            "justfile" | ".justfile" | "procfile" | "crontab" => return Some(Language::Launcher),
            "snakefile" | "jenkinsfile" | "earthfile" => return Some(Language::Unread),
            "supervisord.conf" | "supervisor.conf" => return Some(Language::Ini),
            // `ollama.service.d/override.conf` adds to a unit of systemd.
            _ if name.ends_with(".conf") && is_drop_in(path) => return Some(Language::Ini),
            "pipfile" => return Some(Language::Toml),
            // The policy itself chooses nothing, and old findings only tell of code.
            "gpulint.yaml" | "gpulint.yml" | "gpulint-baseline.json" => return None,
            ".bashrc" | ".bash_profile" | ".zshrc" | ".zshenv" | ".profile" | ".envrc" => {
                return Some(Language::Shell);
            }
            _ => {}
        }
        for (stem, language) in [
            ("dockerfile", Language::Dockerfile),
            ("containerfile", Language::Dockerfile),
            ("procfile", Language::Launcher),
            (".env", Language::Dotenv),
        ] {
            // `Dockerfile.gpu`, `.env.local`; and `Dockerfile.md` is about one.
            if let Some(rest) = name.strip_prefix(stem)
                && (rest.is_empty()
                    || (rest.starts_with(['.', '-', '_']) && !has_other_ending(rest, language)))
            {
                return Some(language);
            }
        }
        let (stem, ending) = name.rsplit_once('.')?;
        if matches!(ending, "txt" | "in") && lists_requirements(path, stem) {
            return Some(Language::Requirements);
        }
        ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, language)| *language)
    }

    /// The language that a first line such as `#!/usr/bin/env bash` says.
    pub fn of_shebang(bytes: &[u8]) -> Option<Language> {
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if !line.starts_with(b"#!") {
            return None;
        }
        let says = |word: &[u8]| memchr::memmem::find(line, word).is_some();
        let language = if says(b"python") {
            Language::Python
        } else if says(b"pwsh") || says(b"powershell") {
            Language::PowerShell
        } else if says(b"sh") && !says(b"fish") && !says(b"csh") {
            Language::Shell
        } else {
            return None;
        };
        Some(language)
    }

    /// The name that rules give it.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, language)| *language == self).map_or("", |(name, _)| name)
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Language> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, language)| *language)
    }

    /// The names of all languages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        // Nothing is found in what is not read.
        NAMES.iter().filter(|(_, language)| *language != Language::Unread).map(|(name, _)| *name)
    }

    /// Whether files of this language are data or prose of any kind, most of which has nothing to do with GPUs.
    pub fn is_data(self) -> bool {
        matches!(
            self,
            Language::Yaml
                | Language::Toml
                | Language::Json
                | Language::Ini
                | Language::Markdown
                | Language::Requirements
        )
    }

    /// Whether files of this language are programs, and not settings that others load.
    pub fn has_programs(self) -> bool {
        !self.is_data() && !matches!(self, Language::Dotenv | Language::Cache | Language::Unread)
    }
}

/// `requirements-dev.txt`, `gpu-requirements.in`, `constraints.txt`, `requirements/base.txt`
fn lists_requirements(path: &Path, stem: &str) -> bool {
    let in_folder = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "requirements");
    let is_named = |word: &str| {
        let apart = |rest: &str, at_start: bool| {
            let edge = if at_start { rest.chars().next() } else { rest.chars().next_back() };
            edge.is_none_or(|edge| matches!(edge, '-' | '_' | '.'))
        };
        stem.strip_prefix(word).is_some_and(|rest| apart(rest, true))
            || stem.strip_suffix(word).is_some_and(|rest| apart(rest, false))
    };
    in_folder || ["requirements", "requirement", "constraints"].into_iter().any(is_named)
}

fn has_other_ending(rest: &str, language: Language) -> bool {
    let ending = rest.rsplit('.').next().unwrap_or_default();
    ENDINGS.iter().any(|(known, other)| *known == ending && *other != language)
}

/// Whether a hidden file or folder may choose a GPU all the same.
pub fn is_known_hidden(name: &str) -> bool {
    matches!(name, ".github" | ".gitlab-ci.yml" | ".vscode" | ".devcontainer" | ".circleci" | ".envrc")
        || matches!(name, ".azure" | ".azure-pipelines" | ".azuredevops" | ".buildkite")
        || matches!(name, ".devcontainer.json" | ".pytest.ini" | ".pytest.toml" | ".env")
        || name.starts_with(".env.")
        || name.ends_with(".env")
}

fn is_drop_in(path: &Path) -> bool {
    path.parent()
        .and_then(Path::file_name)
        .is_some_and(|folder| folder.to_string_lossy().ends_with(".service.d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_language() {
        let says = |name: &str| Language::of_name(Path::new(name));
        assert_eq!(says("a/b.py"), Some(Language::Python));
        assert_eq!(says("RUN.SH"), Some(Language::Shell));
        assert_eq!(says("Dockerfile"), Some(Language::Dockerfile));
        assert_eq!(says("Dockerfile.gpu"), Some(Language::Dockerfile));
        assert_eq!(says("gpu.dockerfile"), Some(Language::Dockerfile));
        assert_eq!(says("Dockerfile.md"), Some(Language::Markdown));
        assert_eq!(says(".env"), Some(Language::Dotenv));
        assert_eq!(says(".env.local"), Some(Language::Dotenv));
        assert_eq!(says(".envrc"), Some(Language::Shell));
        assert_eq!(says("gpu.env"), Some(Language::Dotenv));
        assert_eq!(says("environment.yml"), Some(Language::Yaml));
        assert_eq!(says("Makefile"), Some(Language::Makefile));
        assert_eq!(says("requirements.txt"), Some(Language::Requirements));
        assert_eq!(says("requirements-cu118.txt"), Some(Language::Requirements));
        assert_eq!(says("dev_requirements.in"), Some(Language::Requirements));
        assert_eq!(says("requirements/gpu.txt"), Some(Language::Requirements));
        assert_eq!(says("constraints.txt"), Some(Language::Requirements));
        assert_eq!(says("Pipfile"), Some(Language::Toml));
        assert_eq!(says("requirementsanalysis.txt"), None);
        assert_eq!(says("notes.txt"), None);
        assert_eq!(says("train"), None);
        assert_eq!(says("a.pyi"), None);
    }

    #[test]
    fn first_lines_say_the_language() {
        let says = |line: &str| Language::of_shebang(line.as_bytes());
        assert_eq!(says("#!/usr/bin/env python3\nx"), Some(Language::Python));
        assert_eq!(says("#!/bin/bash -e\n"), Some(Language::Shell));
        assert_eq!(says("#!/usr/bin/fish\n"), None);
        assert_eq!(says("# bash\n"), None);
    }

    #[test]
    fn each_language_has_a_name() {
        for (_, language) in ENDINGS {
            assert_eq!(Language::named(language.name()), Some(*language));
        }
        assert_eq!(Language::Requirements.name(), "requirements");
    }
}
