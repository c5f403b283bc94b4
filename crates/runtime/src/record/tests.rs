//! Records of whole, refused and half runs, written and read again.

use super::*;
use crate::runtime::cards::PciAddress;
use serde_json::{Value, json};
use std::path::Path;

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("gpulint-record-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn whole() -> Record {
    let mut record = Record::begun(vec!["python".into(), "train.py".into()]);
    record.card = Some(Card {
        uuid: "GPU-1".into(),
        name: "NVIDIA GeForce RTX 3090".into(),
        memory: 100,
        pci: PciAddress { domain: 0, bus: 5, device: 0 },
        capability: Some((8, 6)),
    });
    record.end = End::MemoryLimit { allowed: 1, used: 2 };
    record.exit_code = Some(124);
    record.environment.insert("CUDA_VISIBLE_DEVICES".into(), Some("GPU-1".into()));
    record.environment.insert("HIP_VISIBLE_DEVICES".into(), None);
    record.slot = Some(Slot { waited_seconds: 1.5, place: 2 });
    record.orphans = vec![Orphan { pid: 7, name: "worker".into(), ended: true }];
    record.baseline = Some(Baseline { memory: 10, users: Some(Vec::new()) });
    record.returned = Some(Returned::Back { baseline: 10, after: 10, waited: 0.5 });
    let summary = json!({"samples": 1, "first": 30, "last": 30, "min": 30, "mean": 30.0, "max": 30});
    let readings = json!({"samples": 1, "memory": summary, "xids": [{"number": 79, "seconds": 1.0}]});
    record.add_readings(serde_json::from_value(readings).unwrap());
    record.add_report(Report {
        measured: vec![Reported { name: "throughput".into(), value: 2.5, unit: Some("images/s".into()) }],
        faults: vec!["line 2 is not `name value unit`".into()],
    });
    record
}

#[test]
fn what_is_written_is_read() {
    let folder = folder("whole");
    let file = folder.join("run.json");
    let record = whole();
    assert_eq!((record.peak_memory, record.headroom), (Some(30), Some(70)));
    Record::begun(Vec::new()).write(&file).unwrap();
    record.write(&file).unwrap();
    assert_eq!(Record::read(&file).unwrap(), record);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn half_a_run_can_be_read() {
    let half = json!({
        "schema": 1, "tool": "gpulint", "version": "0.1.0", "simulated": false, "command": [],
        "started": "2026-01-31T12:00:00Z", "added-later": 1,
    });
    let record: Record = serde_json::from_value(half).unwrap();
    assert_eq!(record.end, End::Running);
    let mut refused = Record::begun(vec!["x".into()]);
    refused.end = End::Refused { reason: "no card is allowed".into() };
    let written: Value = serde_json::from_str(&refused.to_json().unwrap()).unwrap();
    assert_eq!(written["end"], json!({"kind": "refused", "reason": "no card is allowed"}));
}

#[test]
fn nothing_read_is_not_checked() {
    let mut record = Record::begun(Vec::new());
    record.add_readings(Readings::default());
    assert_eq!(record.not_checked[0].what, "memory during the run");
    assert_eq!(record.peak_memory, None);
}

#[test]
fn moments_are_in_utc() {
    assert_eq!(timestamp(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00Z");
    let leap_day = SystemTime::UNIX_EPOCH + Duration::from_secs(1_709_210_096);
    assert_eq!(timestamp(leap_day), "2024-02-29T12:34:56Z");
    timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40));
}

#[test]
fn records_keep_to_their_schema() {
    let schema: Value = serde_json::from_str(&Record::schema_text()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for record in [whole(), Record::begun(Vec::new())] {
        let record = serde_json::to_value(record).unwrap();
        let faults = schema.iter_errors(&record).map(|fault| fault.to_string()).collect::<Vec<_>>();
        assert!(faults.is_empty(), "{faults:?}");
    }
}

#[test]
fn the_committed_schema_is_fresh() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gpulint-run.schema.json");
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        std::fs::write(&file, Record::schema_text()).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == Record::schema_text(),
        "gpulint-run.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --lib record` and commit it"
    );
}
