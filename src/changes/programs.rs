//! Programs that the settings of a repository name, which git would start when it compares files. A repository may come
//! from anybody, so what its own settings name is not started; what the user's settings name is the user's.

use std::collections::BTreeMap;

/// Settings that name a program by themselves.
const WHOLE: &[&str] = &["core.sshcommand", "core.gitproxy", "core.askpass", "credential.helper"];

/// `name=value` for `git -c`: each program of the repository is taken out, and where the user's own settings name another,
/// that one holds. `listed` is what `git config --list --show-scope -z` prints.
pub fn taken_out(listed: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(listed);
    let mut fields = text.split('\0');
    let mut taken: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut of_user: BTreeMap<String, String> = BTreeMap::new();
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (name, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        let Some(harmless) = harmless(name) else { continue };
        match scope {
            "local" | "worktree" => drop(taken.insert(name.to_owned(), harmless.map(str::to_owned))),
            _ => drop(of_user.insert(name.to_owned(), value.to_owned())),
        }
    }
    let own = |(name, harmless): (String, Option<String>)| {
        let value = of_user.get(&name).cloned().or(harmless).unwrap_or_default();
        format!("{name}={value}")
    };
    taken.into_iter().map(own).collect()
}

/// What stands in the place of a setting that names a program: nothing, or git's own. `None` for any other setting.
fn harmless(name: &str) -> Option<Option<&'static str>> {
    if WHOLE.contains(&name) {
        return Some(if name == "core.sshcommand" { Some("ssh") } else { None });
    }
    let (section, rest) = name.split_once('.')?;
    let (_, key) = rest.rsplit_once('.')?;
    match (section, key) {
        ("filter", "clean" | "smudge" | "process") => Some(None),
        // Otherwise git gives up where a filter does not run.
        ("filter", "required") => Some(Some("false")),
        ("diff", "command" | "textconv") => Some(None),
        ("remote", "uploadpack") => Some(Some("git-upload-pack")),
        ("remote", "vcs") => Some(None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::taken_out;

    #[test]
    fn what_the_repository_names_is_taken_out_and_what_the_user_names_stays() {
        let settings = [
            ("global", "filter.lfs.process\ngit-lfs filter-process"),
            ("global", "core.sshcommand\nssh -i key"),
            ("local", "filter.lfs.process\nevil"),
            ("local", "filter.a.b.clean\nevil"),
            ("local", "filter.a.b.required"),
            ("worktree", "core.sshcommand\nevil"),
            ("local", "remote.origin.uploadpack\nevil"),
            ("local", "remote.origin.url\nhttps://example.invalid"),
            ("local", "user.name\nn"),
        ];
        let listed: String =
            settings.iter().map(|(scope, setting)| format!("{scope}\0{setting}\0")).collect();
        assert_eq!(
            taken_out(listed.as_bytes()),
            [
                "core.sshcommand=ssh -i key",
                "filter.a.b.clean=",
                "filter.a.b.required=false",
                "filter.lfs.process=git-lfs filter-process",
                "remote.origin.uploadpack=git-upload-pack",
            ]
        );
        assert_eq!(taken_out(b""), [""; 0]);
    }
}
