//! The metrics of a run, as Prometheus itself reads them. Its programs are not everywhere: without them these tests say that
//! they do nothing, and with GPULINT_REQUIRE_PROMTOOL they fail.

use gpulint::runtime::metrics::{self, Server};
use gpulint::runtime::record::{End, Record, Report};
use gpulint::runtime::watch::Returned;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Far beyond what anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub fn is_installed(program: &str) -> bool {
    let installed = Command::new(program).arg("--version").output().is_ok_and(|run| run.status.success());
    if !installed {
        assert!(
            std::env::var_os("GPULINT_REQUIRE_PROMTOOL").is_none(),
            "GPULINT_REQUIRE_PROMTOOL is set, and {program} is not on PATH"
        );
        println!("skipped: {program} is not on PATH");
    }
    installed
}

pub fn record() -> Record {
    let mut record = Record::begun(vec!["python".into(), "train.py".into()]);
    record.simulated = true;
    let card = serde_json::json!({
        "uuid": "GPU-1", "name": "NVIDIA \"GeForce\"", "memory": 25_769_803_776_u64, "pci": "0:1:0.0", "capability": [8, 6],
    });
    record.card = Some(serde_json::from_value(card).unwrap());
    (record.wall_seconds, record.cpu_seconds, record.headroom) = (Some(12.5), Some(11.0), Some(1024));
    record.baseline = Some(serde_json::from_value(serde_json::json!({"memory": 1024})).unwrap());
    record.slot =
        Some(serde_json::from_value(serde_json::json!({"waited_seconds": 0.5, "place": 0})).unwrap());
    record.returned =
        Some(Returned::NotBack { baseline: 1024, after: 4096, waited: 1.0, holders: Vec::new() });
    let summary = serde_json::json!({"samples": 2, "first": 1, "last": 2, "min": 1, "mean": 1.5, "max": 2});
    let readings = serde_json::json!({
        "samples": 2, "memory": summary, "command_memory": summary, "utilisation": summary, "temperature": summary,
        "power_milliwatts": summary, "slowed": [{"reason": "sw_power_cap", "samples": 1}],
        "xids": [{"number": 79, "seconds": 0.0}, {"number": null, "seconds": 0.0}],
        "core_clock": summary, "strays": [{"pid": 7, "card": "GPU-2", "seconds": 0.5}],
        "forbidden_cards": [{"card": "GPU-2", "name": "NVIDIA GeForce", "looks": 2, "memory": summary}],
    });
    record.add_readings(serde_json::from_value(readings).unwrap());
    let file = std::env::temp_dir().join(format!("gpulint-report-{}", std::process::id()));
    std::fs::write(&file, "throughput 12.5 images/s\n").unwrap();
    record.add_report(Report::read(&file));
    std::fs::remove_file(file).unwrap();
    record.end = End::Exited { code: 7 };
    record.exit_code = Some(7);
    record
}

#[test]
fn promtool_has_nothing_to_say() {
    if !is_installed("promtool") {
        return;
    }
    for record in [record(), Record::begun(Vec::new())] {
        let mut check = Command::new("promtool");
        check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut check = check.spawn().unwrap();
        let text = metrics::text(&record);
        check.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = check.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success() && said.is_empty(), "{}\n{text}", String::from_utf8_lossy(&said));
    }
}

/// A program that listens on a port of this machine. It ends when it is dropped, and its folder with it.
pub struct Running {
    child: Child,
    pub port: u16,
    folder: PathBuf,
}

impl Running {
    pub fn start(folder: PathBuf, command: impl FnOnce(u16) -> Command) -> Running {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = command(port);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Running { child: command.spawn().unwrap(), port, folder }
    }

    /// As when another program has taken the port in between.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub fn prometheus(target: &str) -> Running {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("gpulint-prometheus-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let configuration = folder.join("prometheus.yml");
    let text = format!(
        "scrape_configs: [{{job_name: gpulint, scrape_interval: 1s, static_configs: [{{targets: ['{target}']}}]}}]\n"
    );
    std::fs::write(&configuration, text).unwrap();
    Running::start(folder.clone(), |port| {
        let mut command = Command::new("prometheus");
        command.arg(format!("--config.file={}", configuration.display()));
        command.arg(format!("--storage.tsdb.path={}", folder.join("data").display()));
        command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
        command
    })
}

/// What Prometheus answers to an expression; nothing, as long as it does not listen.
pub fn asked(port: u16, expression: &str) -> String {
    let mut said = String::new();
    if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let encoded: String = expression
            .bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect();
        let request = format!("GET /api/v1/query?query={encoded} HTTP/1.0\r\n\r\n");
        let _ =
            stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut said).map(drop));
    }
    said
}

#[test]
fn prometheus_scrapes_a_run() {
    if !is_installed("prometheus") {
        return;
    }
    let record = record();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), move || metrics::text(&record)).unwrap();
    let mut prometheus = prometheus(&server.address().to_string());
    let end = Instant::now() + PATIENCE;
    loop {
        let answer = asked(prometheus.port, "gpulint_run_exit_code");
        if answer.contains(r#""gpu_name":"NVIDIA \"GeForce\"""#) && answer.contains(r#","7"]"#) {
            break;
        }
        if prometheus.has_ended() {
            prometheus = self::prometheus(&server.address().to_string());
        }
        assert!(Instant::now() < end, "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(asked(prometheus.port, "gpulint_reported_value").contains(r#""unit":"images/s""#));
}
