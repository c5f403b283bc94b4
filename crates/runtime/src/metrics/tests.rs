//! The text, held against the rules of its format, and the server, asked by clients good and bad.

use super::*;
use crate::runtime::cards::{Card, PciAddress};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn record() -> Record {
    let mut record = Record::begun(vec!["/usr/bin/py\"thon".into(), "--token=secret".into()]);
    record.simulated = true;
    record.card = Some(Card {
        uuid: "GPU-1".into(),
        name: "a \\ \"card\"\nof two lines".into(),
        memory: 25_769_803_776,
        pci: PciAddress { domain: 0, bus: 5, device: 0 },
        capability: None,
    });
    let summary = json!({"samples": 2, "first": 45, "last": 50, "min": 45, "mean": 47.5, "max": 50});
    let readings = json!({
        "samples": 2,
        "memory": summary,
        "temperature": summary,
        "utilisation": summary,
        "power_milliwatts": summary,
        "slowed": [{"reason": "sw_power_cap", "samples": 1}, {"reason": "hw_slowdown", "samples": 2}],
        "xids": [{"number": 79, "seconds": 0.0}, {"number": 31, "seconds": 1.0}, {"number": 79, "seconds": 2.0}],
    });
    record.add_readings(serde_json::from_value(readings).unwrap());
    record.end = End::Exited { code: 3 };
    record.exit_code = Some(3);
    record.returned = Some(Returned::NotBack { baseline: 0, after: 9, waited: 1.0, holders: Vec::new() });
    record
}

/// What is wrong with a page.
pub fn faults(page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut families: Vec<String> = Vec::new();
    let mut series = std::collections::BTreeSet::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let name = help.split(' ').next().unwrap_or_default().to_owned();
            let kind = lines.next().unwrap_or_default().strip_prefix(&format!("# TYPE {name} "));
            match kind {
                Some("counter") if name.ends_with("_total") => {}
                Some("gauge") if !name.ends_with("_total") => {}
                other => faults.push(format!("{name} is {other:?}")),
            }
            if families.contains(&name) {
                faults.push(format!("{name} comes twice"));
            }
            if !lines.peek().is_some_and(|next| next.starts_with(&name)) {
                faults.push(format!("{name} has no sample"));
            }
            families.push(name);
            continue;
        }
        let Some((sample, value)) = line.rsplit_once(' ') else {
            faults.push(format!("no value: {line}"));
            continue;
        };
        if !series.insert(sample.to_owned()) || value.parse::<f64>().is_err() {
            faults.push(format!("twice, or no number: {line}"));
        }
        let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
        if families.last().map(String::as_str) != Some(name) || !labels.ends_with('}') {
            faults.push(format!("no HELP or no end: {line}"));
        }
        faults.extend(label_fault(labels.trim_end_matches('}')).map(|fault| format!("{fault}: {line}")));
    }
    faults
}

/// `name="value",…` with every quote inside of a value escaped.
fn label_fault(mut rest: &str) -> Option<&'static str> {
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else { return Some("no value of a label") };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return Some("the name of a label");
        }
        let mut is_escaped = false;
        let end = after.bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let Some(end) = end else { return Some("a label without an end") };
        rest = &after[end + 1..];
        rest = match rest.strip_prefix(',') {
            Some(more) if !more.is_empty() => more,
            None if rest.is_empty() => "",
            _ => return Some("between two labels"),
        };
    }
    None
}

#[test]
fn a_record_is_a_page_of_the_format() {
    let page = text(&record());
    assert_eq!(faults(&page), [""; 0], "{page}");
    let common = r#"stage="exec",gpu_uuid="GPU-1",gpu_name="a \\ \"card\"\nof two lines",command="py\"thon",simulated="true""#;
    for line in [
        format!("gpulint_memory_size_bytes{{{common}}} 25769803776"),
        format!("gpulint_temperature_celsius{{{common},statistic=\"mean\"}} 47.5"),
        format!("gpulint_power_watts{{{common},statistic=\"max\"}} 0.05"),
        format!("gpulint_utilization_ratio{{{common},statistic=\"max\"}} 0.5"),
        format!("gpulint_xid_total{{{common},xid=\"79\"}} 2"),
        format!("gpulint_run_exit_code{{{common}}} 3"),
        format!("gpulint_memory_returned{{{common}}} 0"),
    ] {
        assert!(page.lines().any(|written| written == line), "{line}\n{page}");
    }
    assert!(!page.contains("secret"));
}

#[test]
fn what_is_not_known_is_left_out() {
    let page = text(&Record::begun(Vec::new()));
    assert_eq!(faults(&page), [""; 0], "{page}");
    assert!(page.contains("\ngpulint_run_end{stage=\"exec\",kind=\"running\"} 1\n"), "{page}");
    assert!(!page.contains("memory"), "{page}");
}

#[test]
fn the_checker_finds_what_is_wrong() {
    for wrong in [
        "a 1\n",
        "# HELP a x\n# TYPE a counter\na 1\n",
        "# HELP a x\n# TYPE a gauge\na 1\na 2\n",
        "# HELP a x\n# TYPE a gauge\na{b=\"c\"d\"} 2\n",
        "# HELP a x\n# TYPE a gauge\n",
    ] {
        assert_ne!(faults(wrong), [""; 0], "{wrong}");
    }
}

#[test]
#[cfg(unix)]
fn everybody_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("gpulint-metrics-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("gpulint.prom");
    write(&record(), &file).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(folder).unwrap();
}

fn server() -> Server {
    Server::start("127.0.0.1:0".parse().unwrap(), || "gpulint_info 1\n".to_owned()).unwrap()
}

fn said(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

#[test]
fn the_server_answers_as_http_says() {
    let server = server();
    let metrics = said(&server, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    let (head, body) = metrics.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{head}");
    assert!(head.contains("\r\nContent-Length: 15\r\n"), "{head}");
    assert_eq!(body, "gpulint_info 1\n");
    assert!(said(&server, "HEAD /metrics HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n"));
    assert!(said(&server, "GET /metrics?x=1 HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
    assert!(said(&server, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    let post = said(&server, "POST /metrics HTTP/1.1\r\n\r\n");
    assert!(post.starts_with("HTTP/1.1 405") && post.contains("\r\nAllow: GET, HEAD\r\n"), "{post}");
    assert!(said(&server, "hello\r\n\r\n").starts_with("HTTP/1.1 400"));
    // Exactly one byte more than is read, so that nothing is left unread when it is closed.
    assert!(said(&server, &"x".repeat(9 * 1024)).starts_with("HTTP/1.1 400"));
}

#[test]
fn slow_clients_hold_nothing_up() {
    let server = server();
    let address = server.address();
    let mut slow = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect::<Vec<_>>();
    slow.iter_mut().for_each(|stream| drop(stream.write_all(b"GET /metr")));
    // They are let go after a while, and others get their turn.
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut said = String::new();
        let asked = stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n");
        let _ = asked.and_then(|()| stream.read_to_string(&mut said));
        if said.starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(Instant::now() < end, "nobody gets an answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    // The end does not wait for the slow ones.
    drop(server);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn only_this_machine_is_served() {
    assert_eq!("localhost:9400".parse::<Address>().unwrap().to_string(), "127.0.0.1:9400");
    assert!("[::1]:0".parse::<Address>().is_ok());
    for public in ["0.0.0.0:9400", "[::]:9400", "192.168.1.1:9400"] {
        let refused = public.parse::<Address>().unwrap_err().to_string();
        assert!(
            refused.contains("can be reached from other machines") && refused.contains(":9400"),
            "{refused}"
        );
    }
    assert_eq!(
        "9400".parse::<Address>().unwrap_err().to_string(),
        "`9400` is no address with a port; write 127.0.0.1:9400"
    );
    let server = server();
    let taken = Server::start(server.address().to_string().parse().unwrap(), String::new);
    let refused = taken.err().unwrap().to_string();
    assert!(refused.starts_with("another program listens at 127.0.0.1:"), "{refused}");
}
