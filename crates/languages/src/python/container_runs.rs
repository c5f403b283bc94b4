//! Containers that a program starts by a library: `client.containers.run("image", "python fit.py")` of Docker, and
//! `DockerOperator(image=…, command=…)` of Airflow. They are read as the `docker run` that they stand for.

use super::Lowering;
use crate::code::{Expr, ExprKind};
use crate::languages::command_lines::Word;
use ruff_python_ast as ast;
use ruff_text_size::Ranged;

/// Arguments that give a container GPUs, or may do so.
const GIVING: &[&str] = &["device_requests", "devices", "host_config", "runtime"];

impl Lowering<'_, '_> {
    pub(super) fn note_container(&mut self, call: &ast::ExprCall, name: &str) {
        let given = |position: Option<usize>, name: &str| {
            let keywords = &call.arguments.keywords;
            let by_name = keywords.iter().find(|one| one.arg.as_deref() == Some(name)).map(|one| &one.value);
            by_name.or_else(|| call.arguments.args.get(position?))
        };
        let is_run = matches!(name, "run" | "create")
            && matches!(&*call.func, ast::Expr::Attribute(method)
                if matches!(&*method.value, ast::Expr::Attribute(object) if object.attr.as_str() == "containers"));
        let (image, command) = match is_run {
            true => (given(Some(0), "image"), given(Some(1), "command")),
            false if name == "DockerOperator" => (given(None, "image"), given(None, "command")),
            false => return,
        };
        let is_open = call.arguments.keywords.iter().any(|one| one.arg.is_none())
            || call.arguments.args.iter().any(|one| matches!(one, ast::Expr::Starred(_)));
        let Some(ast::Expr::StringLiteral(image)) = image.filter(|_| !is_open) else { return };
        let mut words = vec!["docker".to_owned(), "run".to_owned()];
        if GIVING.iter().any(|name| given(None, name).is_some()) {
            words.extend(["--gpus".to_owned(), "all".to_owned()]);
        }
        if ["ipc_mode", "mounts", "shm_size", "tmpfs"].iter().any(|name| given(None, name).is_some()) {
            words.push("--ipc=host".to_owned());
        }
        words.push(image.value.to_str().to_owned());
        match command {
            Some(ast::Expr::StringLiteral(text)) => {
                words.extend(text.value.to_str().split_whitespace().map(str::to_owned));
            }
            Some(ast::Expr::List(list)) => {
                for word in &list.elts {
                    let ast::Expr::StringLiteral(text) = word else { return };
                    words.push(text.value.to_str().to_owned());
                }
            }
            Some(_) => return,
            None => {}
        }
        let span = self.span(image.range());
        let word =
            |text: String| Word { expr: Expr { span, kind: ExprKind::Text(text.into()) }, literal: None };
        self.keep_words(words.into_iter().map(word).collect(), image.range());
    }
}
