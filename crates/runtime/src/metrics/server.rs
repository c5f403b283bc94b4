//! `/metrics` on a port of this machine, for the length of a run.
//!
//! Only addresses that no other machine reaches are taken: there is no password, and labels name what runs here. A client
//! has little time and few may ask at once, so that none holds up the run or the others.

use super::CONTENT_TYPE;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a client has for its request, and again for its answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of a request; those of Prometheus have some hundred.
const LONGEST_REQUEST: usize = 8 * 1024;
const MOST_AT_ONCE: usize = 4;

/// A port on this machine that only this machine reaches. `0` is any that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(SocketAddr);

/// Why something is no such address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    #[error("`{0}` is no address with a port; write 127.0.0.1:9400")]
    Form(String),
    #[error(
        "{0} can be reached from other machines, and whoever asks there is not asked for a password; write 127.0.0.1:{port}, \
         and let a proxy with access control forward it",
        port = .0.port()
    )]
    Public(SocketAddr),
}

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Address, NoAddress> {
        let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
        let local = local.map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let address = local.or_else(|| text.parse().ok()).ok_or_else(|| NoAddress::Form(text.to_owned()))?;
        if address.ip().is_loopback() { Ok(Address(address)) } else { Err(NoAddress::Public(address)) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Answers until it is dropped.
pub struct Server {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    accepting: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Answers with what `text` gives, which is asked anew each time and must not wait for anything.
    ///
    /// # Errors
    /// In a sentence that names the address, when it is in use or cannot be had.
    pub fn start(address: Address, text: impl Fn() -> String + Send + Sync + 'static) -> io::Result<Server> {
        let listener = TcpListener::bind(address.0).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => io::Error::new(
                ErrorKind::AddrInUse,
                format!("another program listens at {address}; name another port, or 0 for any that is free"),
            ),
            _ => io::Error::new(error.kind(), format!("nothing can listen at {address}: {error}")),
        })?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = is_over.clone();
        let accepting = std::thread::Builder::new().name("metrics".into());
        let accepting = accepting.spawn(move || accept(&listener, &stop, &Arc::new(text)))?;
        Ok(Server { address, is_over, accepting: Some(accepting) })
    }

    /// With the port that was free.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        const SOON: Duration = Duration::from_millis(200);
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for a client. Where that fails it stays, and ends with the process.
        if TcpStream::connect_timeout(&self.address, SOON).is_ok()
            && let Some(accepting) = self.accepting.take()
        {
            let _ = accepting.join();
        }
    }
}

fn accept<T: Fn() -> String + Send + Sync + 'static>(
    listener: &TcpListener,
    is_over: &AtomicBool,
    text: &Arc<T>,
) {
    let answering = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else {
            // Such as too many open files, which may pass.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        if answering.load(Ordering::SeqCst) >= MOST_AT_ONCE {
            // Closed at once; Prometheus asks again soon.
            continue;
        }
        answering.fetch_add(1, Ordering::SeqCst);
        let (text, count) = (text.clone(), answering.clone());
        let answer = move || {
            let _ = answer(stream, &*text);
            count.fetch_sub(1, Ordering::SeqCst);
        };
        if std::thread::Builder::new().name("metrics-client".into()).spawn(answer).is_err() {
            answering.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn answer(mut stream: TcpStream, text: &impl Fn() -> String) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let response = match request(&mut stream)? {
        Some(request) => response_to(&request, text),
        None => response("400 Bad Request", "", "This is no request of HTTP.\n", true),
    };
    stream.write_all(response.as_bytes())?;
    stream.shutdown(Shutdown::Write)
}

/// The request up to its empty line; `None` if it is too long or ends before.
fn request(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut part)?;
        bytes.extend(part.iter().take(count));
        if bytes.windows(4).any(|four| four == b"\r\n\r\n") {
            return Ok(String::from_utf8(bytes).ok());
        }
        if count == 0 || bytes.len() > LONGEST_REQUEST {
            return Ok(None);
        }
    }
}

fn response_to(request: &str, text: &impl Fn() -> String) -> String {
    let mut words = request.lines().next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some("HTTP/1.0" | "HTTP/1.1"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return response("400 Bad Request", "", "This is no request of HTTP.\n", true);
    };
    let has_body = method != "HEAD";
    if target.split('?').next() != Some("/metrics") {
        return response("404 Not Found", "", "There is only /metrics here.\n", has_body);
    }
    match method {
        "GET" | "HEAD" => response("200 OK", "", &text(), has_body),
        _ => response("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "/metrics can only be read.\n", true),
    }
}

fn response(status: &str, header: &str, body: &str, has_body: bool) -> String {
    let kind = if status.starts_with("200") { CONTENT_TYPE } else { "text/plain; charset=utf-8" };
    let length = body.len();
    let body = if has_body { body } else { "" };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{header}Connection: close\r\n\r\n{body}"
    )
}
