//! Dotted names outside the project, each stored once: `torch`, `torch.cuda`, `torch.optim.Adam()`.

use super::heap::values::PathId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Default)]
pub struct Paths {
    texts: Vec<Rc<str>>,
    ids: FxHashMap<Rc<str>, PathId>,
    /// For an object that is told apart from others of its name, or an attribute of one: that object.
    objects: FxHashMap<PathId, PathId>,
    of_objects: FxHashMap<(PathId, Rc<str>), PathId>,
    buffer: String,
}

impl Paths {
    /// The number of a whole dotted name.
    pub fn id(&mut self, path: &str) -> PathId {
        if let Some(&id) = self.ids.get(path) {
            return id;
        }
        let text: Rc<str> = path.into();
        let id = self.add(text.clone());
        self.ids.insert(text, id);
        id
    }

    /// `path.segment`
    pub fn child(&mut self, path: PathId, segment: &str) -> PathId {
        self.joined(path, ".", segment)
    }

    /// `path()`: what calling it returns.
    pub fn result(&mut self, path: PathId) -> PathId {
        /// Chains of calls on results are cut where no knowledge reaches.
        const LONGEST: usize = 160;
        if self.texts[path as usize].len() > LONGEST { path } else { self.joined(path, "()", "") }
    }

    /// One more object of this name, told apart from the others.
    pub fn object(&mut self, path: PathId) -> PathId {
        let id = self.add(self.texts[path as usize].clone());
        self.objects.insert(id, id);
        id
    }

    /// The object that a name was reached through, or the name itself.
    pub fn owner(&self, path: PathId) -> PathId {
        self.objects.get(&path).copied().unwrap_or(path)
    }

    /// `path[]`: an item of it.
    pub fn item(&mut self, path: PathId) -> PathId {
        self.joined(path, "[]", "")
    }

    fn add(&mut self, text: Rc<str>) -> PathId {
        self.texts.push(text);
        (self.texts.len() - 1) as PathId
    }

    pub fn text(&self, path: PathId) -> &Rc<str> {
        &self.texts[path as usize]
    }

    fn joined(&mut self, path: PathId, separator: &str, segment: &str) -> PathId {
        let mut text = std::mem::take(&mut self.buffer);
        text.clear();
        text.push_str(&self.texts[path as usize]);
        text.push_str(separator);
        text.push_str(segment);
        let id = match self.objects.get(&path) {
            Some(&object) => self.of_object(object, &text),
            None => self.id(&text),
        };
        self.buffer = text;
        id
    }

    /// The number of a dotted name that is reached through an object.
    fn of_object(&mut self, object: PathId, path: &str) -> PathId {
        let text = self.id(path);
        let text = self.texts[text as usize].clone();
        if let Some(&id) = self.of_objects.get(&(object, text.clone())) {
            return id;
        }
        let id = self.add(text.clone());
        self.objects.insert(id, object);
        self.of_objects.insert((object, text), id);
        id
    }
}
