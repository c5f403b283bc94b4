//! Policies above each other: what a file extends, and below that of the project what the machine and the user say of their
//! cards. The value that stands highest counts, key by key.

use super::load::{from_value, is_toml, load_pyproject, written};
use super::{Policy, PolicyError, load};
use crate::disk::{Bounds, Disk, Refused, absolute, refused};
use rustc_hash::FxHashSet;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Deserializer;
use serde::de::{Error, SeqAccess, Visitor};
use serde_yaml::{Mapping, Value};
use std::fmt;
use std::path::{Path, PathBuf};

/// What the machine says of its cards.
const OF_MACHINE: &str = "/etc/gpulint/gpulint.yaml";
/// The sections that are about a machine. The rest of a policy belongs to a project.
const SECTIONS: [&str; 2] = ["gpu", "runtime"];

/// Where the value of a key comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `gpu.visible-devices`
    pub key: String,
    pub file: PathBuf,
}

/// The policy that all files together come to.
#[derive(Clone, Debug, Default)]
pub struct LayeredPolicy {
    pub policy: Policy,
    /// The files below the project's that say something, the user's first.
    pub machine_files: Vec<PathBuf>,
    /// Where each value comes from, by key; empty where one file says all.
    pub origins: Vec<Origin>,
    /// Each file that was read.
    pub files: Vec<PathBuf>,
}

/// Where the files of the user and the machine lie when there are any, the user's first.
pub fn machine_places() -> Vec<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let settings = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    let of_user = settings.map(|folder| folder.join("gpulint/gpulint.yaml"));
    of_user.into_iter().chain([PathBuf::from(OF_MACHINE)]).collect()
}

/// Puts what `machine_files` say, the first on top, under the policy of the project, which `file` holds.
///
/// # Errors
/// When a file is no policy, or extends what is not there, lies outside or extends it in turn.
pub fn layered(
    disk: &Disk,
    file: Option<&Path>,
    machine_files: &[PathBuf],
) -> Result<LayeredPolicy, PolicyError> {
    let mut layers: Vec<(PathBuf, Value)> = Vec::new();
    if let Some(file) = file {
        layers.extend(extended(disk, "the project", file)?);
    }
    let own = layers.len();
    for file in machine_files {
        let folder_of = |file: &Path| file.parent().map_or_else(PathBuf::new, Path::to_owned);
        // It may be a link into a folder where somebody keeps all such files.
        let real = file.canonicalize().unwrap_or_else(|_| file.clone());
        let disk = Disk::default().within(Bounds::of(&folder_of(&real)).and([folder_of(file)]));
        let of_file = extended(&disk, "the folder of this file", file)?
            .into_iter()
            .map(|(file, value)| (file, about_machine(value)));
        layers.extend(of_file);
    }
    let is_one = layers.len() <= 1;
    let (mut whole, mut origins) = (Value::Mapping(Mapping::new()), Vec::new());
    for (file, value) in layers.iter().rev() {
        let mut keys = Vec::new();
        leaves(value, Some(&whole), "", &mut keys);
        overlay(&mut whole, value.clone());
        let is_hidden = |key: &str| {
            let key = format!("{key}.");
            keys.iter().any(|own| key.starts_with(&format!("{own}.")))
        };
        origins.retain(|origin: &Origin| !is_hidden(&origin.key));
        origins.extend(keys.into_iter().map(|key| Origin { key, file: file.clone() }));
    }
    origins.sort_by(|one, other| one.key.cmp(&other.key));
    let place = layers.first().map_or_else(PathBuf::new, |(file, _)| file.clone());
    let policy = from_value(whole).map_err(|message| PolicyError::in_file(&place, None, message))?;
    let says_something =
        |(_, value): &&(PathBuf, Value)| value.as_mapping().is_some_and(|map| !map.is_empty());
    let machine_files = layers[own..].iter().filter(says_something).map(|(file, _)| file.clone()).collect();
    let files = layers.into_iter().map(|(file, _)| file).collect();
    Ok(LayeredPolicy { policy, machine_files, origins: if is_one { Vec::new() } else { origins }, files })
}

/// One file or a list of them.
pub(super) fn one_or_several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    from.deserialize_any(Files)
}

struct Files;

impl<'de> Visitor<'de> for Files {
    type Value = Vec<PathBuf>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a policy file, or a list of them")
    }

    fn visit_str<E: Error>(self, file: &str) -> Result<Self::Value, E> {
        Ok(vec![file.into()])
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut files = Vec::new();
        while let Some(file) = list.next_element()? {
            files.push(file);
        }
        Ok(files)
    }
}

pub(super) fn files_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
}

/// What a file says, and below it what it extends, the last named first. A file that is reached more than once
/// counts where it stands highest.
fn extended(disk: &Disk, place: &str, file: &Path) -> Result<Vec<(PathBuf, Value)>, PolicyError> {
    let (above, known) = (Vec::new(), FxHashSet::default());
    let mut extended = Extended { disk, place, above, known, layers: Vec::new() };
    extended.follow(&absolute(file))?;
    Ok(extended.layers)
}

/// More files in a row are a mistake, and each needs room on the stack.
const MAX_IN_A_ROW: usize = 100;

/// What was read so far. Files are known again by their paths without links.
struct Extended<'a> {
    disk: &'a Disk,
    /// What the files have to lie in, in words.
    place: &'a str,
    /// The files that lead to the one that is read, with it.
    above: Vec<PathBuf>,
    /// All files that were read.
    known: FxHashSet<PathBuf>,
    layers: Vec<(PathBuf, Value)>,
}

impl Extended<'_> {
    fn follow(&mut self, file: &Path) -> Result<(), PolicyError> {
        let disk = self.disk;
        let policy = match is_toml(file) {
            true => load_pyproject(disk, file)?.unwrap_or_default(),
            false => load(disk, file)?,
        };
        self.layers.push((file.to_owned(), written(disk, file)?));
        self.above.push(self.real(file));
        self.known.insert(self.real(file));
        for other in policy.extends.iter().rev() {
            let target = absolute(&file.parent().unwrap_or(file).join(other));
            let refuse = |what: &str| {
                let line = super::line_naming(disk, file, &other.to_string_lossy());
                PolicyError::in_file(file, line, format!("`extends` names {}, which {what}", other.display()))
            };
            let real = self.real(&target);
            if self.above.contains(&real) {
                return Err(refuse("extends this file in turn; take one of them out"));
            }
            if self.known.contains(&real) {
                continue;
            }
            let opened = disk.bounds().open(&target);
            match opened.err().as_ref().and_then(refused) {
                _ if disk.instead(&target).is_some_and(|instead| instead.is_some()) => {}
                Some(Refused::Outside) => {
                    return Err(refuse(&format!("leads outside of {}; put it there", self.place)));
                }
                _ if disk.is_folder(&target) => {
                    return Err(refuse("is a folder; name a policy file in it"));
                }
                Some(Refused::NotRegular) => return Err(refuse("is no regular file; put one there")),
                _ if disk.has(&target) => {}
                _ => return Err(refuse("does not exist; write it, or take it out")),
            }
            if self.above.len() == MAX_IN_A_ROW {
                return Err(refuse(
                    "has more files in a row above it than anybody can follow; join some of them",
                ));
            }
            self.follow(&target)?;
        }
        self.above.pop();
        Ok(())
    }

    fn real(&self, file: &Path) -> PathBuf {
        self.disk.bounds().real(file).unwrap_or_else(|_| file.to_owned())
    }
}

/// The sections about cards and what runs on them.
fn about_machine(value: Value) -> Value {
    let sections = value.as_mapping().into_iter().flatten();
    let meant = sections.filter(|(key, _)| key.as_str().is_some_and(|key| SECTIONS.contains(&key)));
    Value::Mapping(meant.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Puts what one file says above what others do.
fn overlay(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Mapping(below), Value::Mapping(above)) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(old) => overlay(old, value),
                    None => _ = below.insert(key, value),
                }
            }
        }
        // A section with nothing below it says only that it is there.
        (Value::Mapping(_), Value::Null) => {}
        (below, above) => *below = above,
    }
}

/// The dotted paths of all values that count above what lies below.
fn leaves(value: &Value, below: Option<&Value>, path: &str, keys: &mut Vec<String>) {
    match value.as_mapping().filter(|mapping| !mapping.is_empty()) {
        None if path.is_empty() || path == "extends" => {}
        // The section that lies below stays as it is.
        None if (value.is_null() || value.is_mapping()) && below.is_some_and(Value::is_mapping) => {}
        None => keys.push(path.to_owned()),
        Some(mapping) => {
            for (key, value) in mapping {
                let below = below.and_then(|below| below.get(key));
                let key = key.as_str().unwrap_or_default();
                let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                leaves(value, below, &path, keys);
            }
        }
    }
}
