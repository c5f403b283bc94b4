//! Files of Compose that a swarm is given, and that ask for devices as a swarm does not know it.

use crate::facts::{Place, Span, lines_in};
use crate::rules::files::{FileScope, RawFinding};
use crate::sources::file_name_of;

/// A request for GPUs in a file that `docker stack deploy` is handed by name.
pub(super) fn that_request_devices(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let Some((request, fault)) = request_in(scope.whole_text()) else { return Vec::new() };
    let name = file_name_of(scope.program.name_of(scope.file));
    for &file in scope.program.files_with("stack deploy").iter() {
        let text = scope.program.text_of(file);
        let hands = |line: &str| {
            let is_command = line.contains("docker stack deploy") && !line.trim_start().starts_with('#');
            is_command && line.split([' ', '=', '"', '\'', '`', '/']).any(|word| word == name)
        };
        if let Some((span, _)) = lines_in(text).find(|(_, line)| hands(line)) {
            let found = RawFinding::at(scope.place(request)).word("fault", fault);
            return vec![found.beside(Place { file, span }, "it is deployed here")];
        }
    }
    Vec::new()
}

/// The first key that asks for GPUs, with what becomes of it: `devices` below `reservations`, `gpus` and `runtime` of a service, which
/// the format does not have, and device nodes, which are left aside.
fn request_in(text: &str) -> Option<(Span, &'static str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut reserved: Option<usize> = None;
    // The key `devices` of a service, with its indent.
    let mut listed: Option<(Span, usize)> = None;
    for (span, line) in lines_in(text) {
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        let depth = indent(line);
        if reserved.is_some_and(|around| depth <= around) {
            reserved = None;
        }
        if listed.is_some_and(|(_, around)| depth <= around && !body.starts_with('-')) {
            listed = None;
        }
        let start = span.start as usize + depth;
        let key = Span::new(start, start + body.find(':').unwrap_or(body.len()));
        if let Some((at, _)) = listed
            && body.starts_with('-')
            && body.contains("/dev/nvidia")
        {
            return Some((at, "leaves `devices` aside, so that the container gets no GPU by it"));
        }
        match body {
            "devices:" if reserved.is_some() => {
                return Some((
                    key,
                    "refuses this file: `devices` under `reservations` is no part of the format that it reads",
                ));
            }
            "devices:" => listed = Some((key, depth)),
            "reservations:" => reserved = Some(depth),
            "runtime: nvidia" => {
                return Some((key, "refuses this file: `runtime` is no part of the format that it reads"));
            }
            _ if body.starts_with("gpus:") => {
                return Some((key, "refuses this file: `gpus` is no part of the format that it reads"));
            }
            _ => {}
        }
    }
    None
}
