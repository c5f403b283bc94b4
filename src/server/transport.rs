//! Messages of the protocol as they travel over standard input and output: a header with a length, and JSON.
//!
//! `lsp-server` can do this too, and ends at the first message that is no JSON. An editor's mistake in one message
//! is no reason to leave it alone with the next, so frames are read here and only their meaning is left to it.

use super::Event;
use lsp_server::Message;
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::Sender;

/// A larger message is not believed: the largest file that is read is a sixteenth of it.
const MAX_BYTES: usize = 256 << 20;

/// Hands on what arrives until the stream ends; runs in a thread of its own.
pub fn listen(mut input: impl BufRead, events: &Sender<Event>) {
    loop {
        let event = match frame(&mut input) {
            Ok(Frame::Message(bytes)) => match serde_json::from_slice::<Message>(&bytes) {
                Ok(message) => Event::Message(message),
                Err(error) => Event::Unreadable { what: error.to_string(), id: id_of(&bytes) },
            },
            Ok(Frame::NotUnderstood(what)) => Event::Unreadable { what, id: None },
            Ok(Frame::End) | Err(_) => Event::Closed,
        };
        let ends = matches!(event, Event::Closed);
        if events.send(event).is_err() || ends {
            return;
        }
    }
}

/// The id of a request that could not be understood otherwise.
fn id_of(bytes: &[u8]) -> Option<serde_json::Value> {
    let message: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    message.get("method")?;
    message.get("id").cloned()
}

enum Frame {
    Message(Vec<u8>),
    /// Lines that are no header. Reading goes on behind them.
    NotUnderstood(String),
    End,
}

fn frame(input: &mut impl BufRead) -> io::Result<Frame> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        // No header is that long; what follows is then read as the next line.
        if input.take(4096).read_until(b'\n', &mut line)? == 0 {
            return Ok(Frame::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Ok(Frame::NotUnderstood("a line that is no header".to_owned()));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            match value.trim().parse::<usize>() {
                Ok(bytes) if bytes <= MAX_BYTES => length = Some(bytes),
                _ => return Ok(Frame::NotUnderstood("a length that cannot be".to_owned())),
            }
        }
    }
    let Some(length) = length else {
        return Ok(Frame::NotUnderstood("a message without its length".to_owned()));
    };
    let mut bytes = Vec::new();
    // Grows with what arrives: a length alone costs nothing.
    if input.take(length as u64).read_to_end(&mut bytes)? < length {
        return Ok(Frame::End);
    }
    Ok(Frame::Message(bytes))
}

/// Sends one message.
pub fn send(output: &mut dyn Write, message: &Message) -> io::Result<()> {
    let mut output = output;
    message.write(&mut output)
}

/// Answers what was not understood, and so may have no id.
pub fn refuse(output: &mut dyn Write, id: Option<serde_json::Value>, code: i32, why: &str) -> io::Result<()> {
    let answer = serde_json::json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": code, "message": why},
    });
    let text = answer.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn heard(input: &[u8]) -> Vec<String> {
        let (events, inbox) = mpsc::channel();
        listen(input, &events);
        drop(events);
        let said = inbox.into_iter().map(|event| match event {
            Event::Message(Message::Request(request)) => format!("request {}", request.method),
            Event::Message(Message::Notification(told)) => format!("told {}", told.method),
            Event::Message(Message::Response(answer)) => format!("answer to {}", answer.id),
            Event::Unreadable { id, .. } => format!("unreadable {id:?}"),
            Event::Closed => "closed".to_owned(),
            _ => unreachable!("nobody else speaks"),
        });
        said.collect()
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_of_each_kind() {
        let input = [
            framed(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#),
            framed(r#"{"jsonrpc":"2.0","method":"exit","params":null}"#),
            framed(r#"{"jsonrpc":"2.0","id":"a","result":null}"#),
        ];
        assert_eq!(
            heard(input.concat().as_bytes()),
            ["request shutdown", "told exit", "answer to \"a\"", "closed"]
        );
        let other_headers = "content-type: x; charset=utf-8\r\ncontent-length:17\n\n{\"method\":\"exit\"}";
        assert_eq!(heard(other_headers.as_bytes()), ["told exit", "closed"]);
    }

    #[test]
    fn what_is_not_understood_does_not_end_it() {
        let good = framed(r#"{"method":"exit"}"#);
        for bad in ["{oops", "[]", "3", r#"{"method":3}"#, "\u{0}"] {
            let input = framed(bad) + &good;
            assert_eq!(heard(input.as_bytes()), ["unreadable None", "told exit", "closed"], "{bad}");
        }
        for bad in ["hello\r\n", "Content-Length: x\r\n\r\n", "Content-Length: 99999999999999\r\n\r\n"] {
            let said = heard((bad.to_owned() + &good).as_bytes());
            assert!(said.ends_with(&["told exit".to_owned(), "closed".to_owned()]), "{bad}: {said:?}");
        }
        let not_text = [framed("ab").replace("ab", "").as_bytes(), &[0xff, 0xfe], good.as_bytes()].concat();
        assert_eq!(heard(&not_text), ["unreadable None", "told exit", "closed"]);
    }

    #[test]
    fn a_stream_that_breaks_off_ends_it() {
        assert_eq!(heard(b""), ["closed"]);
        assert_eq!(heard(b"Content-Length: 9\r\n\r\n{}"), ["closed"]);
    }
}
