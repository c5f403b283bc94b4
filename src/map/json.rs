//! The map as one JSON object. Its shape is a promise: keys are added, never renamed, without a new `schema`. The file
//! `gpulint-map.schema.json` describes them.

use super::{Map, ProgramLine, Since, StartsLeftOut, WhatIf};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// What is written: the whole map, its programs alone, or what changed.
#[derive(Serialize, JsonSchema)]
struct Document<'a> {
    /// The number of this form.
    schema: u32,
    tool: Tool,
    #[serde(flatten)]
    told: Told<'a>,
}

#[derive(Serialize, JsonSchema)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Told<'a> {
    Whole(&'a Map),
    /// With `--programs`.
    Programs {
        programs: &'a [ProgramLine],
        starts_left_out: &'a [StartsLeftOut],
        #[serde(skip_serializing_if = "Option::is_none")]
        what_if: Option<&'a WhatIf>,
    },
    /// With `--since`.
    Since {
        since: &'a Since,
    },
}

/// The whole map, or its programs alone.
///
/// # Errors
/// Only those of `out`.
pub fn write(map: &Map, only_programs: bool, out: &mut dyn Write) -> io::Result<()> {
    document(
        match only_programs {
            false => Told::Whole(map),
            true => Told::Programs {
                programs: &map.programs,
                starts_left_out: &map.starts_left_out,
                what_if: map.what_if.as_ref(),
            },
        },
        out,
    )
}

/// What changed.
///
/// # Errors
/// Only those of `out`.
pub fn write_since(since: &Since, out: &mut dyn Write) -> io::Result<()> {
    document(Told::Since { since }, out)
}

fn document(told: Told<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tool = Tool { name: "gpulint", version: env!("CARGO_PKG_VERSION") };
    serde_json::to_writer_pretty(&mut *out, &Document { schema: 1, tool, told })?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::Document;
    use std::path::Path;

    #[test]
    fn the_committed_schema_is_fresh() {
        let mut schema = schemars::schema_for!(Document<'static>);
        schema.insert("title".into(), "What `gpulint map --format json` writes".into());
        let text = format!("{:#}\n", schema.to_value());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("gpulint-map.schema.json");
        if std::env::var_os("GPULINT_UPDATE").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == text,
            "gpulint-map.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --lib schema` and commit it"
        );
    }
}
