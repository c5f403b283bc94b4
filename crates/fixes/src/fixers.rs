//! Who makes the edits of each fix. A rule names one by `fix: {by: …}`; each lies in a file of its own below this one.

mod amp;
mod arguments;
mod chosen;
mod clean_up;
mod default_arguments;
mod devices;
mod environ;
mod environment;
mod exports;
mod fixtures;
mod forks;
mod import_guards;
mod imports;
mod kept_answers;
mod launchers;
mod lazy_words;
mod masks;
mod memory;
mod misspelt;
mod ranks;
mod renamed;
mod spellings;
mod subshells;
mod suppressions;
mod test_clean_up;
mod tf32;
mod validation;
mod values;
mod variables;
mod written;

use super::Refusal;
use super::site::{Draft, Site};

/// A fixer: the finding it is given is one of a rule that names it.
struct Fixer {
    /// What rules call it.
    name: &'static str,
    make: fn(&Site<'_>) -> Result<Draft, Refusal>,
}

/// All of them, by name.
const FIXERS: &[Fixer] = &[
    Fixer { name: "amp-with-device", make: amp::renamed },
    Fixer { name: "asked-inside", make: default_arguments::asked_inside },
    Fixer { name: "asks-the-library", make: import_guards::asks_the_library },
    Fixer { name: "cache-emptied-last", make: clean_up::emptied_last },
    Fixer { name: "called", make: written::called },
    Fixer { name: "card-of-rank", make: ranks::device_made_current },
    Fixer { name: "clean-up-in-finally", make: clean_up::in_finally },
    Fixer { name: "comment-removed", make: suppressions::removed },
    Fixer { name: "device-allowed", make: devices::allowed },
    Fixer { name: "device-as-taken", make: arguments::in_its_form },
    Fixer { name: "device-chosen", make: chosen::moved },
    Fixer { name: "device-inside-mask", make: devices::inside_mask },
    Fixer { name: "device-meant", make: misspelt::device },
    Fixer { name: "device-order-value", make: spellings::order },
    Fixer { name: "environ-for-copy", make: environ::instead_of_copy },
    Fixer { name: "environ-for-name", make: values::environ_item },
    Fixer { name: "environ-for-putenv", make: environ::instead_of_putenv },
    Fixer { name: "environ-for-shell", make: subshells::environ_instead },
    Fixer { name: "environ-updated", make: environ::updated },
    Fixer { name: "environment-block", make: environment::block },
    Fixer { name: "exception-let-through", make: clean_up::let_through },
    Fixer { name: "exported", make: exports::exported },
    Fixer { name: "fallback-in-time", make: variables::fallback },
    Fixer { name: "fixture-that-releases", make: fixtures::released },
    Fixer { name: "import-later", make: imports::later },
    Fixer { name: "kept-answer", make: kept_answers::kept_answer },
    Fixer { name: "known-variable", make: spellings::known_name },
    Fixer { name: "lazy-dropped", make: lazy_words::dropped },
    Fixer { name: "loaded-to-device", make: chosen::loaded },
    Fixer { name: "meant-mask", make: spellings::meant_mask },
    Fixer { name: "memory-in-use", make: memory::allocated },
    Fixer { name: "memory-names", make: renamed::memory },
    Fixer { name: "non-blocking", make: written::non_blocking },
    Fixer { name: "number-only", make: memory::number_only },
    Fixer { name: "order-beside-mask", make: environment::order },
    Fixer { name: "pin-moved-up", make: environment::moved_up },
    Fixer { name: "policy-mask", make: spellings::policy_mask },
    Fixer { name: "setdefault", make: environ::setdefault },
    Fixer { name: "spawned", make: forks::spawned },
    Fixer { name: "test-clean-up", make: test_clean_up::by_policy },
    Fixer { name: "text-value", make: values::text },
    Fixer { name: "tf32-switch", make: tf32::today },
    Fixer { name: "validator-called", make: validation::called },
    Fixer { name: "variable-that-is-read", make: variables::renamed },
    Fixer { name: "without-gradients", make: memory::without_gradients },
];

/// What the fixer with this name proposes.
pub fn make(name: &str, site: &Site<'_>) -> Result<Draft, Refusal> {
    let fixer = FIXERS.iter().find(|fixer| fixer.name == name);
    fixer.map_or_else(|| Err(format!("there is no fixer `{name}`")), |fixer| (fixer.make)(site))
}

#[cfg(test)]
mod tests {
    use super::FIXERS;

    /// A rule may name those that there are, and no others.
    #[test]
    fn rules_know_all_fixers() {
        let names: Vec<&str> = FIXERS.iter().map(|fixer| fixer.name).collect();
        assert_eq!(names, crate::rules::FIXERS);
    }
}
