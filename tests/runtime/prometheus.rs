//! The metrics of a run, as Prometheus itself reads them. Its programs are not everywhere: without them these tests say that
//! they do nothing, and with GPULINT_REQUIRE_PROMTOOL they fail.

use gpulint::runtime::metrics::{self, Server};
use gpulint::runtime::record::{End, Record, Report};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

fn is_installed(program: &str) -> bool {
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

fn record() -> Record {
    let mut record = Record::begun(vec!["python".into(), "train.py".into()]);
    record.simulated = true;
    let card = serde_json::json!({
        "uuid": "GPU-1", "name": "NVIDIA \"GeForce\"", "memory": 25_769_803_776_u64, "pci": "0:1:0.0", "capability": [8, 6],
    });
    record.card = Some(serde_json::from_value(card).unwrap());
    let summary = serde_json::json!({"samples": 2, "first": 1, "last": 2, "min": 1, "mean": 1.5, "max": 2});
    let readings = serde_json::json!({
        "samples": 2, "memory": summary, "command_memory": summary, "utilisation": summary, "temperature": summary,
        "power_milliwatts": summary, "slowed": [{"reason": "sw_power_cap", "samples": 1}],
        "xids": [{"number": 79, "seconds": 0.0}, {"number": null, "seconds": 0.0}],
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

/// It ends when it is dropped.
struct Prometheus(Child, u16, std::path::PathBuf);

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        let _ = std::fs::remove_dir_all(&self.2);
    }
}

fn prometheus(target: &str) -> Prometheus {
    let folder = std::env::temp_dir().join(format!("gpulint-prometheus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let configuration = folder.join("prometheus.yml");
    let text = format!(
        "scrape_configs: [{{job_name: gpulint, scrape_interval: 1s, static_configs: [{{targets: ['{target}']}}]}}]\n"
    );
    std::fs::write(&configuration, text).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("prometheus");
    command.arg(format!("--config.file={}", configuration.display()));
    command.arg(format!("--storage.tsdb.path={}", folder.join("data").display()));
    command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Prometheus(command.spawn().unwrap(), port, folder)
}

fn asked(port: u16, query: &str) -> String {
    let mut said = String::new();
    if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
        let request = format!("GET /api/v1/query?query={query} HTTP/1.0\r\n\r\n");
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
        let answer = asked(prometheus.1, "gpulint_run_exit_code");
        if answer.contains(r#""gpu_name":"NVIDIA \"GeForce\"""#) && answer.contains(r#","7"]"#) {
            break;
        }
        // Another program may have taken the port in between.
        if prometheus.0.try_wait().unwrap().is_some() {
            drop(prometheus);
            prometheus = self::prometheus(&server.address().to_string());
        }
        assert!(Instant::now() < end, "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(asked(prometheus.1, "gpulint_reported_value").contains(r#""unit":"images/s""#));
}
