//! Which modules of a drawing share a box where there are too many to be read. All begin in one box for each part. Then a folder
//! after the other leaves it, the largest first, and before others those across whose border GPU libraries are imported, as
//! long as a reader can still follow.

use super::drawing::{Key, LineKind, MOST_LINES, Sketch};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// More boxes than these nobody reads.
const MOST_BOXES: usize = 100;
/// So many of them are there for an opened box, however many are around it.
const FEWEST_BOXES: usize = 40;
/// An import from the CPU part into the GPU part counts like so many modules: whoever looks for it shall see both its ends.
const CROSSING: usize = 10;
/// More modules of a folder that are alike say no more than the box of their folder does.
const MOST_ALIKE: usize = 12;

/// The modules of one box, in as many boxes as can be read: `boxes` has the name of the box of each end of the sketch.
pub(super) fn unfold<'m>(sketch: &Sketch<'m>, boxes: &mut [Key<'m>], members: &[usize]) {
    let mut crossing = vec![0; boxes.len()];
    for line in sketch.lines.iter().filter(|line| line.crosses) {
        crossing[line.from] += line.count;
        crossing[line.to] += line.count;
    }
    let mut folding = Folding::of(sketch, boxes, members, crossing);
    // Where all can be read, all are drawn.
    let everything = Group { members: members.to_vec(), becomes: Becomes::Modules, is_first: false };
    if !folding.take_out(&everything) {
        folding.open(common_folder(sketch, members), members, true);
    }
    while let Some((.., Reverse(at))) = folding.waiting.pop() {
        let group = std::mem::take(&mut folding.groups[at]);
        if folding.take_out(&group)
            && let Becomes::Folder(folder) = group.becomes
        {
            folding.open(folder, &group.members, false);
        }
    }
    for &member in members {
        boxes[member] = folding.names[folding.box_of[member]];
    }
}

/// The folder that holds all of them, with its slash; empty where there is none.
pub(super) fn common_folder<'m>(sketch: &Sketch<'m>, members: &[usize]) -> &'m str {
    let mut paths = members.iter().map(|&member| sketch.ends[member].1);
    let Some(first) = paths.next() else { return "" };
    let shared = paths.fold(first.len(), |shared, path| {
        first.bytes().zip(path.bytes()).take(shared).take_while(|(one, other)| one == other).count()
    });
    first.as_bytes()[..shared].iter().rposition(|byte| *byte == b'/').map_or("", |at| &first[..=at])
}

/// Modules that may leave the box of a folder.
#[derive(Default)]
struct Group<'m> {
    members: Vec<usize>,
    becomes: Becomes<'m>,
    /// It stands directly in the folder that is unfolded.
    is_first: bool,
}

/// What modules come to be that leave a box.
#[derive(Clone, Copy, Default)]
enum Becomes<'m> {
    /// One box for each part.
    Folder(&'m str),
    /// A box for each.
    #[default]
    Modules,
}

/// What a group counts for, how many are in it, where it lies, and its position.
type Turn<'m> = (usize, Reverse<usize>, Reverse<&'m str>, Reverse<usize>);

struct Folding<'s, 'm> {
    sketch: &'s Sketch<'m>,
    crossing: Vec<usize>,
    /// The box of each end, and the names of boxes.
    box_of: Vec<usize>,
    names: Vec<Key<'m>>,
    is_member: Vec<bool>,
    most_boxes: usize,
    groups: Vec<Group<'m>>,
    /// By what they count for, then the small ones first, then by path.
    waiting: BinaryHeap<Turn<'m>>,
}

impl<'s, 'm> Folding<'s, 'm> {
    fn of(
        sketch: &'s Sketch<'m>,
        boxes: &[Key<'m>],
        members: &[usize],
        crossing: Vec<usize>,
    ) -> Folding<'s, 'm> {
        let numbers: BTreeMap<Key<'m>, usize> = boxes.iter().map(|name| (*name, 0)).collect();
        let names: Vec<Key<'m>> = numbers.into_keys().collect();
        let box_of = boxes.iter().map(|name| names.partition_point(|one| one < name)).collect();
        let mut is_member = vec![false; boxes.len()];
        members.iter().for_each(|&member| is_member[member] = true);
        let mut folding = Folding {
            sketch,
            crossing,
            box_of,
            names,
            is_member,
            most_boxes: MOST_BOXES,
            groups: Vec::new(),
            waiting: BinaryHeap::new(),
        };
        let around = folding.boxes(false);
        folding.most_boxes = MOST_BOXES.saturating_sub(around).max(FEWEST_BOXES);
        folding
    }

    /// What is in a folder waits to leave its box.
    fn open(&mut self, folder: &'m str, members: &[usize], is_first: bool) {
        let mut below: BTreeMap<&'m str, Vec<usize>> = BTreeMap::new();
        let mut beside: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &member in members {
            let path = self.sketch.ends[member].1;
            match path[folder.len()..].find('/') {
                Some(end) => below.entry(&path[..=folder.len() + end]).or_default().push(member),
                None => beside.entry(self.crossing[member]).or_default().push(member),
            }
        }
        for (path, members) in below {
            let becomes = match members.len() {
                1 => Becomes::Modules,
                _ => Becomes::Folder(common_folder(self.sketch, &members)),
            };
            let crossing: usize = members.iter().map(|&member| self.crossing[member]).sum();
            self.wait(members.len() + CROSSING * crossing, path, Group { members, becomes, is_first });
        }
        // Some of several that are alike would say that they are not: they leave together.
        for (crossing, members) in beside.into_iter().filter(|(_, members)| members.len() <= MOST_ALIKE) {
            let counts_for = if crossing > 0 { 1 + CROSSING * crossing } else { 0 };
            self.wait(counts_for, folder, Group { members, becomes: Becomes::Modules, is_first: false });
        }
    }

    fn wait(&mut self, counts_for: usize, path: &'m str, group: Group<'m>) {
        let at = self.groups.len();
        self.waiting.push((counts_for, Reverse(group.members.len()), Reverse(path), Reverse(at)));
        self.groups.push(group);
    }

    /// Gives modules boxes of their own, if the drawing can still be read then.
    fn take_out(&mut self, group: &Group<'m>) -> bool {
        let &Group { ref members, becomes, is_first } = group;
        if matches!(becomes, Becomes::Modules) && members.len() > self.most_boxes {
            return false;
        }
        let before: Vec<usize> = members.iter().map(|&member| self.box_of[member]).collect();
        let known = self.names.len();
        for &member in members {
            let (kind, path) = self.sketch.ends[member];
            let name = match becomes {
                Becomes::Folder(folder) => (kind, folder),
                Becomes::Modules => (kind, path),
            };
            let found = self.names[known..].iter().position(|one| *one == name);
            self.box_of[member] = found.map_or(self.names.len(), |found| known + found);
            if found.is_none() {
                self.names.push(name);
            }
        }
        // One box for everything says nothing: rather some of the lines between the folders at the top are left out.
        let fits = self.boxes(true) <= self.most_boxes && (is_first || self.lines() <= MOST_LINES);
        if !fits {
            self.names.truncate(known);
            members.iter().zip(before).for_each(|(&member, before)| self.box_of[member] = before);
        }
        fits
    }

    /// How many boxes there are of the members, or of what is around them.
    fn boxes(&self, of_members: bool) -> usize {
        let mut is_there = vec![false; self.names.len()];
        let mut see = |end: usize| is_there[self.box_of[end]] |= self.is_member[end] == of_members;
        if of_members {
            (0..self.box_of.len()).for_each(see);
        } else {
            for line in self.sketch.lines.iter().filter(|line| self.is_shown(line.from, line.to)) {
                see(line.from);
                see(line.to);
            }
        }
        is_there.into_iter().filter(|is_there| *is_there).count()
    }

    fn lines(&self) -> usize {
        let shown = self.sketch.lines.iter().filter(|line| self.is_shown(line.from, line.to));
        let between = shown.map(|line| (self.box_of[line.from], self.box_of[line.to], line.what));
        between.filter(|(from, to, _)| from != to).collect::<FxHashSet<(usize, usize, LineKind)>>().len()
    }

    fn is_shown(&self, from: usize, to: usize) -> bool {
        self.is_member[from] || self.is_member[to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::drawing::{Drawing, DrawnBoxKind, Line};
    use crate::map::layout::tests::numbers;
    use crate::map::{ImportKind, Part};

    const CPU: DrawnBoxKind = DrawnBoxKind::Part(Part::Cpu);
    const GPU: DrawnBoxKind = DrawnBoxKind::Part(Part::Gpu);

    /// Modules with their parts, and imports between them by position.
    fn sketch<'m>(ends: &'m [(DrawnBoxKind, String)], imports: &[(usize, usize)]) -> Sketch<'m> {
        let ends: Vec<Key<'m>> = ends.iter().map(|(kind, path)| (*kind, path.as_str())).collect();
        let line = |&(from, to): &(usize, usize)| Line {
            from,
            to,
            what: LineKind::Import(ImportKind::Eager),
            crosses: ends[from].0 == CPU && ends[to].0 == GPU,
            loads: false,
            count: 1,
        };
        let lines = imports.iter().map(line).collect();
        Sketch { modules: vec![None; ends.len()], ends, lines }
    }

    /// One huge package with parts, and several small ones beside it.
    fn project() -> Vec<(DrawnBoxKind, String)> {
        let mut ends: Vec<(DrawnBoxKind, String)> = Vec::new();
        for part in 0..12 {
            ends.extend((0..40).map(|module| (CPU, format!("src/huge/part{part:02}/module{module:02}.py"))));
        }
        ends.push((GPU, "src/huge/kernels/fast.py".to_owned()));
        for package in 0..6 {
            ends.extend((0..4).map(|module| (CPU, format!("small{package}/module{module}.py"))));
        }
        ends.push((CPU, "setup.py".to_owned()));
        ends
    }

    fn names(drawing: &Drawing<'_>) -> Vec<String> {
        drawing.boxes.iter().map(|one| one.label.clone()).collect()
    }

    #[test]
    fn a_huge_package_is_its_parts_and_small_ones_are_seen() {
        let ends = project();
        let fast = ends.iter().position(|(_, path)| path.ends_with("fast.py")).unwrap();
        // Two modules of a part import the kernel; everything else is imported by the module before it.
        let mut imports: Vec<(usize, usize)> = (1..ends.len()).map(|at| (at - 1, at)).collect();
        imports.retain(|&(from, to)| from != fast && to != fast);
        imports.extend([(3 * 40 + 7, fast), (3 * 40 + 9, fast)]);
        let sketch = sketch(&ends, &imports);
        let drawing = sketch.whole();
        let names = names(&drawing);
        assert!((35..=MOST_BOXES).contains(&names.len()), "{}: {names:?}", names.len());
        let has = |name: &str| assert!(names.iter().any(|one| one == name), "{name} in {names:?}");
        // Both ends of what crosses, the other modules of that package, and the parts of the huge one.
        has("src/huge/kernels/fast.py");
        has("src/huge/part03/module07.py");
        has("src/huge/part03/module09.py");
        has("src/huge/part03/ (38 more)");
        has("src/huge/part11/ (40)");
        // The small ones fit as they are.
        has("small5/module3.py");
        has("setup.py");
        // What is left in a box can be taken out of it.
        let at = names.iter().position(|name| name == "src/huge/part11/ (40)").unwrap();
        let inside = sketch.inside(&drawing, at);
        let names: Vec<String> = inside.boxes.iter().map(|one| one.label.clone()).collect();
        assert_eq!(names.iter().filter(|name| name.starts_with("src/huge/part11/module")).count(), 40);
        // With what it is tied to, and nothing else.
        assert_eq!(names.len(), 41, "{names:?}");
        assert_eq!(format!("{drawing:?}"), format!("{:?}", sketch.whole()));
    }

    #[test]
    fn all_modules_are_drawn_where_they_can_be_read() {
        let ends: Vec<(DrawnBoxKind, String)> =
            (0..90).map(|at| (CPU, format!("a/b{}/c{at}.py", at % 7))).collect();
        let drawing = sketch(&ends, &(1..90).map(|at| (0, at)).collect::<Vec<_>>());
        assert_eq!(drawing.whole().boxes.len(), 90);
    }

    /// Without folders there is nothing to fold but those that do not matter.
    #[test]
    fn a_flat_project_keeps_what_crosses() {
        let mut ends: Vec<(DrawnBoxKind, String)> =
            (0..300).map(|at| (CPU, format!("m{at:03}.py"))).collect();
        ends.push((GPU, "gpu.py".to_owned()));
        let mut imports: Vec<(usize, usize)> = (1..300).map(|at| (0, at)).collect();
        imports.push((17, 300));
        let sketch = sketch(&ends, &imports);
        let drawing = sketch.whole();
        assert_eq!(names(&drawing), ["./ (299 more)", "m017.py", "gpu.py"]);
        // Nothing divides them: they stay one box.
        let inside = sketch.inside(&drawing, 0);
        assert!(inside.boxes.iter().any(|one| one.members == drawing.boxes[0].members));
    }

    /// However many folders there are, and however they are tied, a reader can follow.
    #[test]
    fn the_bound_holds() {
        let mut next = numbers(11);
        for round in 0..20 {
            let count = 2 + next(1500);
            let ends: Vec<(DrawnBoxKind, String)> = (0..count)
                .map(|at| {
                    let folders: String = (0..next(4)).map(|_| format!("f{}/", next(14))).collect();
                    (if next(5) == 0 { GPU } else { CPU }, format!("{folders}m{at}.py"))
                })
                .collect();
            let imports: Vec<(usize, usize)> =
                (0..next(3 * count)).map(|_| (next(count), next(count))).collect();
            let sketch = sketch(&ends, &imports);
            let drawing = sketch.whole();
            assert!(drawing.boxes.len() <= MOST_BOXES, "round {round}: {}", drawing.boxes.len());
            assert!(drawing.lines.len() <= MOST_LINES, "round {round}: {}", drawing.lines.len());
            // Each module that is tied to another stands in one box.
            let drawn: usize = drawing.boxes.iter().map(|one| one.members.len()).sum();
            assert_eq!(drawn, count, "round {round}");
        }
    }
}
