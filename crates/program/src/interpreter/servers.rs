//! Functions that a server calls for each request, or an interface for each event: `@app.route("/")`, `button.click(fn=answer)`.
//! They run, in any order, once the program has started.

use super::Interpreter;
use super::calls::Args;
use super::known_effects::root_of;
use super::tasks::Moment;
use crate::facts::Span;
use crate::program::heap::values::Value;

/// Libraries whose decorators and calls are given such functions.
const SERVERS: &[&str] = &[
    "aiogram",
    "aiohttp",
    "bottle",
    "celery",
    "chainlit",
    "discord",
    "fastapi",
    "flask",
    "flask_socketio",
    "gradio",
    "litestar",
    "nicegui",
    "quart",
    "robyn",
    "runpod",
    "sanic",
    "slack_bolt",
    "socketio",
    "starlette",
    "streamlit",
    "telebot",
    "telegram",
];

/// What these libraries call at another moment, or give their functions to somebody else for.
const OTHERWISE: &[&str] =
    &["Depends", "exception_handler", "on_event", "run", "run_sync", "run_in_threadpool"];

impl<'p> Interpreter<'p> {
    /// A function below a decorator of a server.
    pub(super) fn decorated_by_server(&mut self, decorator: &str, function: &Value<'p>, span: Span) {
        if calls_on_request(decorator) {
            self.leave_for_requests(function, span);
        }
    }

    /// Functions that a call of such a library is given; whether there are any.
    pub(super) fn given_to_server(&mut self, path: &str, args: &Args<'p>, span: Span) -> bool {
        if !calls_on_request(path) {
            return false;
        }
        let mut is_given = false;
        for argument in &args.items {
            // `runpod.serverless.start({"handler": answer})`
            let values = match self.contents(&argument.value) {
                Value::Mapping(items) => items.iter().map(|(_, value)| value.clone()).collect(),
                value => vec![value],
            };
            for function in values.iter().filter(|value| matches!(value, Value::Function(_))) {
                self.leave_for_requests(function, span);
                is_given = true;
            }
        }
        is_given
    }

    fn leave_for_requests(&mut self, function: &Value<'p>, span: Span) {
        let Value::Function(closure) = function else { return };
        let is_one = |left: &Value<'p>| matches!(left, Value::Function(left) if (left.file, left.function) == (closure.file, closure.function));
        if !self.at_exit.iter().any(|left| left.is_at(Moment::Request) && is_one(left.function())) {
            let args = Args { items: Vec::new(), open: true };
            self.leave(function.clone(), args, span, Moment::Request);
        }
    }
}

/// Whether what is given to this call, or stands below this decorator, is called for each request.
fn calls_on_request(path: &str) -> bool {
    let last = path.trim_end_matches("()").rsplit('.').next().unwrap_or(path);
    SERVERS.contains(&root_of(path)) && !OTHERWISE.contains(&last)
}
