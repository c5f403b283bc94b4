//! `environment.yml` of conda: packages of its channels, and a list for pip among them.

use super::super::yaml::reader::Node;
use super::{lines, statement};
use crate::code::{Code, Index, Part};
use crate::sources::Source;
use std::rc::Rc;
use std::sync::Arc;

/// Notes what an environment asks for; other files have no such list.
pub fn note<'s>(root: &Rc<Node<'s>>, source: &'s Source, code: &mut Code<'s>) {
    let file = source.name.rsplit('/').next().unwrap_or(&source.name).to_ascii_lowercase();
    let is_environment = root.get("channels").is_some()
        || ["environment", "conda", "env"].iter().any(|it| file.starts_with(it));
    let Some(list) = root.get("dependencies").filter(|_| is_environment) else { return };
    for item in list.items() {
        if let Some(text) = item.text() {
            let requirement = statement::conda(text, 0);
            code.requirements.extend(requirement.map(|requirement| {
                let span = item.origin(source).span(0, text.len());
                crate::code::Requirement { span, ..requirement }
            }));
        }
        let Some(pip) = item.get("pip") else { continue };
        let mut index = Index::default();
        let first = code.requirements.len();
        for line in pip.items() {
            let Some(text) = line.text() else { continue };
            if text.starts_with('-') {
                lines::option(text, &mut index, &mut code.included);
            } else if let Some(mut requirement) = statement::read(text, 0, Part::Main) {
                requirement.span = line.origin(source).span(0, text.len());
                code.requirements.push(requirement);
            }
        }
        let index = Arc::new(index);
        code.requirements[first..].iter_mut().for_each(|it| it.index = Arc::clone(&index));
    }
}
