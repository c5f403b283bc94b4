//! An import statement as it is written: its names, what of it is meant, and how it is taken away.

use crate::code::{Import, ImportNames, ImportedName};
use crate::facts::{FileId, Span};
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::site::{Site, blanks_before, line_behind};
use crate::languages::{NodeId, Tree, TreeKind};
use crate::program::knowledge::PackageModule;

/// The rules whose findings point at imports that should come later.
pub const RULES: [&str; 2] = ["gpu-import-in-cpu-mode", "gpu-import-reached"];

/// An import statement.
pub struct ImportStatement {
    pub node: NodeId,
    pub span: Span,
    /// `.gpu` of `from .gpu import Engine`.
    pub from: Option<String>,
    pub names: Vec<Imported>,
    pub lazy: bool,
}

/// One name of an import statement.
#[derive(Clone)]
pub struct Imported {
    /// What is imported: `a.b` of `import a.b as c`.
    pub name: String,
    /// What the file calls it.
    pub bound: String,
    /// It is written with `as`.
    pub renamed: bool,
    pub span: Span,
    /// It is one of those that should come later.
    pub meant: bool,
}

impl ImportStatement {
    /// The statement at a place, and what of it should come later: what leads to `target`, or to the GPU.
    pub fn at(site: &Site<'_>, place: Span, target: Option<FileId>) -> Result<ImportStatement, Refusal> {
        let tree = site.tree()?;
        let node = tree.statement_at(place).ok_or("there is no statement")?;
        let mut statement = ImportStatement::of(site, tree, node).ok_or("it is no import statement")?;
        if statement.names.iter().any(|one| one.name == "*") {
            return Err("`*` does not say which names it binds".to_owned());
        }
        for number in 0..statement.names.len() {
            statement.names[number].meant = statement.names[number].span == place;
        }
        if let Some(target) = target {
            let leads: Vec<bool> = (statement.names.iter())
                .map(|one| statement.file_behind(site, Some(&one.name)) == Some(target))
                .collect();
            let all = !leads.contains(&true) || statement.file_behind(site, None) == Some(target);
            statement.names.iter_mut().zip(leads).for_each(|(one, leads)| one.meant = all || leads);
        } else if !statement.names.iter().any(|one| one.meant) {
            statement.mean(site);
        }
        Ok(statement)
    }

    /// Any import statement, with no name of it meant.
    pub fn of(site: &Site<'_>, tree: &Tree, node: NodeId) -> Option<ImportStatement> {
        let found = tree.node(node);
        if !matches!(found.kind, TreeKind::Import | TreeKind::ImportFrom) {
            return None;
        }
        let span = found.span;
        let written = site.slice(span);
        let (lazy, words) = match written.strip_prefix("lazy") {
            Some(rest) if rest.starts_with(char::is_whitespace) => (true, rest.trim_start()),
            _ => (false, written),
        };
        let from = (found.kind == TreeKind::ImportFrom).then(|| {
            let behind = words.trim_start_matches("from");
            let end = behind.find("import").unwrap_or(behind.len());
            behind[..end].split(|c: char| c.is_whitespace() || c == '\\').collect::<String>()
        });
        let names = tree.children(node).filter(|(_, child)| child.kind == TreeKind::Alias);
        let names = names.map(|(id, alias)| {
            let mut parts = tree.children(id).map(|(_, part)| site.slice(part.span));
            let name = parts.next().unwrap_or_default();
            let renamed = parts.next();
            let bound = match (renamed, &from) {
                (Some(bound), _) => bound,
                (None, Some(_)) => name,
                (None, None) => name.split('.').next().unwrap_or(name),
            };
            Imported {
                name: name.to_owned(),
                bound: bound.to_owned(),
                renamed: renamed.is_some(),
                span: alias.span,
                meant: false,
            }
        });
        let names = names.collect();
        Some(ImportStatement { node, span, from, names, lazy })
    }

    /// Marks the names that lead to the GPU; all, when they cannot be told apart.
    fn mean(&mut self, site: &Site<'_>) {
        let leads: Vec<bool> = self.names.iter().map(|one| self.leads_there(site, one)).collect();
        let all = !leads.contains(&true) || self.module_leads_there(site);
        for (one, leads) in self.names.iter_mut().zip(leads) {
            one.meant = all || leads;
        }
    }

    fn leads_there(&self, site: &Site<'_>, one: &Imported) -> bool {
        let Some(from) = &self.from else { return leads_outside(site, &one.name) };
        match self.file_behind(site, Some(&one.name)) {
            Some(file) => site.cpu.is_some_and(|cpu| cpu.is_gpu_module(&site.program.dotted(file))),
            None => !from.starts_with('.') && leads_outside(site, &format!("{from}.{}", one.name)),
        }
    }

    fn module_leads_there(&self, site: &Site<'_>) -> bool {
        let Some(from) = &self.from else { return false };
        match self.file_behind(site, None) {
            Some(file) => {
                file != site.file()
                    && site.cpu.is_some_and(|cpu| cpu.is_gpu_module(&site.program.dotted(file)))
            }
            None => !from.starts_with('.') && leads_outside(site, from),
        }
    }

    /// The file of the project that a name is, or that the names are taken from.
    pub fn file_behind(&self, site: &Site<'_>, name: Option<&str>) -> Option<FileId> {
        let path = self.from.as_deref().or(name)?;
        let level = path.len() - path.trim_start_matches('.').len();
        let names = name.filter(|_| self.from.is_some());
        let import = Import {
            level: level as u32,
            module: &path[level..],
            names: match names {
                Some(name) => ImportNames::Names(vec![ImportedName { name, bound: name }]),
                None => ImportNames::Module(None),
            },
            lazy: false,
        };
        site.program.module_behind(site.file(), &import, names)
    }

    pub fn meant(&self) -> impl Iterator<Item = &Imported> {
        self.names.iter().filter(|one| one.meant)
    }

    /// The same statement, of which other names are meant.
    pub fn only(&self, is_meant: impl Fn(&Imported) -> bool) -> ImportStatement {
        let names = self.names.iter().map(|one| Imported { meant: is_meant(one), ..one.clone() });
        ImportStatement { names: names.collect(), from: self.from.clone(), ..*self }
    }

    pub fn is_meant_whole(&self) -> bool {
        self.names.iter().all(|one| one.meant)
    }

    /// An import of what is meant, on one line.
    pub fn line(&self, site: &Site<'_>) -> String {
        let names: Vec<&str> = self.meant().map(|one| site.slice(one.span)).collect();
        match &self.from {
            Some(from) => format!("from {from} import {}", names.join(", ")),
            None => format!("import {}", names.join(", ")),
        }
    }

    /// Refuses a statement that does not stand at the top level, on lines of its own.
    pub fn check_place(&self, site: &Site<'_>, tree: &Tree) -> Result<(), Refusal> {
        for (_, around) in tree.outwards(self.node).skip(1) {
            let place = match around.kind {
                TreeKind::Module => continue,
                TreeKind::Function => {
                    return Err(
                        "it stands in a function that is called when the module is imported".to_owned()
                    );
                }
                TreeKind::Class => "in the body of a class",
                TreeKind::Try => "in `try`, which says what is done without it",
                TreeKind::Handler => "in `except`",
                TreeKind::If | TreeKind::Otherwise => "under a condition",
                TreeKind::With => "in `with`",
                _ => "in another statement",
            };
            return Err(format!("the import stands {place}"));
        }
        let behind = &site.text()[self.span.end as usize..];
        let rest = behind.lines().next().unwrap_or_default().trim();
        let is_alone = blanks_before(site.text(), self.span.start) == Some("");
        if !is_alone || !(rest.is_empty() || rest.starts_with('#')) {
            return Err("it shares its line with other statements".to_owned());
        }
        Ok(())
    }

    /// The comment behind the statement, when it has one.
    pub fn comment<'t>(&self, site: &Site<'t>) -> Option<&'t str> {
        let behind = &site.text()[self.span.end as usize..];
        Some(behind.lines().next().unwrap_or_default().trim()).filter(|rest| rest.starts_with('#'))
    }

    /// Takes away what is meant. A comment behind it goes too: whoever writes the import again writes it there.
    pub fn removal(&self, site: &Site<'_>) -> Vec<Edit> {
        if !self.is_meant_whole() {
            return self.names_removed(site);
        }
        let text = site.text();
        let end = line_behind(text, self.span.end);
        let end = without_blank_lines(text, end, self.blank_lines_above(site));
        match self.comment(site) {
            None => vec![site.edit(Span { start: self.span.start, end }, "")],
            Some(comment) => {
                let behind = &text[self.span.end as usize..];
                let at = self.span.end + behind.find(comment).unwrap_or_default() as u32;
                vec![
                    site.edit(Span { start: self.span.start, end: at }, ""),
                    site.edit(Span { start: at, end }, ""),
                ]
            }
        }
    }

    /// Takes some of the names out of the list.
    pub fn names_removed(&self, site: &Site<'_>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let last_kept = self.names.iter().rposition(|one| !one.meant).unwrap_or_default();
        for (number, one) in self.names.iter().enumerate().filter(|(_, one)| one.meant) {
            let span = match self.names.get(number + 1) {
                // The comma behind it goes with it, or the one before.
                Some(next) if number < last_kept => Span { start: one.span.start, end: next.span.start },
                _ => Span { start: self.names[number - 1].span.end, end: one.span.end },
            };
            edits.push(site.edit(span, ""));
        }
        edits
    }

    /// How many blank lines stand above; `None` at the start of the file. Imports above that go too do not count.
    fn blank_lines_above(&self, site: &Site<'_>) -> Option<usize> {
        let goes = |start: usize| {
            let is_one = |place: Span| {
                let statement = ImportStatement::at(site, place, None).ok();
                statement.is_some_and(|one| {
                    one.is_meant_whole() && (one.span.start..one.span.end).contains(&(start as u32))
                })
            };
            let mut places = site.findings.iter().filter(|finding| {
                finding.place.file == site.file() && RULES.contains(&finding.rule.as_str())
            });
            places.any(|finding| is_one(finding.place.span))
        };
        let mut blank = 0;
        let mut end = self.span.start as usize;
        let text = site.text();
        while end > 0 {
            let start = text[..end - 1].rfind('\n').map_or(0, |at| at + 1);
            match text[start..end].trim_matches('\u{feff}').trim() {
                "" => blank += 1,
                _ if goes(start) => {}
                _ => return Some(blank),
            }
            end = start;
        }
        None
    }
}

/// Whether a module outside the project is forbidden, or brings one that is.
fn leads_outside(site: &Site<'_>, module: &str) -> bool {
    let Some(cpu) = site.cpu else { return false };
    let brings = |module: &str| {
        let row = site.program.knowledge.package(module);
        let brought = |row: &PackageModule| {
            let more = row.imports_if_installed.values().flatten();
            row.imports.iter().chain(more).any(|brought| cpu.forbids(brought).is_some())
        };
        row.is_some_and(brought)
    };
    cpu.forbids(module).is_some() || brings(module)
}

/// The end of what is taken away, so that no more blank lines stay than were on either side.
fn without_blank_lines(text: &str, mut end: u32, above: Option<usize>) -> u32 {
    let mut left = above.unwrap_or(usize::MAX);
    while left > 0 && (end as usize) < text.len() {
        let behind = line_behind(text, end);
        if !text[end as usize..behind as usize].trim().is_empty() {
            break;
        }
        end = behind;
        left -= 1;
    }
    end
}
