//! The map as a picture: which boxes there are, and which lines between them. Where there are too many modules to be read,
//! `folding` says which of them share a box.

use super::folding::unfold;
use super::{Edge, ImportKind, Map, Module, Part};
use std::collections::BTreeMap;

/// More lines than these nobody reads.
pub(super) const MOST_LINES: usize = 220;

/// All modules and libraries that are tied to each other, and the imports and starts between them.
#[derive(Debug)]
pub struct Sketch<'m> {
    /// What each is, and its path or name.
    pub(super) ends: Vec<Key<'m>>,
    /// None for a library.
    pub(super) modules: Vec<Option<&'m Module>>,
    /// Between two ends, by their positions.
    pub(super) lines: Vec<Line>,
}

/// The name of a box: a module or a folder with its part, or a library.
pub(super) type Key<'m> = (DrawnBoxKind, &'m str);

/// What lies between two ends or boxes: whether any of it crosses, whether any loads a GPU library, and how much it is.
type Ties<'m> = BTreeMap<(Key<'m>, Key<'m>, LineKind), (bool, bool, usize)>;

/// What is drawn.
#[derive(Debug, Default)]
pub struct Drawing<'m> {
    pub boxes: Vec<DrawnBox<'m>>,
    /// Between two boxes there is one line of each kind, by their positions.
    pub lines: Vec<Line>,
    /// How many lines are left out.
    pub left_out: usize,
    /// The box of each end of the sketch.
    pub(super) names: Vec<Key<'m>>,
}

/// A module, the modules of a folder, or a library.
#[derive(Debug)]
pub struct DrawnBox<'m> {
    pub label: String,
    pub kind: DrawnBoxKind,
    /// The modules that it stands for, by their positions in the sketch; of a library its own.
    pub members: Vec<usize>,
    /// The same; none for a library.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl<'m> Sketch<'m> {
    pub fn of(map: &'m Map) -> Sketch<'m> {
        let mut ties = Ties::new();
        let mut modules: BTreeMap<Key<'m>, Option<&'m Module>> = BTreeMap::new();
        let key_of = |module: &'m Module| (DrawnBoxKind::Part(module.part), module.path.as_str());
        let is_told = |edge: &&Edge| edge.kind != ImportKind::TypeChecking;
        for edge in map.edges.iter().filter(is_told) {
            let Some(from) = map.module(&edge.from.path) else { continue };
            modules.insert(key_of(from), Some(from));
            let to = match map.module(&edge.to) {
                Some(module) => (key_of(module), Some(module)),
                None => ((DrawnBoxKind::Library, edge.to.split('.').next().unwrap_or(&edge.to)), None),
            };
            modules.insert(to.0, to.1);
            let tie = ties.entry((key_of(from), to.0, LineKind::Import(edge.kind))).or_default();
            *tie = (tie.0 || edge.crosses, tie.1 || edge.loads_gpu_library, tie.2 + 1);
        }
        for program in &map.programs {
            let launcher = program.launcher.as_ref().and_then(|launcher| map.module(&launcher.path));
            if let (Some(from), Some(to)) = (launcher, map.module(&program.path)) {
                modules.extend([(key_of(from), Some(from)), (key_of(to), Some(to))]);
                ties.entry((key_of(from), key_of(to), LineKind::Starts)).or_default().2 += 1;
            }
        }
        let alone = map.modules.iter().filter(|module| module.part == Part::Gpu);
        modules.extend(alone.map(|module| (key_of(module), Some(module))));
        let at: BTreeMap<Key<'m>, usize> = modules.keys().enumerate().map(|(at, key)| (*key, at)).collect();
        let lines = lines_of(ties, &at);
        let (ends, modules) = modules.into_iter().unzip();
        Sketch { ends, modules, lines }
    }

    /// Everything, or what is left of it where there is too much.
    pub fn whole(&self) -> Drawing<'m> {
        let is_module = |at: &usize| self.ends[*at].0 != DrawnBoxKind::Library;
        let members: Vec<usize> = (0..self.ends.len()).filter(is_module).collect();
        let root = super::folding::common_folder(self, &members);
        let in_one = |(kind, name): &Key<'m>| match kind {
            DrawnBoxKind::Library => (*kind, *name),
            DrawnBoxKind::Part(_) => (*kind, root),
        };
        let mut names: Vec<Key<'m>> = self.ends.iter().map(in_one).collect();
        unfold(self, &mut names, &members);
        self.drawn(names, |_| true)
    }

    /// The modules of one box of a drawing, with what they are tied to.
    pub fn inside(&self, drawing: &Drawing<'m>, at: usize) -> Drawing<'m> {
        let members = &drawing.boxes[at].members;
        let mut names = drawing.names.clone();
        unfold(self, &mut names, members);
        self.drawn(names, |end| members.binary_search(&end).is_ok())
    }

    /// Boxes by the names of the ends, and the lines of those ends that are asked for.
    fn drawn(&self, names: Vec<Key<'m>>, is_asked: impl Fn(usize) -> bool) -> Drawing<'m> {
        let mut members: BTreeMap<Key<'m>, (Vec<usize>, bool)> = BTreeMap::new();
        for (end, name) in names.iter().enumerate() {
            let (ends, is_shown) = members.entry(*name).or_default();
            ends.push(end);
            *is_shown |= is_asked(end);
        }
        let mut ties = Ties::new();
        for line in self.lines.iter().filter(|line| is_asked(line.from) || is_asked(line.to)) {
            let (from, to) = (names[line.from], names[line.to]);
            for name in [from, to] {
                members.entry(name).and_modify(|(_, is_shown)| *is_shown = true);
            }
            if from != to {
                let tie = ties.entry((from, to, line.what)).or_default();
                *tie = (tie.0 || line.crosses, tie.1 || line.loads, tie.2 + line.count);
            }
        }
        members.retain(|_, (_, is_shown)| *is_shown);
        let at: BTreeMap<Key<'m>, usize> = members.keys().enumerate().map(|(at, key)| (*key, at)).collect();
        let mut lines = lines_of(ties, &at);
        // Those that cross matter most, and those that stand for many imports.
        lines.sort_by_key(|line| (!line.crosses, !line.loads, usize::MAX - line.count, *line));
        let left_out = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        let boxes = members.into_iter().map(|(name, (members, _))| DrawnBox {
            label: self.label(name, &members, &names),
            kind: name.0,
            modules: members.iter().filter_map(|&member| self.modules[member]).collect(),
            members,
        });
        Drawing { boxes: boxes.collect(), lines, left_out, names }
    }

    fn label(&self, (kind, name): Key<'m>, members: &[usize], names: &[Key<'m>]) -> String {
        if kind == DrawnBoxKind::Library || members.len() == 1 {
            return self.ends[members[0]].1.to_owned();
        }
        let is_outside = |(end, own): (&Key<'m>, &Key<'m>)| {
            end.0 != DrawnBoxKind::Library && end.1.starts_with(name) && own.1 != name
        };
        let more = if self.ends.iter().zip(names).any(is_outside) { " more" } else { "" };
        format!("{} ({}{more})", if name.is_empty() { "./" } else { name }, members.len())
    }
}

/// Lines between ends or boxes, by their positions.
fn lines_of<'m>(ties: Ties<'m>, at: &BTreeMap<Key<'m>, usize>) -> Vec<Line> {
    let lines = ties.into_iter().map(|((from, to, what), (crosses, loads, count))| Line {
        from: at[&from],
        to: at[&to],
        what,
        crosses,
        loads,
        count,
    });
    lines.collect()
}

impl<'m> Drawing<'m> {
    pub fn of(map: &'m Map) -> Drawing<'m> {
        Sketch::of(map).whole()
    }
}
