//! The lines that pin programs to one card, as each shell, Python and Docker want them.
//!
//! A card is named by its UUID, which no order and no container changes. The order is set beside it for what counts by index.

use crate::runtime::cards::Card;
use serde::Serialize;

/// Where lines are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// And every other shell of its family: sh, dash, zsh.
    Bash,
    Powershell,
    /// `cmd.exe`, at its prompt or in a batch file.
    Cmd,
    Python,
    Dockerfile,
    /// The command that starts a container; the same in all shells.
    DockerRun,
}

/// Lines for one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Export {
    pub place: Place,
    /// Without a line end behind the last.
    pub text: String,
    /// What to know before using them.
    pub note: &'static str,
}

impl Place {
    pub const ALL: [Place; 6] =
        [Place::Bash, Place::Powershell, Place::Cmd, Place::Python, Place::Dockerfile, Place::DockerRun];

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Place::Bash => "bash",
            Place::Powershell => "PowerShell",
            Place::Cmd => "cmd",
            Place::Python => "Python",
            Place::Dockerfile => "Dockerfile",
            Place::DockerRun => "docker run",
        }
    }
}

/// The variables that pin a process to a card.
pub fn variables(card: &Card) -> [(&'static str, String); 2] {
    [("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned()), ("CUDA_VISIBLE_DEVICES", card.uuid.clone())]
}

/// The lines for every place.
pub fn exports_of(card: &Card) -> Vec<Export> {
    Place::ALL.into_iter().map(|place| export(card, place)).collect()
}

/// The lines for one place.
pub fn export(card: &Card, place: Place) -> Export {
    let lines = |line: fn(&str, &str) -> String| {
        variables(card).iter().map(|(name, value)| line(name, value)).collect::<Vec<_>>().join("\n")
    };
    let (text, note) = match place {
        Place::Bash => (
            lines(|name, value| format!("export {name}={}", for_bash(value))),
            "for this shell and what it starts",
        ),
        Place::Powershell => (
            lines(|name, value| format!("$env:{name} = {}", for_powershell(value))),
            "for this session and what it starts",
        ),
        Place::Cmd => (
            lines(|name, value| format!("set \"{name}={}\"", for_cmd(value))),
            "for this window and what it starts",
        ),
        Place::Python => {
            let assigned =
                lines(|name, value| format!("os.environ[{}] = {}", for_python(name), for_python(value)));
            (format!("import os\n\n{assigned}"), "above the first import of a GPU library")
        }
        Place::Dockerfile => (
            "ENV CUDA_DEVICE_ORDER=PCI_BUS_ID".to_owned(),
            "an image runs on any machine, so the card is named where the container is started",
        ),
        Place::DockerRun => (
            format!(
                "docker run --gpus {} --env CUDA_DEVICE_ORDER=PCI_BUS_ID IMAGE",
                for_any_shell(&format!("device={}", card.uuid))
            ),
            "put the name of the image for IMAGE; inside, the card is number 0, and its UUID is the same",
        ),
    };
    Export { place, text, note }
}

/// Whether no shell sees anything in a text but the text.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'='))
}

/// In single quotes, inside which nothing means anything but a single quote.
pub fn for_bash(value: &str) -> String {
    if is_plain(value) { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

/// In single quotes, of which PowerShell knows five; each is doubled.
pub fn for_powershell(value: &str) -> String {
    let mut quoted = String::from("'");
    for c in value.chars() {
        if matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    quoted
}

/// For `set "NAME=value"`. A percent sign is doubled, which is right in a batch file. A quote or a line end cannot be written
/// there without the rest becoming a command, so both are left out.
pub fn for_cmd(value: &str) -> String {
    value.replace('%', "%%").replace(['\r', '\n', '"'], "")
}

/// A literal in double quotes.
pub fn for_python(value: &str) -> String {
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Docker reads the value as a list with commas, so a comma needs quotes of its own inside those of the shell.
fn for_any_shell(value: &str) -> String {
    match value.contains(',') {
        true => format!("'\"{value}\"'"),
        false => for_bash(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::cards::PciAddress;

    fn card(uuid: &str) -> Card {
        Card {
            uuid: uuid.into(),
            name: "NVIDIA GeForce RTX 3090".into(),
            memory: 24 << 30,
            pci: PciAddress { domain: 0, bus: 1, device: 0 },
            capability: Some((8, 6)),
        }
    }

    #[test]
    fn lines_for_every_place() {
        let card = card("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6");
        let text = |place| export(&card, place).text;
        assert_eq!(
            text(Place::Bash),
            "export CUDA_DEVICE_ORDER=PCI_BUS_ID\n\
             export CUDA_VISIBLE_DEVICES=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
        );
        assert_eq!(
            text(Place::Powershell),
            "$env:CUDA_DEVICE_ORDER = 'PCI_BUS_ID'\n\
             $env:CUDA_VISIBLE_DEVICES = 'GPU-8932f937-d72c-4106-c12f-20bd9faed9f6'"
        );
        assert_eq!(
            text(Place::Cmd),
            "set \"CUDA_DEVICE_ORDER=PCI_BUS_ID\"\n\
             set \"CUDA_VISIBLE_DEVICES=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6\""
        );
        assert_eq!(
            text(Place::Python),
            "import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
             os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"GPU-8932f937-d72c-4106-c12f-20bd9faed9f6\""
        );
        assert_eq!(text(Place::Dockerfile), "ENV CUDA_DEVICE_ORDER=PCI_BUS_ID");
        assert_eq!(
            text(Place::DockerRun),
            "docker run --gpus device=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 --env CUDA_DEVICE_ORDER=PCI_BUS_ID IMAGE"
        );
        let json = serde_json::to_value(exports_of(&card)).unwrap();
        assert_eq!((json[1]["place"].as_str(), json.as_array().map(Vec::len)), (Some("powershell"), Some(6)));
    }

    #[test]
    fn strange_values_stay_values() {
        assert_eq!(for_bash("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(for_bash(""), "''");
        assert_eq!(for_powershell("it's ‘$x’"), "'it''s ‘‘$x’’'");
        assert_eq!(for_cmd("100%PATH%"), "100%%PATH%%");
        assert_eq!(for_cmd("1\" & calc\n"), "1 & calc");
        assert_eq!(for_python("a\"b\\c\n\u{1}"), r#""a\"b\\c\n\u0001""#);
        assert_eq!(for_any_shell("device=0,1"), "'\"device=0,1\"'");
    }
}
