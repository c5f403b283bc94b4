//! Files of Compose that a swarm is given, and that ask for devices as a swarm does not know it.

use crate::facts::{Place, Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;

/// `devices` under `reservations` of a file that `docker stack deploy` is handed by name.
pub(super) fn that_request_devices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let Some(devices) = reserved_devices(scope.whole_text()) else { return Vec::new() };
    let name = file_name_of(scope.program.name_of(scope.file));
    for &file in scope.program.files_with("stack deploy").iter() {
        let text = scope.program.text_of(file);
        let hands = |line: &str| {
            let is_command = line.contains("docker stack deploy") && !line.trim_start().starts_with('#');
            is_command && line.split([' ', '=', '"', '\'', '`', '/']).any(|word| word == name)
        };
        if let Some((span, _)) = lines_in(text).find(|(_, line)| hands(line)) {
            let found =
                RawFinding::at(scope.place(devices)).beside(Place { file, span }, "it is deployed here");
            return vec![found];
        }
    }
    Vec::new()
}

/// The key `devices` below `reservations`.
fn reserved_devices(text: &str) -> Option<Span> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut around: Option<usize> = None;
    for (span, line) in lines_in(text) {
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if around.is_some_and(|around| indent(line) <= around) {
            around = None;
        }
        if around.is_some() && body == "devices:" {
            let start = span.start as usize + indent(line);
            return Some(Span::new(start, start + "devices".len()));
        }
        if body == "reservations:" {
            around = Some(indent(line));
        }
    }
    None
}
