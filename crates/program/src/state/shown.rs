//! What `os.environ` shows of a variable where that is not what the process holds: `os.putenv` and `os.unsetenv` change the
//! environment of the process alone, which the driver and child processes read. What is shown is kept as a variable of its
//! own, as long as it was set apart.

use super::State;

/// Stands before the name of a variable.
const SHOWN: &str = "os.environ: ";

/// The name under which a state keeps what `os.environ` shows of a variable.
pub(crate) fn name_of_shown(variable: &str) -> String {
    format!("{SHOWN}{variable}")
}

/// The variable that the process holds under the name of what is shown of it.
pub fn held(name: &str) -> Option<&str> {
    name.strip_prefix(SHOWN)
}

impl State {
    /// Whether what `os.environ` shows of a variable is kept apart.
    pub fn shows_apart(&self, variable: &str) -> bool {
        self.environment.iter().any(|(name, _)| held(name) == Some(variable))
    }

    /// Whether that is so for any variable.
    pub fn shows_any_apart(&self) -> bool {
        self.environment.iter().any(|(name, _)| held(name).is_some())
    }

    /// The name under which it is kept what `os.environ` shows of a variable, mostly that of the variable.
    pub fn as_shown(&self, variable: &str) -> String {
        if self.shows_apart(variable) { name_of_shown(variable) } else { variable.to_owned() }
    }
}
