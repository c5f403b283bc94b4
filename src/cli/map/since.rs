//! `gpulint map --since`: the maps of two states, and what is different in them.

use super::super::say;
use super::{Arguments, MapFormat};
use crate::changes::{ComparisonRequest, States};
use crate::disk::absolute;
use crate::map::{self, Map, Marks, Question, Since};
use crate::report::commands::Form;
use crate::rules::Loaded;
use crate::settings::{Request, Settings, resolve};
use crate::sources::Sources;
use anyhow::bail;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Writes what changed, in which form it says.
pub fn write(
    arguments: &Arguments,
    reference: &str,
    (settings, question): (&Settings, &Question),
    sources: Sources,
    whole: &mut Vec<u8>,
) -> anyhow::Result<Form> {
    let format = arguments.format();
    if matches!(format, MapFormat::Html | MapFormat::Dot) {
        bail!("--since writes text, markdown or json");
    }
    let asked = ComparisonRequest { option: "--since", reference: reference.to_owned() };
    let states = States::since(&settings.root, &asked)?;
    let is_named =
        |path: &std::path::Path| arguments.paths.iter().any(|named| path.starts_with(absolute(named)));
    let base = sources.in_state(&states.base, &|path| is_named(path) || states.moved_from(path));
    let request =
        Request { disk: states.base.clone(), ..arguments.policy.clone().request(arguments.paths.clone()) };
    let rules = Loaded::of(settings)?;
    // The earlier state is judged by its own policy, where that can be used.
    let (before, base) = match map_of(&request, settings, base, question) {
        Ok(before) => before,
        Err(_) => {
            say(
                "note: the policy of the state that this one is compared with cannot be used, so this one's holds for both",
            );
            let base = sources.in_state(&states.base, &|path| is_named(path) || states.moved_from(path));
            (Map::of(&base, settings, &rules, question)?, base)
        }
    };
    let now = Map::of(&sources, settings, &rules, question)?;
    let existed: BTreeSet<&str> = base.files.iter().map(|source| source.name.as_str()).collect();
    let moved = moved(&sources, &base, &states);
    let since = Since::of(reference, &before, &now, &moved, &existed);
    Ok(match format {
        MapFormat::Json => {
            map::json::write_since(&since, whole)?;
            Form::Json
        }
        MapFormat::Text => {
            since.write(Marks::Plain, &mut *whole as &mut dyn Write)?;
            Form::Plain
        }
        _ => {
            since.write(Marks::Markdown, &mut *whole as &mut dyn Write)?;
            Form::Markup
        }
    })
}

fn map_of(
    request: &Request,
    present: &Settings,
    mut sources: Sources,
    question: &Question,
) -> anyhow::Result<(Map, Sources)> {
    let (mut settings, _) = resolve(request)?;
    // A policy that came or went moves no file.
    settings.root.clone_from(&present.root);
    settings.find_others(&sources)?;
    settings.leave_out(&mut sources, &request.paths, false);
    let rules = Loaded::of(&settings)?;
    let map = Map::of(&sources, &settings, &rules, question)?;
    Ok((map, sources))
}

/// The names before of files that moved.
fn moved(sources: &Sources, base: &Sources, states: &States) -> BTreeMap<String, String> {
    let moved = sources.files.iter().filter_map(|source| {
        let path = source.path.as_deref()?;
        let before = states.before(path);
        let old = base.files.iter().find(|old| before != path && old.path.as_deref() == Some(before))?;
        Some((source.name.clone(), old.name.clone()))
    });
    moved.collect()
}
