//! The map as a picture: which boxes there are, and which lines between them. Where there are too many modules to be read,
//! those of a folder become one box, as deep as it has to be.

use super::{Edge, ImportKind, Map, Module, Part};
use std::collections::{BTreeMap, BTreeSet};

/// More boxes or lines than these nobody reads.
const MOST_BOXES: usize = 100;
const MOST_LINES: usize = 220;

/// What is drawn.
#[derive(Debug, Default)]
pub struct Drawing<'m> {
    pub boxes: Vec<DrawnBox<'m>>,
    /// Between two boxes there is one line of each kind, by their positions.
    pub lines: Vec<Line>,
    /// How many lines are left out.
    pub left_out: usize,
}

/// A module, the modules of a folder, or a library.
#[derive(Debug)]
pub struct DrawnBox<'m> {
    pub label: String,
    pub kind: DrawnBoxKind,
    /// The modules that it stands for; none for a library.
    pub modules: Vec<&'m Module>,
}

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrawnBoxKind {
    Part(Part),
    Library,
}

/// A line between two boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub from: usize,
    pub to: usize,
    pub what: LineKind,
    /// Some of what it stands for leads from the CPU part into the GPU part.
    pub crosses: bool,
    /// Some of it loads a GPU library when its module is imported.
    pub loads: bool,
    /// What it stands for.
    pub count: usize,
}

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    Import(ImportKind),
    /// A launcher starts a program.
    Starts,
}

impl DrawnBoxKind {
    pub fn word(self) -> &'static str {
        match self {
            DrawnBoxKind::Part(Part::Launcher) => "launcher",
            DrawnBoxKind::Part(Part::Cpu) => "cpu",
            DrawnBoxKind::Part(Part::Gpu) => "gpu",
            DrawnBoxKind::Part(Part::Data) => "data",
            DrawnBoxKind::Library => "library",
        }
    }
}

impl LineKind {
    pub fn word(self) -> &'static str {
        match self {
            LineKind::Import(kind) => kind.word(),
            LineKind::Starts => "starts",
        }
    }
}

/// The name of a box: a module or a folder with its part, or a library.
type Key<'m> = (DrawnBoxKind, &'m str);

impl<'m> Drawing<'m> {
    /// Of a map, or of what is left of it where there is too much.
    pub fn of(map: &'m Map) -> Drawing<'m> {
        let depth = map.modules.iter().map(|module| module.path.split('/').count()).max().unwrap_or(0);
        let depths = (0..=depth).rev();
        let mut drawing = Drawing::default();
        for depth in depths {
            drawing = Drawing::folded(map, depth);
            // One box for everything says nothing: rather some of the lines between the folders at the top are left out.
            let fits = drawing.lines.len() <= MOST_LINES || depth <= 1;
            if drawing.boxes.len() <= MOST_BOXES && fits {
                break;
            }
        }
        // Those that cross matter most, and those that stand for many imports.
        drawing.lines.sort_by_key(|line| (!line.crosses, !line.loads, usize::MAX - line.count, *line));
        drawing.left_out = drawing.lines.len().saturating_sub(MOST_LINES);
        drawing.lines.truncate(MOST_LINES);
        drawing
    }

    /// Modules below so many folders are one box with those beside them.
    fn folded(map: &'m Map, depth: usize) -> Drawing<'m> {
        let is_told = |edge: &&Edge| edge.kind != ImportKind::TypeChecking;
        let mut keys: BTreeMap<Key<'m>, Vec<&'m Module>> = BTreeMap::new();
        let mut lines: BTreeMap<(Key<'m>, Key<'m>, LineKind), (bool, bool, usize)> = BTreeMap::new();
        let key_of = |module: &'m Module| (DrawnBoxKind::Part(module.part), shortened(&module.path, depth));
        for edge in map.edges.iter().filter(is_told) {
            let Some(from) = map.module(&edge.from.path) else { continue };
            let to = match map.module(&edge.to) {
                Some(module) => key_of(module),
                None => (DrawnBoxKind::Library, edge.to.split('.').next().unwrap_or(&edge.to)),
            };
            let line = lines.entry((key_of(from), to, LineKind::Import(edge.kind))).or_default();
            *line = (line.0 || edge.crosses, line.1 || edge.loads_gpu_library, line.2 + 1);
        }
        for program in &map.programs {
            let launcher = program.launcher.as_ref().and_then(|launcher| map.module(&launcher.path));
            if let (Some(from), Some(to)) = (launcher, map.module(&program.path)) {
                lines.entry((key_of(from), key_of(to), LineKind::Starts)).or_default().2 += 1;
            }
        }
        let on_lines: BTreeSet<Key<'m>> = lines.keys().flat_map(|(from, to, _)| [*from, *to]).collect();
        for module in &map.modules {
            let key = key_of(module);
            if on_lines.contains(&key) || module.part == Part::Gpu {
                keys.entry(key).or_default().push(module);
            }
        }
        on_lines.into_iter().for_each(|key| _ = keys.entry(key).or_default());
        let at: BTreeMap<Key<'m>, usize> = keys.keys().enumerate().map(|(at, key)| (*key, at)).collect();
        let boxes = keys.into_iter().map(|((kind, label), modules)| DrawnBox {
            label: if modules.len() > 1 { format!("{label} ({})", modules.len()) } else { label.to_owned() },
            kind,
            modules,
        });
        let boxes: Vec<DrawnBox<'m>> = boxes.collect();
        let drawn = lines.into_iter().filter(|((from, to, _), _)| from != to).map(
            |((from, to, what), (crosses, loads, count))| Line {
                from: at[&from],
                to: at[&to],
                what,
                crosses,
                loads,
                count,
            },
        );
        Drawing { boxes, lines: drawn.collect(), left_out: 0 }
    }
}

/// The first so many folders of a path that goes through as many; else the path.
fn shortened(path: &str, depth: usize) -> &str {
    if depth == 0 {
        return "./";
    }
    path.match_indices('/').nth(depth - 1).map_or(path, |(at, _)| &path[..=at])
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn paths_end_at_a_folder() {
        assert_eq!(shortened("a/b/c.py", 3), "a/b/c.py");
        assert_eq!(shortened("a/b/c.py", 2), "a/b/");
        assert_eq!(shortened("a/b/c.py", 1), "a/");
        assert_eq!(shortened("c.py", 1), "c.py");
        assert_eq!(shortened("a/c.py", 0), "./");
    }
}
