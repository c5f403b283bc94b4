//! `--shard` and `check merge`: a check whose work several machines share.
//!
//! A shard writes what its programs came to, and no findings: which of them are shown depends on all programs. Merging
//! looks at the same files once more, and follows what no shard did.

use super::super::{ignoring_closed_pipe, say};
use super::Arguments;
use crate::atomic_write::replace;
use crate::cache::Cache;
use crate::cache::shards::{Part, part};
use crate::findings::Finding;
use crate::program::{ResultStore, Shard};
use crate::report::Format;
use crate::rules::{Loaded, UnknownSelector};
use crate::settings::Settings;
use crate::sources::{Digest, Sources};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::Write;
use std::path::PathBuf;

/// The version of the document.
const SCHEMA: u32 = 1;

/// What one shard leaves.
#[derive(Serialize, Deserialize)]
struct Document {
    schema: u32,
    tool: Tool,
    shard: Shard,
    /// Stands for the check: its files, its policy and its options.
    check: Digest,
    /// As they were named.
    paths: Vec<PathBuf>,
    /// Of the text of `programs`.
    digest: Digest,
    /// For gpulint of the same version only.
    programs: Box<RawValue>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Tool {
    name: String,
    version: String,
}

impl Tool {
    fn this() -> Tool {
        Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// Refuses options that mean nothing for a part of a check, or for one that others did.
pub fn fault(arguments: &Arguments) -> Option<String> {
    let (option, is_part) = match (&arguments.shard, arguments.reports.is_empty()) {
        (Some(_), _) => ("--shard", true),
        (None, false) => ("check merge", false),
        (None, true) => return None,
    };
    let others = [
        ("--fix", arguments.fixes.are_wanted()),
        ("--add-ignore", arguments.add_ignore.is_some()),
        ("--watch", arguments.watch),
        ("--since", arguments.known.since.is_some()),
        ("--staged", arguments.known.staged),
        ("--write-baseline", arguments.known.write_baseline && is_part),
        ("--changed-lines", arguments.known.changed_lines.is_some() && is_part),
        ("-", arguments.paths.iter().any(|path| path.as_os_str() == "-")),
    ];
    if let Some((other, _)) = others.into_iter().find(|(_, is_wanted)| *is_wanted) {
        return Some(format!("{option} and {other} do not go together"));
    }
    let is_json = |format: Format| format == Format::Json;
    let is_written =
        !arguments.output.is_empty() && arguments.output.iter().all(|output| is_json(output.format()));
    (is_part && !is_written && !is_json(arguments.format)).then(|| {
        "a shard shows no findings, since which of them count is known when all shards are: write it with --output json=FILE, \
         and merge all of them with `gpulint check merge FILE…`"
            .to_owned()
    })
}

/// Follows one shard, and writes what it came to.
pub fn write(
    shard: Shard,
    arguments: &Arguments,
    cache: Option<&Cache>,
    (sources, settings, rules): (&Sources, &Settings, &Loaded),
    out: &mut dyn Write,
) -> anyhow::Result<Result<u8, UnknownSelector>> {
    let Part { check, earlier } = match part(cache, sources, settings, rules, shard) {
        Ok(Some(part)) => part,
        Ok(None) => bail!("what is checked here cannot be told from other checks, so it cannot be shared"),
        Err(unknown) => return Ok(Err(unknown)),
    };
    let programs = serde_json::value::to_raw_value(&earlier)?;
    let digest = Digest::of(programs.get());
    let (tool, paths) = (Tool::this(), arguments.paths.clone());
    let document = Document { schema: SCHEMA, tool, shard, check, paths, digest, programs };
    let text = serde_json::to_string(&document)? + "\n";
    for output in &arguments.output {
        let file = output.file();
        replace(file, text.as_bytes())
            .with_context(|| format!("cannot write the shard {}", file.display()))?;
    }
    if arguments.format == Format::Json {
        ignoring_closed_pipe(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    }
    let (programs, files) = (earlier.programs(), sources.files.len());
    say(format_args!(
        "Shard {shard} of {files} files: {programs} programs and files are known. Merge all shards with gpulint check merge."
    ));
    Ok(Ok(0))
}

/// All shards of one check.
pub struct Shards {
    pub check: Digest,
    /// That were named.
    pub paths: Vec<PathBuf>,
    pub earlier: Vec<ResultStore<Finding>>,
}

impl Shards {
    /// # Errors
    /// When a file holds no shard, or they are not each shard of one check once.
    pub fn read(files: &[PathBuf]) -> anyhow::Result<Shards> {
        let mut all: Vec<(String, Document)> = Vec::new();
        for file in files {
            let name = file.display().to_string();
            let text =
                std::fs::read_to_string(file).with_context(|| format!("cannot read the shard {name}"))?;
            let document = read(&text).with_context(|| format!("{name} holds no shard of a check"))?;
            all.push((name, document));
        }
        all.sort_by(|(one, document), (other, of)| (document.shard, one).cmp(&(of.shard, other)));
        let Some((first, Document { shard, check, paths, .. })) = all.first() else {
            bail!("there is no shard to merge");
        };
        let (of, check, paths) = (shard.of, *check, paths.clone());
        for (name, document) in &all {
            if document.shard.of != of {
                bail!(
                    "{first} is one of {of} shards, and {name} one of {}: merge those of one check",
                    document.shard.of
                );
            }
            if document.check != check {
                bail!(
                    "{first} and {name} are shards of different checks: of other files, another policy, other options or another gpulint"
                );
            }
        }
        for pair in all.windows(2) {
            if let [(one, document), (other, next)] = pair
                && document.shard == next.shard
            {
                bail!("{one} and {other} are both shard {}", document.shard);
            }
        }
        let has = |index: u32| all.iter().any(|(_, document)| document.shard.index == index);
        if let Some(missing) = (1..=of).find(|index| !has(*index)) {
            bail!("shard {missing}/{of} is missing: of {of} shards {} are named", all.len());
        }
        let earlier = all.into_iter().map(|(name, document)| {
            let earlier = serde_json::from_str(document.programs.get());
            earlier.with_context(|| format!("{name} holds no shard of a check"))
        });
        Ok(Shards { check, paths, earlier: earlier.collect::<anyhow::Result<_>>()? })
    }
}

/// That the files here are not those of the shards.
pub fn of_another_check() -> anyhow::Error {
    anyhow::anyhow!(
        "the shards are of another check than this: give `check merge` the same files, policy, options and gpulint that the shards had"
    )
}

fn read(text: &str) -> anyhow::Result<Document> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
        tool: Tool,
    }
    let head: Head = serde_json::from_str(text)?;
    if head.tool != Tool::this() {
        bail!(
            "it was written by {} {}, and this is {}",
            head.tool.name,
            head.tool.version,
            env!("CARGO_PKG_VERSION")
        );
    }
    if head.schema != SCHEMA {
        bail!("its schema is {}, and this gpulint reads {SCHEMA}", head.schema);
    }
    let document: Document = serde_json::from_str(text)?;
    if Digest::of(document.programs.get()) != document.digest {
        bail!("it is damaged");
    }
    let Shard { index, of } = document.shard;
    if index < 1 || index > of {
        bail!("there is no shard {index} of {of}");
    }
    Ok(document)
}
