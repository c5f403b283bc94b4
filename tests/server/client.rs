//! The part of an editor: starts the language server, speaks to it, and keeps what it says.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing takes so long; a test that would wait for ever fails instead.
const FOREVER: Duration = Duration::from_secs(60);

pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Value>,
    /// What was heard and nobody asked for yet.
    kept: Vec<Value>,
    next_id: i32,
}

impl Client {
    /// A server in a folder, before the first word.
    pub fn start(folder: &Path) -> Client {
        Client::start_with(folder, &[])
    }

    pub fn start_with(folder: &Path, options: &[&str]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpulint"));
        command.arg("server").args(options);
        Client::run(command, folder)
    }

    /// A server of a user, greeted, outside of any workflow.
    pub fn at_home(folder: &Path, home: &Path) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpulint"));
        command.arg("server").env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("CI");
        let mut client = Client::run(command, folder);
        client.greet(json!({}), &[folder]);
        client
    }

    fn run(mut command: Command, folder: &Path) -> Client {
        let mut server = command
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take();
        let mut output = BufReader::new(server.stdout.take().expect("piped"));
        let (said, heard) = channel();
        std::thread::spawn(move || {
            while let Some(message) = message_from(&mut output) {
                if said.send(message).is_err() {
                    return;
                }
            }
        });
        Client { server, input, heard, kept: Vec::new(), next_id: 0 }
    }

    /// A server that was greeted with these capabilities and folders.
    pub fn greeted(folder: &Path, capabilities: Value, folders: &[&Path]) -> Client {
        let mut client = Client::start(folder);
        client.greet(capabilities, folders);
        client
    }

    pub fn greet(&mut self, capabilities: Value, folders: &[&Path]) -> Value {
        let folders: Vec<_> =
            folders.iter().map(|folder| json!({"uri": uri(folder), "name": "folder"})).collect();
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities,
                            "workspaceFolders": folders});
        let answer = self.ask("initialize", params);
        self.tell("initialized", json!({}));
        answer
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("not yet closed");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server listens");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The whole answer to a request.
    pub fn answer_to(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The result of a request.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer_to(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The first message, heard before or to come, that is meant.
    pub fn wait(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&is_meant) {
            return self.kept.remove(at);
        }
        loop {
            let message = self
                .heard
                .recv_timeout(FOREVER)
                .unwrap_or_else(|_| panic!("the server said nothing more; before it said {:#?}", self.kept));
            if is_meant(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// What the server tells in this way next.
    pub fn told(&mut self, method: &str) -> Value {
        self.wait(|message| message["method"] == method)["params"].clone()
    }

    /// The diagnostics of a document at a version, or those of the next time that it is spoken of.
    pub fn diagnostics(&mut self, uri: &str, version: impl Into<Option<i32>>) -> Vec<Value> {
        let version = version.into();
        let told = self.wait(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && version.is_none_or(|version| params["version"] == version)
        });
        told["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// What is still unheard of in this way.
    pub fn kept(&self, method: &str) -> Vec<&Value> {
        self.kept.iter().filter(|message| message["method"] == method).collect()
    }

    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the whole text.
    pub fn change(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.tell("textDocument/didChange", params);
    }

    pub fn close(&mut self, uri: &str) {
        self.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// Ends standard input.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    pub fn exit_code(mut self) -> Option<i32> {
        self.server.wait().ok().as_ref().and_then(ExitStatus::code)
    }

    /// Ends the conversation as it should end.
    pub fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.exit_code(), Some(0));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves it running.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn message_from(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("what the server says is JSON"))
}

/// The rules of diagnostics, in their order.
pub fn rules(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic["code"].as_str().unwrap_or("")).collect()
}

pub fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    let position = |(line, character): (u32, u32)| json!({"line": line, "character": character});
    json!({"start": position(from), "end": position(to)})
}

/// The name of a file as an editor would write it; the test folders need no escapes.
pub fn uri(path: &Path) -> String {
    let path = path.to_str().expect("plain").replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{path}")
}

/// A folder outside this repository, removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gpulint-server-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        let folder = Folder(path.canonicalize().expect("it was just created"));
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn uri(&self, name: &str) -> String {
        uri(&self.0.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What can be done at a place, of one kind or of all.
pub fn actions(client: &mut Client, uri: &str, place: Value, only: Option<&str>) -> Vec<Value> {
    let mut context = json!({"diagnostics": []});
    if let Some(only) = only {
        context["only"] = json!([only]);
    }
    let params = json!({"textDocument": {"uri": uri}, "range": place, "context": context});
    client.ask("textDocument/codeAction", params).as_array().expect("a list").clone()
}
