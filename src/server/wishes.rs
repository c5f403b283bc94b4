//! What the editor's own settings say, in its `initializationOptions` or under `gpulint` in its configuration: the options of
//! the command line under the names that settings have. What they say counts more than the command line.

use super::Options;
use crate::findings::Severity;
use crate::policy::Mode;
use serde_json::Value;

/// What to show beside findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownHints {
    /// Behind the first use of a GPU, the card that the program takes.
    pub cards: bool,
}

impl Default for ShownHints {
    fn default() -> Self {
        ShownHints { cards: true }
    }
}

/// The options with what settings say, and for each setting that cannot be used why, in a sentence.
pub fn with(options: &Options, settings: &Value) -> (Options, Vec<String>) {
    let mut options = options.clone();
    let mut wrong = Vec::new();
    let said = settings.get("gpulint").unwrap_or(settings);
    for (key, value) in said.as_object().into_iter().flatten() {
        if value.is_null() {
            continue;
        }
        if let Err(wanted) = take(&mut options, key, value) {
            wrong.push(format!("the setting gpulint.{key} is {wanted}, not {value}; it is left out"));
        }
    }
    (options, wrong)
}

/// Takes one setting; an error says what it has to be. A setting of the editor's side, such as the path of the program, is not ours.
fn take(options: &mut Options, key: &str, value: &Value) -> Result<(), &'static str> {
    const LIST: &str = "a list of texts";
    let list = || match value {
        Value::String(text) => Ok(text.split(',').map(|one| one.trim().to_owned()).collect()),
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or(LIST)).collect()
        }
        _ => Err(LIST),
    };
    let flag = || value.as_bool().ok_or("true or false");
    let request = &mut options.request;
    match key {
        "config" => {
            let said: Vec<String> = list()?;
            request.config = said.into_iter().filter(|one| !one.is_empty()).collect();
        }
        "select" => request.select = list()?,
        "ignore" => request.ignore = list()?,
        "isolated" => request.isolated = flag()?,
        "mode" => {
            request.mode = match value.as_str() {
                Some("gpu") => Some(Mode::Gpu),
                Some("cpu") => Some(Mode::Cpu),
                _ => return Err("gpu or cpu"),
            }
        }
        "minSeverity" => {
            options.min_severity = match value.as_str() {
                Some("note") => Severity::Note,
                Some("warning") => Severity::Warning,
                Some("error") => Severity::Error,
                _ => return Err("note, warning or error"),
            }
        }
        "showCards" => options.shown.cards = flag()?,
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Request;
    use serde_json::json;
    use std::time::Duration;

    fn options() -> Options {
        Options {
            request: Request { select: vec!["strict".into()], ..Request::default() },
            min_severity: Severity::Note,
            delay: Duration::ZERO,
            shown: ShownHints::default(),
        }
    }

    #[test]
    fn settings_count_more_than_the_command_line() {
        let said = json!({"gpulint": {"select": ["pinning"], "ignore": "memory, devices", "mode": "cpu", "minSeverity": "error",
                                      "config": null, "showCards": false, "path": "/opt/gpulint"}});
        let (options, wrong) = with(&options(), &said);
        assert_eq!(wrong, [""; 0]);
        assert_eq!(options.request.select, ["pinning"]);
        assert_eq!(options.request.ignore, ["memory", "devices"]);
        assert_eq!((options.request.mode, options.min_severity), (Some(Mode::Cpu), Severity::Error));
        assert!(!options.shown.cards && !options.request.isolated);
    }

    #[test]
    fn what_cannot_be_used_is_left_out() {
        let (options, wrong) = with(&options(), &json!({"select": [1], "mode": "tpu", "isolated": "yes"}));
        assert_eq!(options.request.select, ["strict"]);
        assert_eq!(wrong.len(), 3);
        let select = "the setting gpulint.select is a list of texts, not [1]; it is left out";
        assert!(wrong.iter().any(|told| told == select), "{wrong:?}");
        for nothing in [json!(null), json!([]), json!({"gpulint": null}), json!("x")] {
            assert!(with(&super::tests::options(), &nothing).1.is_empty(), "{nothing}");
        }
    }
}
