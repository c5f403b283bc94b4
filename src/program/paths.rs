//! Dotted names outside the project, each stored once: `torch`, `torch.cuda`, `torch.optim.Adam()`.

use super::value::PathId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Default)]
pub(crate) struct Paths {
    texts: Vec<Rc<str>>,
    ids: FxHashMap<Rc<str>, PathId>,
    buffer: String,
}

impl Paths {
    /// The number of a whole dotted name.
    pub fn id(&mut self, path: &str) -> PathId {
        if let Some(&id) = self.ids.get(path) {
            return id;
        }
        let text: Rc<str> = path.into();
        let id = self.texts.len() as PathId;
        self.texts.push(text.clone());
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

    pub fn text(&self, path: PathId) -> &Rc<str> {
        &self.texts[path as usize]
    }

    fn joined(&mut self, path: PathId, separator: &str, segment: &str) -> PathId {
        let mut text = std::mem::take(&mut self.buffer);
        text.clear();
        text.push_str(&self.texts[path as usize]);
        text.push_str(separator);
        text.push_str(segment);
        let id = self.id(&text);
        self.buffer = text;
        id
    }
}
