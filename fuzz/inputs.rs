//! What a repository, a user or an editor hands to gpulint, each read as it is in earnest: whatever stands in it, the call comes to its
//! end, and what is promised of it holds. Both the fuzzer and `tests/library/hard_inputs.rs` are made of this.

use gpulint::disk::Disk;
use gpulint::examples;
use gpulint::findings::Severity;
use gpulint::findings::baseline::Baseline;
use gpulint::fix_loop::{FixSelection, FixedProject, apply_until_stable};
use gpulint::policy::{self, Policy};
use gpulint::rules::{self, Loaded, RuleSet};
use gpulint::settings::Settings;
use gpulint::sources::{FileSelection, Source, Sources};
use gpulint::{Outcome, check};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What one input is handed to.
pub type Target = fn(&[u8]);

/// Each input, by its name.
pub const INPUTS: &[(&str, Target)] = &[
    ("allocator", |bytes| set(&["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"], bytes)),
    ("baseline", baseline),
    ("batch", |bytes| front_end("input.bat", bytes)),
    ("dockerfile", |bytes| front_end("Dockerfile", bytes)),
    ("dotenv", |bytes| front_end(".env", bytes)),
    ("fixes_dockerfile", |bytes| fixes("Dockerfile", bytes)),
    ("fixes_dotenv", |bytes| fixes(".env", bytes)),
    ("fixes_notebook", |bytes| fixes("input.ipynb", bytes)),
    ("fixes_powershell", |bytes| fixes("input.ps1", bytes)),
    ("fixes_python", |bytes| fixes("input.py", bytes)),
    ("fixes_shell", |bytes| fixes("input.sh", bytes)),
    ("fixes_yaml", |bytes| fixes("docker-compose.yml", bytes)),
    ("ini", |bytes| front_end("tox.ini", bytes)),
    ("json", |bytes| front_end("launch.json", bytes)),
    ("makefile", |bytes| front_end("Makefile", bytes)),
    ("markdown", |bytes| front_end("README.md", bytes)),
    ("mask", |bytes| set(&["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"], bytes)),
    ("notebook", |bytes| front_end("input.ipynb", bytes)),
    ("own_rule", own_rule),
    ("policy", |bytes| policy("gpulint.yaml", bytes)),
    ("policy_toml", |bytes| policy("pyproject.toml", bytes)),
    ("powershell", |bytes| front_end("input.ps1", bytes)),
    ("python", |bytes| front_end("input.py", bytes)),
    ("requirements", |bytes| front_end("requirements.txt", bytes)),
    ("rust", |bytes| front_end("main.rs", bytes)),
    ("server", gpulint::heard_by_server),
    ("shell", |bytes| front_end("input.sh", bytes)),
    ("toml", |bytes| front_end("pyproject.toml", bytes)),
    ("yaml", |bytes| front_end(".github/workflows/input.yml", bytes)),
];

/// No such folder is there: nothing of the machine is read.
const ROOT: &str = "/fuzz";

/// Under which much is found.
const POLICY: &str = "gpu: {name: RTX 3090, visible-devices: '1', device-order: PCI_BUS_ID, device: 'cuda:0', forbidden: [RTX 5060 Ti], \
                      alloc-conf: 'max_split_size_mb:512'}\nbackends: [cuda, cpu]\n";

/// A program that each policy and each own rule has something to say of.
const PROGRAM: &str = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nimport torch\nx = torch.ones(3, device='cuda:1')\n\n\ndef test_it():\n    x.cuda()\n";

fn sources(name: &str, bytes: &[u8]) -> Sources {
    let root = Path::new(ROOT);
    Sources::with_standard_input(root, Some(&root.join(name)), bytes.to_vec(), FileSelection::NamedPaths)
}

fn disk(name: &str, bytes: &[u8]) -> (Disk, PathBuf) {
    let path = Path::new(ROOT).join(name);
    let files = [(path.clone(), Some(Arc::from(bytes)))].into_iter().collect();
    (Disk::with(files, Vec::new()), path)
}

fn settings(policy: Policy) -> Settings {
    Settings { root: ROOT.into(), policy, select: vec!["all".to_owned()], ..Settings::default() }
}

fn checked(sources: &Sources, settings: &Settings, rules: &RuleSet) -> Outcome {
    let outcome = check(sources, settings, rules).expect("`all` is a selector");
    for finding in &outcome.findings {
        let position = sources.position(finding.place);
        assert!(position.line >= 1 && position.end_line >= position.line, "{}", finding.message);
    }
    outcome
}

/// A run over it ends, and each finding is at a place in it.
fn front_end(name: &str, bytes: &[u8]) {
    checked(&sources(name, bytes), &settings(Policy::default()), RuleSet::embedded());
}

/// What is wrong with it is one sentence that names the file; what is right is a policy under which code can be checked.
fn policy(name: &str, bytes: &[u8]) {
    let (disk, path) = disk(name, bytes);
    match policy::load(&disk, &path) {
        Ok(policy) => {
            let program = sources("input.py", PROGRAM.as_bytes());
            // What rules it names is looked at when they are chosen.
            if check(&program, &settings(policy.clone()), RuleSet::embedded()).is_ok() {
                checked(&program, &settings(policy), RuleSet::embedded());
            }
        }
        Err(error) => assert!(error.to_string().contains(name), "{error}"),
    }
}

/// What it was read as is what it is written as.
fn baseline(bytes: &[u8]) {
    let (first, path) = disk("baseline.json", bytes);
    let Ok(baseline) = Baseline::read(&first, &path, "baseline.json") else { return };
    let (second, path) = disk("baseline.json", baseline.text().as_bytes());
    let again = Baseline::read(&second, &path, "baseline.json").expect("gpulint wrote it");
    assert_eq!((again.len(), again.text()), (baseline.len(), baseline.text()));
}

/// It is refused, or its examples are run and code is checked with it.
fn own_rule(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(own) = RuleSet::read([("own/input.yaml", text)]) {
        let all: Vec<&rules::Rule> = own.rules().iter().collect();
        examples::test(&all, &own, &mut std::io::sink()).expect("nothing refuses what is written");
        checked(&sources("input.py", PROGRAM.as_bytes()), &settings(Policy::default()), &own);
    }
    // As it is found in a folder of the project.
    let (disk, _) = disk("own/input.yaml", bytes);
    let mut settings = Settings { disk, ..settings(Policy::default()) };
    settings.policy.rules.paths = vec!["own".into()];
    drop(Loaded::of(&settings));
}

/// A value that variables get, in Python and in a shell.
fn set(names: &[&str], bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let policy = || serde_yaml::from_str(POLICY).expect("it is a policy");
    for name in names {
        // As JSON has a text, Python has it too.
        let value = serde_json::to_string(&text).expect("a text");
        let python =
            format!("import os\nos.environ['{name}'] = {value}\nimport torch\ntorch.ones(3).cuda()\n");
        checked(&sources("input.py", python.as_bytes()), &settings(policy()), RuleSet::embedded());
        let quoted = text.replace('\'', "'\\''");
        let shell = format!("export {name}='{quoted}'\npython train.py\n");
        checked(&sources("input.sh", shell.as_bytes()), &settings(policy()), RuleSet::embedded());
    }
}

/// Whatever is fixed can be read as well as before, and where the fixes say that they are through, there are no more.
fn fixes(name: &str, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let settings = settings(serde_yaml::from_str(POLICY).expect("it is a policy"));
    let before = sources(name, bytes);
    let outcome = checked(&before, &settings, RuleSet::embedded());
    for risky in [false, true] {
        let settled = fixed(&before, &outcome, text, risky, &settings);
        for content in settled.files.values() {
            let after = sources(name, content.as_bytes());
            let now = checked(&after, &settings, RuleSet::embedded());
            assert!(now.skipped.len() <= outcome.skipped.len(), "{:?} of\n{content}", now.skipped);
            if settled.is_final {
                let again = fixed(&after, &now, content, risky, &settings);
                assert!(again.files.is_empty(), "{text}\nbecame\n{content}\nand then\n{:?}", again.files);
            }
        }
    }
}

fn fixed(sources: &Sources, outcome: &Outcome, text: &str, risky: bool, settings: &Settings) -> FixedProject {
    let wanted = FixSelection { risky, least: Severity::Note, fixable: None };
    let content_of = |_: &Source| Some(text.to_owned());
    apply_until_stable(sources, outcome, wanted, (settings, RuleSet::embedded()), &content_of)
        .expect("known rules")
}
