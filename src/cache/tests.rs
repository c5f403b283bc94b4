//! An outcome is taken from the cache when nothing changed that it rests on, and only then.

mod edits;

use super::*;
use crate::settings::{Request, resolve};
use std::sync::atomic::{AtomicU32, Ordering};

/// A project, and a cache beside it; removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gpulint-cache-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("project")).unwrap();
        let scratch = Scratch(folder.canonicalize().unwrap());
        scratch.write("gpulint.yaml", "gpu:\n  visible-devices: \"1\"\n");
        scratch
            .write("main.py", "import helper\nimport os\n\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n");
        scratch.write("helper.py", "import torch\n\ntorch.ones(1).cuda()\n");
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join("project").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn cache(&self) -> Cache {
        Cache { folder: self.0.join("cache") }
    }

    /// The files of the cache: outcomes, and beside them what the programs of the project came to.
    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.0.join("cache")).into_iter().flatten();
        files.map(|file| file.unwrap().path()).collect()
    }

    /// The outcomes.
    fn entries(&self) -> Vec<PathBuf> {
        let mut files = self.files();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files
    }

    /// What a check of the project finds, with the cache and without it.
    fn both(&self, change: impl Fn(&mut Request)) -> (Outcome, Outcome) {
        let mut request = Request { paths: vec![self.path("")], ..Request::default() };
        change(&mut request);
        let (settings, extent) = resolve(&request).unwrap();
        let rules = Loaded::of(&settings).unwrap();
        let sources = || Sources::collect(&settings.root, &request.paths, extent).unwrap();
        let kept = self.cache().check(&sources(), &settings, &rules).unwrap();
        (kept, check(&sources(), &settings, &rules).unwrap())
    }

    fn assert_true(&self, what: &str) {
        let (kept, fresh) = self.both(|_| {});
        assert_eq!(kept, fresh, "{what}");
    }

    /// Makes the one entry say something that no check says.
    fn mark(&self) {
        let [file] = self.entries().try_into().expect("one entry");
        let text = fs::read_to_string(&file).unwrap();
        let (_, entry) = text.split_once('\n').unwrap();
        let entry = entry.replace("\"unfinished\":[]", "\"unfinished\":[\"from the cache\"]");
        fs::write(file, format!("{}\n{entry}", Digest::of(entry.as_bytes()))).unwrap();
    }

    /// Whether the entry that [`Scratch::mark`] changed is what the next check answers with.
    fn is_taken(&self, change: impl Fn(&mut Request)) -> bool {
        self.both(change).0.unfinished == ["from the cache"]
    }

    /// What a check found is the answer before a change, and not after it.
    fn assert_seen(&self, what: &str, change: impl FnOnce(&Scratch)) {
        self.assert_true("before");
        self.mark();
        assert!(self.is_taken(|_| {}), "{what}");
        change(self);
        assert!(!self.is_taken(|_| {}), "{what}");
        self.assert_true(what);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_same_files_are_answered_for_once() {
    let scratch = Scratch::new();
    scratch.assert_true("nothing is kept yet");
    assert!(!scratch.both(|_| {}).0.findings.is_empty());
    scratch.mark();
    assert!(scratch.is_taken(|_| {}));
    let rewritten = fs::read_to_string(scratch.path("main.py")).unwrap();
    scratch.write("main.py", &rewritten);
    assert!(scratch.is_taken(|_| {}), "the same text, written again");
}

#[test]
fn what_the_user_asks_for_is_part_of_the_key() {
    let scratch = Scratch::new();
    scratch.assert_true("");
    scratch.mark();
    type Change = (&'static str, fn(&mut Request));
    let changes: [Change; 5] = [
        ("select", |request| request.select = vec!["pinning".to_owned()]),
        ("ignore", |request| request.ignore = vec!["pinning".to_owned()]),
        ("mode", |request| request.mode = Some(crate::policy::Mode::Cpu)),
        ("policy", |request| request.config = vec!["gpu.visible-devices=0".to_owned()]),
        ("paths", |request| request.paths = vec![request.paths[0].join("main.py")]),
    ];
    for (what, change) in changes {
        assert!(!scratch.is_taken(change), "{what}");
        let (kept, fresh) = scratch.both(change);
        assert_eq!(kept, fresh, "{what}");
    }
}

#[test]
fn a_change_of_any_file_is_seen() {
    type Change = (&'static str, fn(&Scratch));
    let changes: [Change; 6] = [
        ("a text", |scratch| scratch.write("helper.py", "x = 1\n")),
        ("a new file", |scratch| scratch.write("other.py", "x = 1\n")),
        ("a name", |scratch| fs::rename(scratch.path("helper.py"), scratch.path("helpers.py")).unwrap()),
        ("a file gone", |scratch| fs::remove_file(scratch.path("helper.py")).unwrap()),
        ("the policy", |scratch| scratch.write("gpulint.yaml", "gpu:\n  visible-devices: \"0\"\n")),
        ("a file that cannot be read", |scratch| {
            fs::write(scratch.path("main.py"), [0xff, 0xfe, 0]).unwrap()
        }),
    ];
    for (what, change) in changes {
        Scratch::new().assert_seen(what, change);
    }
}

/// None of these is among the files that are checked.
#[test]
fn what_was_asked_of_the_disk_is_asked_again() {
    let uses_amp = "import torch\n\nwith torch.cuda.amp.autocast():\n    pass\n";
    let changes: [(&str, &str, &str); 3] = [
        ("a lock file", "poetry.lock", "[[package]]\nname = \"torch\"\nversion = \"1.9.0\"\n"),
        ("a list of packages", "requirements.txt", "torch==1.9.0\n"),
        ("scripts", "pyproject.toml", "[project.scripts]\nmain = \"helper:run\"\n"),
    ];
    for (what, name, text) in changes {
        let scratch = Scratch::new();
        scratch.write("main.py", uses_amp);
        scratch.assert_seen(what, |scratch| scratch.write(name, text));
    }
}

#[test]
fn the_template_of_scripts_is_asked_again() {
    let scratch = Scratch::new();
    let policy =
        "gpu:\n  visible-devices: \"1\"\nscripts:\n  require-env: every-gpu-file\n  template: pin.txt\n";
    scratch.write("gpulint.yaml", policy);
    let template = "import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n";
    scratch.write("pin.txt", template);
    let another = format!("{template}PINNED = True\n");
    scratch.assert_seen("another template", |scratch| scratch.write("pin.txt", &another));
}

#[test]
fn own_rules_are_part_of_the_key() {
    let scratch = Scratch::new();
    let rule = "id: team-tensors\nsummary: tensors are made by the team\nseverity: warning\nlanguages: [python]\nwhy: |\n  They are counted.\nfind:\n  uses:\n    names: {torch.ones: team.ones}\n    by: [call]\nmessage: \"`{name}` is called here\"\nexamples: []\n";
    scratch.write("gpulint.yaml", "rules:\n  paths: [team]\n");
    scratch.write("team/team-tensors.yaml", rule);
    let another = rule.replace("severity: warning", "severity: error");
    scratch.assert_seen("another severity", |scratch| scratch.write("team/team-tensors.yaml", &another));
}

#[test]
fn a_damaged_entry_is_no_entry() {
    let scratch = Scratch::new();
    scratch.assert_true("before");
    let files = scratch.files();
    assert_eq!(files.len(), 2);
    for file in &files {
        let whole = fs::read(file).unwrap();
        for cut in (0..whole.len()).step_by(whole.len() / 12) {
            let mut flipped = whole.clone();
            flipped[cut] ^= 0x11;
            for damaged in [&whole[..cut], &flipped] {
                // What the programs came to is asked where there is no outcome.
                scratch.entries().iter().for_each(|entry| fs::remove_file(entry).unwrap());
                fs::write(file, damaged).unwrap();
                scratch.assert_true(&format!("{} at {cut}", file.display()));
            }
        }
    }
    // A folder of the name cannot be replaced.
    for file in &files {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    }
    scratch.assert_true("a folder in its place");
    let mut left = scratch.files();
    left.sort();
    let mut files = files;
    files.sort();
    assert_eq!(left, files, "nothing is left beside it");
}

#[test]
fn a_cache_that_cannot_be_made_is_none() {
    let scratch = Scratch::new();
    fs::write(scratch.0.join("cache"), "a file").unwrap();
    scratch.assert_true("no folder");
}

/// The older half goes, and what was asked for last stays.
#[test]
fn a_cache_stays_small() {
    let scratch = Scratch::new();
    scratch.assert_true("before");
    let [file] = scratch.entries().try_into().expect("one entry");
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    for number in 0..MOST_ENTRIES {
        let other = scratch.0.join("cache").join(format!("{number}.json"));
        fs::write(&other, "x").unwrap();
        File::options().append(true).open(other).unwrap().set_modified(long_ago).unwrap();
    }
    scratch.write("helper.py", "x = 1\n");
    scratch.assert_true("one more");
    let files = scratch.files();
    assert!((MOST_ENTRIES / 2..=MOST_ENTRIES / 2 + 1).contains(&files.len()), "{}", files.len());
    assert!(files.contains(&file));
}

/// Any way from one state of a project to another gives what a check without a cache gives.
#[test]
fn random_edits_are_answered_as_without_a_cache() {
    let scratch = Scratch::new();
    let texts = [
        "import torch\n\ntorch.ones(1).cuda()\n",
        "import os\n\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n",
        "import a\nimport b\n",
        "",
        "def broken(:\n",
        "torch==2.4\n",
    ];
    let names = ["a.py", "b.py", "sub/c.py", "requirements.txt", "constraints.txt", ".python-version"];
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for step in 0..150 {
        let name = names[next(names.len())];
        match next(4) {
            0 => drop(fs::remove_file(scratch.path(name))),
            _ => scratch.write(name, texts[next(texts.len())]),
        }
        scratch.assert_true(&format!("step {step}"));
    }
}
