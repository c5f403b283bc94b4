//! Which modules of a project are GPU code, by what they do.

use crate::map::{Map, Part, Question};
use crate::rules::RuleSet;
use crate::settings::{Request, resolve};
use crate::sources::Sources;
use std::path::Path;

/// Those of these modules that load a GPU library by themselves or use a GPU, or in which a module does. None where the folder
/// cannot be read.
pub fn gpu_code(folder: &Path, modules: &[String]) -> Vec<String> {
    let Some(paths) = paths(folder) else { return Vec::new() };
    let is_in = |path: &str, module: &str| {
        let dotted = format!(".{}.", path.trim_end_matches(".py").replace('/', "."));
        dotted.contains(&format!(".{module}."))
    };
    modules.iter().filter(|module| paths.iter().any(|path| is_in(path, module))).cloned().collect()
}

/// The files of the GPU part.
fn paths(folder: &Path) -> Option<Vec<String>> {
    let request = Request { paths: vec![folder.to_owned()], isolated: true, ..Request::default() };
    let (settings, extent) = resolve(&request).ok()?;
    let sources = Sources::collect(&settings.root, &request.paths, extent).ok()?;
    let sources = sources.within(settings.disk.bounds());
    let map = Map::of(&sources, &settings, RuleSet::embedded(), &Question::default()).ok()?;
    Some(
        map.modules.into_iter().filter(|module| module.part == Part::Gpu).map(|module| module.path).collect(),
    )
}
