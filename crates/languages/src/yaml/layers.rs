//! `extends`: a service or job that begins as another one, and says what is different.

use super::reader::Node;
use std::rc::Rc;

/// Chains of `extends` are followed this far.
const MOST: usize = 11;

/// The nodes that one is made of, the outermost base first.
pub struct Layers<'s>(Vec<Rc<Node<'s>>>);

impl<'s> Layers<'s> {
    /// The chain that begins at `node`; `all` holds those that may be named, and `names` the names that one gives.
    pub fn of(node: &Rc<Node<'s>>, all: &Node<'s>, names: impl Fn(&Node<'s>) -> Vec<&'s str>) -> Layers<'s> {
        let mut layers = vec![node.clone()];
        let mut at = 0;
        while at < layers.len() && layers.len() < MOST {
            // Of several bases the last wins.
            let bases = names(&layers[at]).into_iter().rev().filter_map(|name| all.get(name).cloned());
            layers.extend(bases.take(MOST));
            at += 1;
        }
        layers.truncate(MOST);
        layers.reverse();
        Layers(layers)
    }

    /// The value of a key in the innermost layer that has it.
    pub fn get(&self, key: &str) -> Option<&Rc<Node<'s>>> {
        self.0.iter().rev().find_map(|layer| layer.get(key))
    }

    /// The values of a key, the innermost last.
    pub fn all<'n>(&'n self, key: &'n str) -> impl Iterator<Item = &'n Rc<Node<'s>>> {
        self.0.iter().filter_map(move |layer| layer.get(key))
    }
}
