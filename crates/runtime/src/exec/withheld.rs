//! What a command does not inherit: the files through which a step of GitHub Actions tells its outcome and prepares later
//! steps, and the keys of its services. A program under test that had them could write its own verdict.

use std::env;
use std::ffi::OsString;

/// Files that the runner reads when a step has ended.
const FILES: [&str; 5] =
    ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];
/// Addresses and tokens of the services of a job.
const SERVICES: &str = "ACTIONS_";

/// The variables of this process that a command is started without, and those of them that it gets because they are in `kept`.
pub(crate) struct WithheldVariables {
    pub names: Vec<OsString>,
    pub kept: Vec<String>,
}

impl WithheldVariables {
    pub(crate) fn of_process(kept: &[String]) -> WithheldVariables {
        WithheldVariables::of(env::vars_os().map(|(name, _)| name), kept)
    }

    fn of(variables: impl Iterator<Item = OsString>, wanted: &[String]) -> WithheldVariables {
        let mut told = WithheldVariables { names: Vec::new(), kept: Vec::new() };
        for name in variables.filter(|name| belongs_to_the_job(&name.to_string_lossy())) {
            let text = name.to_string_lossy();
            match wanted.iter().any(|wanted| is_same(wanted, &text)) {
                true => told.kept.push(text.into_owned()),
                false => told.names.push(name),
            }
        }
        told.names.sort();
        told.kept.sort();
        told
    }
}

/// On Windows a variable is found by its name in capitals as well as in small letters.
fn belongs_to_the_job(name: &str) -> bool {
    let name = if cfg!(windows) { name.to_uppercase() } else { name.to_owned() };
    name.starts_with(SERVICES) || FILES.contains(&name.as_str())
}

fn is_same(one: &str, other: &str) -> bool {
    if cfg!(windows) { one.eq_ignore_ascii_case(other) } else { one == other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_the_job() {
        let names =
            ["PATH", "GITHUB_OUTPUT", "GITHUB_SHA", "ACTIONS_RUNTIME_TOKEN", "GITHUB_ENV", "MY_ACTIONS_"];
        let told = WithheldVariables::of(
            names.iter().map(OsString::from),
            &["GITHUB_ENV".to_owned(), "ABSENT".to_owned()],
        );
        assert_eq!(told.names, ["ACTIONS_RUNTIME_TOKEN", "GITHUB_OUTPUT"]);
        assert_eq!(told.kept, ["GITHUB_ENV"]);
    }
}
