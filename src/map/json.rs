//! The map as one JSON object. Its shape is a promise: keys are added, never renamed, without a new `schema`.

use super::{Map, ProgramLine, WhatIf};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: Tool,
    #[serde(flatten)]
    map: &'a Map,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Programs<'a> {
    schema: u32,
    tool: Tool,
    programs: &'a [ProgramLine],
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<&'a WhatIf>,
}

/// The whole map, or its programs alone.
///
/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, only_programs: bool, out: &mut dyn Write) -> io::Result<()> {
    let tool = Tool { name: "gpulint", version: env!("CARGO_PKG_VERSION") };
    match only_programs {
        false => serde_json::to_writer_pretty(&mut *out, &Document { schema: 1, tool, map })?,
        true => {
            let (programs, what_if) = (map.programs.as_slice(), map.what_if.as_ref());
            serde_json::to_writer_pretty(&mut *out, &Programs { schema: 1, tool, programs, what_if })?;
        }
    }
    writeln!(out)
}
