//! Histories in folders of their own.

use super::*;

const CARD: &str = "GPU-30903090-0000-4000-8000-000000000002";

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gpulint-history-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path.join("some").join("where"))
    }

    fn file(&self) -> PathBuf {
        file_of(&self.0, CARD)
    }

    fn with_text(self, text: &[u8]) -> Folder {
        fs::create_dir_all(&self.0).unwrap();
        fs::write(self.file(), text).unwrap();
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.ancestors().nth(2).unwrap());
    }
}

fn load() -> Load {
    Load {
        simulated: false,
        profile: Kind::Burn,
        side: 8192,
        multiplier: "own".into(),
        driver: Some("580.95.05".into()),
        kernels: "1".into(),
    }
}

fn entry(teraflops: f64) -> Entry {
    let when = "2026-01-31T12:00:00Z".into();
    Entry { load: load(), when, teraflops: Some(teraflops), gigabytes: Some(900.0) }
}

fn of(speeds: &[f64]) -> History {
    speeds.iter().fold(History::of_new_card(CARD), |history, speed| history.with(entry(*speed)))
}

#[test]
fn what_was_written_is_read_again() {
    let folder = Folder::new("written");
    assert_eq!(History::read(&folder.0, CARD).unwrap(), History::of_new_card(CARD));
    for speed in [5.0, 4.0, 9.0] {
        History::add(&folder.0, CARD, entry(speed)).unwrap();
    }
    let history = History::read(&folder.0, CARD).unwrap();
    assert_eq!(history, of(&[5.0, 4.0, 9.0]));
    assert_eq!(history.earlier(&load(), Measure::Teraflops), Some(5.0));
    assert_eq!(history.earlier(&load(), Measure::Gigabytes), Some(900.0));
}

#[test]
fn two_runs_are_no_history() {
    assert_eq!(of(&[5.0, 6.0]).earlier(&load(), Measure::Teraflops), None);
    assert_eq!(of(&[5.0, 6.0, 1.0, 8.0]).earlier(&load(), Measure::Teraflops), Some(5.5));
    // What was not measured does not count.
    assert_eq!(of(&[5.0, 6.0, 0.0, f64::NAN, -1.0]).earlier(&load(), Measure::Teraflops), None);
}

#[test]
fn only_the_same_is_compared() {
    let history = of(&[5.0; 5]);
    let others = [
        Load { simulated: true, ..load() },
        Load { profile: Kind::Leak, ..load() },
        Load { side: 4096, ..load() },
        Load { multiplier: "cublas 120804".into(), ..load() },
        Load { driver: None, ..load() },
        Load { kernels: "2".into(), ..load() },
    ];
    for other in others {
        assert_eq!(history.earlier(&other, Measure::Teraflops), None, "{other:?}");
    }
}

#[test]
fn the_latest_are_kept() {
    let mut history = of(&[1.0; 60]);
    assert_eq!(history.entries.len(), MOST);
    history = history.with(Entry { load: Load { side: 64, ..load() }, ..entry(7.0) });
    assert_eq!(history.entries.len(), MOST + 1);
    for _ in 0..MOST {
        history = history.with(entry(2.0));
    }
    assert_eq!(history.earlier(&load(), Measure::Teraflops), Some(2.0));
    assert_eq!(history.entries.len(), MOST + 1);
    for side in 0..2000 {
        history = history.with(Entry { load: Load { side, ..load() }, ..entry(1.0) });
    }
    assert_eq!(history.entries.len(), MOST_ENTRIES);
    // And can be read again.
    assert!((serde_json::to_string_pretty(&history).unwrap().len() as u64) < MOST_BYTES / 2);
}

#[test]
fn what_is_not_understood_is_left_as_it_is() {
    let another = serde_json::to_string(&History::of_new_card("GPU-other")).unwrap();
    let newer = format!("{{\"schema\": 2, \"card\": \"{CARD}\", \"speeds\": []}}");
    let half = serde_json::to_string(&of(&[1.0])).unwrap();
    let long = vec![b' '; MOST_BYTES as usize + 1];
    let texts: [(&[u8], &str); 8] = [
        (b"", "EOF"),
        (b"\xff\xfe\0", "expected value"),
        (b"[]", "invalid length"),
        (b"null", "invalid type"),
        (&half.as_bytes()[..half.len() / 2], "EOF"),
        (newer.as_bytes(), "its version is 2, and this gpulint reads 1"),
        (another.as_bytes(), "it is about another card"),
        (&long, "it is too long"),
    ];
    for (text, why) in texts {
        let folder = Folder::new("foreign").with_text(text);
        let fault = History::read(&folder.0, CARD).unwrap_err().to_string();
        assert!(fault.contains(why) && fault.contains("moved away"), "{fault}");
        assert!(History::add(&folder.0, CARD, entry(1.0)).is_err());
        assert_eq!(fs::read(folder.file()).unwrap(), text);
    }
    let folder = Folder::new("folder");
    fs::create_dir_all(folder.file()).unwrap();
    let fault = History::read(&folder.0, CARD).unwrap_err().to_string();
    assert!(fault.ends_with("it is not a file"), "{fault}");
}

#[test]
fn those_who_add_at_once_lose_nothing() {
    let folder = Folder::new("at-once");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..5).for_each(|_| History::add(&folder.0, CARD, entry(1.0)).unwrap()));
        }
    });
    assert_eq!(History::read(&folder.0, CARD).unwrap().entries.len(), 40);
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let file = file_of(Path::new("f"), "MIG-GPU-1/../../2/0");
    assert_eq!(file, Path::new("f").join("MIG-GPU-1_______2_0.json"));
}

#[test]
#[cfg(unix)]
fn the_folder_is_of_the_user() {
    let folder = |windows, home: Option<&str>, named: Option<&str>| {
        let variable = |_: &str| named.map(OsString::from);
        folder_of(windows, home.map(PathBuf::from), variable)
    };
    assert_eq!(folder(false, Some("/h"), Some("/state")), Some("/state/gpulint".into()));
    assert_eq!(folder(false, Some("/h"), Some("state")), Some("/h/.local/state/gpulint".into()));
    assert_eq!(folder(true, Some("/h"), None), Some("/h/AppData/Local/gpulint".into()));
    assert_eq!(folder(false, None, None), None);
}

#[test]
fn a_load_is_named_by_what_it_is() {
    let evidence = |multiplier| BurnEvidence {
        earlier_runs: Vec::new(),
        side: 8192,
        bytes: 0,
        free: 0,
        multiplier,
        rounds: 0,
        seconds: 0.0,
        teraflops: None,
        gigabytes: None,
        wrong: 0,
        differing: 0,
    };
    let driver = Some("580.95.05".to_owned());
    let own = Load::of_burn(&evidence(Multiplier::Own), driver.clone(), "1", false);
    assert_eq!(own, load());
    let cublas = Multiplier::Cublas { path: "libcublas.so.12".into(), version: Some(120_804) };
    assert_eq!(Load::of_burn(&evidence(cublas), driver, "1", false).multiplier, "cublas 120804");
}
