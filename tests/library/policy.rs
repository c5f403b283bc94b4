//! The policy as users write it: what is accepted, and the exact sentence for what is not.

use gpulint::disk::Disk;
use gpulint::findings::Severity;
use gpulint::policy::{
    Amount, Backend, Cpu, DeviceOrder, Gpu, Policy, PolicyError, TargetMode, apply_overrides, discover,
    is_override, json_schema, layered, line_naming, load, project_root, upwards,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gpulint-policy-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The message with the folder cut off the place.
    fn shown(&self, error: PolicyError) -> String {
        error.to_string().replace(&format!("{}{}", self.0.display(), std::path::MAIN_SEPARATOR), "")
    }

    fn load(&self, name: &str) -> Result<Policy, String> {
        load(&Disk::default(), &self.path(name)).map_err(|error| self.shown(error))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn yaml(text: &str) -> Result<Policy, String> {
    Folder::new().with("gpulint.yaml", text).load("gpulint.yaml")
}

fn toml(text: &str) -> Result<Policy, String> {
    Folder::new().with("pyproject.toml", text).load("pyproject.toml")
}

const EXAMPLE: &str = r#"
gpu:
  name: "RTX 4090"
  min-memory: 16GiB
  visible-devices: "0"
  device-order: PCI_BUS_ID
  device: "cuda:0"
  forbidden: ["GT 1030"]
  alloc-conf: "expandable_segments:True"
scripts:
  require-env: every-gpu-file
  validators: ["assert_gpu_*"]
  template: tools/pin.py.tmpl
cpu:
  entry-points: ["pricing", "jobs.*", "report.**"]
  forbidden-imports: [jax, numba.cuda]
  gpu-modules: ["pricing.kernels"]
  switch: PRICING_BACKEND
tests:
  cleanup: ["release_gpu", "gpu_*"]
backends: [cuda, rocm]
rules:
  select: [strict, pinning]
  ignore: [conflicting-pins]
  severity: {missing-device-order: note}
  per-path:
    "old/**": {ignore: [device-not-allowed]}
    "a/*.py": {select: [all], severity: {wrong-device-order: warning}}
  paths: [lint/rules]
runtime:
  iterations: 4
  leak: {alert: 8MiB, fail: 2.5 MB}
  jobs: 3
  targets:
    - {name: smoke, command: [python, -m, pytest, -q], mode: gpu}
    - {name: import, command: [python, -c, "import pricing"], mode: cpu}
languages: {markdown-shell: true}
"#;

/// The same policy as `EXAMPLE`.
const EXAMPLE_TOML: &str = r#"
[project]
name = "pricing"
[tool.ruff]
line-length = 100
[tool.gpulint]
backends = ["cuda", "rocm"]
languages.markdown-shell = true
[tool.gpulint.gpu]
name = "RTX 4090"
min-memory = "16GiB"
visible-devices = 0
device-order = "PCI_BUS_ID"
device = "cuda:0"
forbidden = ["GT 1030"]
alloc-conf = "expandable_segments:True"
[tool.gpulint.scripts]
require-env = "every-gpu-file"
validators = ["assert_gpu_*"]
template = "tools/pin.py.tmpl"
[tool.gpulint.cpu]
entry-points = ["pricing", "jobs.*", "report.**"]
forbidden-imports = ["jax", "numba.cuda"]
gpu-modules = ["pricing.kernels"]
switch = "PRICING_BACKEND"
[tool.gpulint.tests]
cleanup = ["release_gpu", "gpu_*"]
[tool.gpulint.rules]
select = ["strict", "pinning"]
ignore = ["conflicting-pins"]
severity = { missing-device-order = "note" }
paths = ["lint/rules"]
[tool.gpulint.rules.per-path]
"old/**" = { ignore = ["device-not-allowed"] }
"a/*.py" = { select = ["all"], severity = { wrong-device-order = "warning" } }
[tool.gpulint.runtime]
iterations = 4
jobs = 3
leak = { alert = "8MiB", fail = "2.5 MB" }
[[tool.gpulint.runtime.targets]]
name = "smoke"
command = ["python", "-m", "pytest", "-q"]
mode = "gpu"
[[tool.gpulint.runtime.targets]]
name = "import"
command = ["python", "-c", "import pricing"]
mode = "cpu"
"#;

#[test]
fn a_whole_policy_is_read() {
    let policy = yaml(EXAMPLE).unwrap();
    let gpu = policy.gpu.as_ref().unwrap();
    assert_eq!(gpu.min_memory, Some(Amount { bytes: 16 << 30 }));
    assert_eq!(gpu.accepted_masks(), ["0"]);
    assert_eq!(gpu.device_order.map(DeviceOrder::as_str), Some("PCI_BUS_ID"));
    assert!(policy.scripts.is_validator("assert_gpu_name") && !policy.scripts.is_validator("gpu_name"));
    assert!(policy.tests.is_cleanup("release_gpu") && policy.tests.is_cleanup("gpu_context"));
    assert_eq!(policy.backends, [Backend::Cuda, Backend::Rocm]);
    assert_eq!(policy.rules.severity["missing-device-order"], Severity::Note);
    let globs: Vec<&str> = policy.rules.per_path.iter().map(|(glob, _)| glob.as_str()).collect();
    assert_eq!(globs, ["old/**", "a/*.py"], "kept in the order of the file");
    assert_eq!(policy.runtime.leak.fail, Amount { bytes: 2_500_000 });
    assert_eq!(policy.runtime.targets[1].mode, TargetMode::Cpu);
    assert!(policy.languages.markdown_shell);
    assert_eq!(toml(EXAMPLE_TOML).unwrap(), policy, "both files say the same");
}

#[test]
fn what_is_left_out_has_defaults() {
    let empty = ["", "\u{feff}", "# only a comment\n", "---\n", "{}", "scripts:\nrules:\n  severity:\n"];
    for text in empty {
        assert_eq!(yaml(text), Ok(Policy::default()), "{text:?}");
    }
    assert_eq!(toml("[tool.gpulint]\n"), Ok(Policy::default()));
    assert_eq!(Policy::default().rules.select, ["recommended"]);
    assert_eq!(Policy::default().runtime.iterations.get(), 10);
    assert!(Policy::default().backends.is_empty());

    let bare = yaml("gpu:\ncpu:\n").unwrap();
    assert_eq!(bare.gpu, Some(Gpu::default()), "a section with nothing in it is there");
    assert_eq!(bare.cpu, Some(Cpu::default_for_mode()));
    let forbidden = Cpu::default_for_mode().forbidden_imports;
    assert_eq!(
        forbidden.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
        ["cupy", "torch", "numba.cuda"]
    );
}

#[test]
fn a_mask_is_one_value_or_several_each_text_or_number() {
    let cases: [(&str, &[&str]); 7] = [
        ("1", &["1"]),
        ("\"1\"", &["1"]),
        ("[0, \"1\", GPU-abc]", &["0", "1", "GPU-abc"]),
        ("0,1", &["0,1"]),
        ("\" 1 \"", &["1"]),
        ("MIG-8b4d/1/0", &["MIG-8b4d/1/0"]),
        ("", &[]),
    ];
    for (text, masks) in cases {
        let policy = yaml(&format!("gpu:\n  visible-devices: {text}\n")).unwrap();
        assert_eq!(policy.gpu.unwrap().accepted_masks(), masks, "{text}");
    }
}

#[test]
fn the_allowed_device_has_an_index() {
    let cases = [("cuda", Some(0)), ("cuda:0", Some(0)), ("cuda:3", Some(3)), ("mps", None), ("xpu:1", None)];
    for (device, index) in cases {
        let policy = yaml(&format!("gpu: {{device: \"{device}\"}}")).unwrap();
        assert_eq!(policy.gpu.unwrap().allowed_device_index(), index, "{device}");
    }
    assert_eq!(Gpu::default().allowed_device_index(), Some(0));
}

#[test]
fn modules_are_named_exactly_or_by_pattern() {
    let text = "cpu:\n  entry-points: [perf, 'cli.*', 'jobs.**', '**.main', 'a.t_*.x']\n  \
                forbidden-imports: [torch, numba.cuda]\n  gpu-modules: ['perf.gpu', 'k*.fast']\n";
    let cpu = yaml(text).unwrap().cpu.unwrap();
    for named in ["perf", "cli.run", "jobs", "jobs.a", "jobs.a.b", "main", "x.y.main", "a.t_1.x"] {
        assert!(cpu.entry_points_match(named), "{named}");
    }
    for other in ["perf.gpu", "performance", "cli", "cli.a.b", "jobsx", "x.mainly", "a.t_1", "a.u.x", ""] {
        assert!(!cpu.entry_points_match(other), "{other}");
    }
    assert_eq!(cpu.forbids("torch.nn.functional").map(|name| name.as_str()), Some("torch"));
    assert_eq!(cpu.forbids("numba.cuda").map(|name| name.as_str()), Some("numba.cuda"));
    for allowed in ["numba", "torchvision", "numba.core"] {
        assert_eq!(cpu.forbids(allowed), None, "{allowed}");
    }
    assert!(cpu.is_gpu_module("perf.gpu.kernels") && cpu.is_gpu_module("kernels.fast"));
    assert!(!cpu.is_gpu_module("perf") && !cpu.is_gpu_module("perf.gpu2"));
}

#[test]
fn amounts_of_memory_need_a_unit() {
    let cases = [
        ("20GiB", 20 << 30, "20GiB"),
        ("100 mib", 100 << 20, "100MiB"),
        ("1.5KiB", 1536, "1536B"),
        ("24 GB", 24_000_000_000, "24GB"),
        ("0B", 0, "0B"),
    ];
    for (text, bytes, shown) in cases {
        let amount = yaml(&format!("gpu: {{min-memory: {text}}}")).unwrap().gpu.unwrap().min_memory.unwrap();
        assert_eq!((amount.bytes, amount.to_string().as_str()), (bytes, shown));
    }
}

#[test]
fn what_is_wrong_in_yaml_is_said_in_one_sentence() {
    let cases = [
        (
            "gpu:\n  min-memory: 8GiB\n  nam: x\n",
            "gpulint.yaml:3: unknown key `nam` in `gpu`; did you mean `name`?",
        ),
        ("tests: {}\ngup: {}\n", "gpulint.yaml:2: unknown key `gup`; did you mean `gpu`?"),
        (
            "gpu: {visible_devices: 1}",
            "gpulint.yaml:1: unknown key `visible_devices` in `gpu`; did you mean `visible-devices`?",
        ),
        (
            "\ntests:\n  colour: red\n",
            "gpulint.yaml:3: unknown key `colour` in `tests`; the keys there are `cleanup`",
        ),
        (
            "scripts: {x: 1}",
            "gpulint.yaml:1: unknown key `x` in `scripts`; the keys there are `require-env`, `validators`, `template`",
        ),
        (
            "gpu: {\"a`, expected `b\": 1}",
            "gpulint.yaml:1: unknown key `a`, expected `b` in `gpu`; the keys there are `name`, `min-memory`, `visible-devices`, `device-order`, `device`, `forbidden`, `alloc-conf`",
        ),
        (
            "rules:\n  per-path:\n    \"a/**\": {ignor: []}\n",
            "gpulint.yaml:3: unknown key `ignor` in `rules.per-path.a/**`; did you mean `ignore`?",
        ),
        (
            "runtime:\n  targets:\n  - name: a\n    cmd: [x]\n",
            "gpulint.yaml:4: unknown key `cmd` in `runtime.targets[0]`; the keys there are `name`, `command`, `mode`",
        ),
        (
            "gpu: {1: 2}",
            "gpulint.yaml:1: unknown key `1` in `gpu`; the keys there are `name`, `min-memory`, `visible-devices`, `device-order`, `device`, `forbidden`, `alloc-conf`",
        ),
        ("gpu:\n  name: [a]\n", "gpulint.yaml:2: `gpu.name` must be a string, not a list"),
        ("gpu:\n  forbidden: GT 1030\n", "gpulint.yaml:2: `gpu.forbidden` must be a list, not \"GT 1030\""),
        ("- gpu\n", "gpulint.yaml:1: the policy must be a mapping, not a list"),
        ("gpu\n", "gpulint.yaml:1: the policy must be a mapping, not \"gpu\""),
        ("gpu: 3090\n", "gpulint.yaml:1: `gpu` must be a mapping, not `3090`"),
        (
            "gpu: 99999999999999999999\n",
            "gpulint.yaml:1: `gpu` must be a mapping, not `99999999999999999999`",
        ),
        ("? [gpu]\n: cuda\n", "gpulint.yaml:1: a key must be a word, not a list"),
        ("gpu:\n  {a: b}: cuda\n", "gpulint.yaml:2: a key in `gpu` must be a word, not a mapping"),
        ("rules: {severity: [a]}", "gpulint.yaml:1: `rules.severity` must be a mapping, not a list"),
        (
            "languages: {markdown-shell: 1}",
            "gpulint.yaml:1: `languages.markdown-shell` must be `true` or `false`, not `1`",
        ),
        ("runtime: {jobs: 0}", "gpulint.yaml:1: `runtime.jobs` must be a whole number above 0, not `0`"),
        (
            "runtime: {iterations: many}",
            "gpulint.yaml:1: `runtime.iterations` must be a whole number above 0, not \"many\"",
        ),
        (
            "gpu:\n\n  min-memory: 20\n",
            "gpulint.yaml:3: `gpu.min-memory` must be an amount of memory such as `20GiB` (B, KB, MB, GB, TB, KiB, MiB, GiB or TiB), not \"20\"",
        ),
        (
            "gpu: {visible-devices: second}",
            "gpulint.yaml:1: `gpu.visible-devices` must be an index, a `GPU-…` or `MIG-…` UUID, or a list of accepted values, not \"second\"",
        ),
        (
            "gpu: {visible-devices: []}",
            "gpulint.yaml:1: `gpu.visible-devices` must be an index, a `GPU-…` or `MIG-…` UUID, or a list of accepted values, not an empty list",
        ),
        (
            "gpu: {visible-devices: [[1]]}",
            "gpulint.yaml:1: `gpu.visible-devices[0]` must be an index, a `GPU-…` or `MIG-…` UUID, or a list of accepted values, not a list",
        ),
        (
            "gpu: {visible-devices: 1.5}",
            "gpulint.yaml:1: `gpu.visible-devices` must be an index, a `GPU-…` or `MIG-…` UUID, or a list of accepted values, not `1.5`",
        ),
        (
            "gpu: {device: \"cuda:\"}",
            "gpulint.yaml:1: `gpu.device` must be a device such as `cuda:0`, not \"cuda:\"",
        ),
        (
            "gpu: {device-order: PCI_BUS}",
            "gpulint.yaml:1: `gpu.device-order` cannot be `PCI_BUS`; did you mean `PCI_BUS_ID`?",
        ),
        (
            "scripts:\n  require-env: always\n",
            "gpulint.yaml:2: `scripts.require-env` cannot be `always`; it is one of `entry-points`, `every-gpu-file`",
        ),
        ("scripts: {require-env: [a]}", "gpulint.yaml:1: `scripts.require-env` must be one word, not a list"),
        (
            "rules:\n  severity:\n    some-rule: warn\n",
            "gpulint.yaml:3: `rules.severity.some-rule` cannot be `warn`; did you mean `warning`?",
        ),
        (
            "backends: [cuda, gpu]",
            "gpulint.yaml:1: `backends[1]` cannot be `gpu`; it is one of `cuda`, `rocm`, `mps`, `cpu`",
        ),
        (
            "cpu: {entry-points: [cli/run.py]}",
            "gpulint.yaml:1: `cpu.entry-points[0]` must be a dotted module name such as `cli.commands` or `cli.*`, not \"cli/run.py\"",
        ),
        (
            "tests: {cleanup: [a.b]}",
            "gpulint.yaml:1: `tests.cleanup[0]` must be a name without dots such as `validate_*`, not \"a.b\"",
        ),
        (
            "rules: {per-path: {\"a[\": {}}}",
            "gpulint.yaml:1: `rules.per-path` must be a mapping whose keys are globs such as `legacy/**`, not \"a[\"",
        ),
        (
            "runtime:\n  targets:\n  - name: a\n    mode: gpu\n",
            "gpulint.yaml:3: `runtime.targets[0]` lacks the key `command`",
        ),
        (
            "runtime: {targets: [{name: a, mode: gpu, command: []}]}",
            "gpulint.yaml:1: `runtime.targets[0].command` must be a list of the program and its arguments, not an empty list",
        ),
        (
            "runtime: {targets: [{name: a, mode: gpu, command: [x]}, {name: a, mode: cpu, command: [y]}]}",
            "gpulint.yaml:1: `runtime.targets` must be a list of targets with different names, not two named `a`",
        ),
        (
            "gpu:\n  name: a\n  device: cuda\n  name: b\n",
            "gpulint.yaml:4: the key `name` stands twice in `gpu`; remove one of them",
        ),
        (
            "gpu:\n  name: a\ntests: {}\n\"gpu\":\n  name: b\n",
            "gpulint.yaml:4: the key `gpu` stands twice; remove one of them",
        ),
        (
            "rules:\n  severity:\n    a: note\n    a: error\n",
            "gpulint.yaml:4: the key `a` stands twice in `rules.severity`; remove one of them",
        ),
        (
            "rules: {per-path: {a: {}, b: {}, a: {}}}",
            "gpulint.yaml:1: the key `a` stands twice in `rules.per-path`; remove one of them",
        ),
        (
            "gpu:\n  forbidden: [a\ntests: {}\n",
            "gpulint.yaml:3: is not valid YAML: did not find expected ',' or ']', while parsing a flow sequence at line 2 column 14",
        ),
        (
            "gpu:\n\tname: a\n",
            "gpulint.yaml:2: is not valid YAML: found character that cannot start any token, while scanning for the next token",
        ),
        (
            "\"a\\n\\e[1m\": 1",
            "gpulint.yaml:1: unknown key `a\\n\\u{1b}[1m`; the keys there are `extends`, `gpu`, `scripts`, `cpu`, `tests`, `backends`, `rules`, `baseline`, `runtime`, `languages`, `exclude`",
        ),
        (
            "exclude: [\"!keep.py\"]",
            "gpulint.yaml:1: `exclude[0]` must be a glob over files relative to the project root, such as `legacy/**`, not \"!keep.py\"",
        ),
        ("gpu: *nothing\n", "gpulint.yaml:1: is not valid YAML: unknown anchor"),
        ("# first\ngpu: {}\n---\ntests: {}\n", "gpulint.yaml:3: holds more than one YAML document; keep one"),
    ];
    for (text, message) in cases {
        assert_eq!(yaml(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn what_is_wrong_in_toml_is_said_in_one_sentence() {
    let cases = [
        (
            "[tool.gpulint.gpu]\nnam = 'x'\n",
            "pyproject.toml:2: unknown key `nam` in `tool.gpulint.gpu`; did you mean `name`?",
        ),
        (
            "[tool.gpulint]\ngup = {}\n",
            "pyproject.toml:2: unknown key `gup` in `tool.gpulint`; did you mean `gpu`?",
        ),
        (
            "[tool.gpulint.gpu]\n\nname = 3090\n",
            "pyproject.toml:3: `tool.gpulint.gpu.name` must be a string, not `3090`",
        ),
        ("[tool]\ngpulint = 1\n", "pyproject.toml:2: `tool.gpulint` must be a mapping, not `1`"),
        (
            "[tool.gpulint.gpu]\nmin-memory = '20'\n",
            "pyproject.toml:2: `tool.gpulint.gpu.min-memory` must be an amount of memory such as `20GiB` (B, KB, MB, GB, TB, KiB, MiB, GiB or TiB), not \"20\"",
        ),
        (
            "[tool.gpulint.gpu]\nvisible-devices = -1\n",
            "pyproject.toml:2: `tool.gpulint.gpu.visible-devices` must be an index, a `GPU-…` or `MIG-…` UUID, or a list of accepted values, not \"-1\"",
        ),
        (
            "[tool.gpulint.rules.severity]\na = 'fatal'\n",
            "pyproject.toml:2: `tool.gpulint.rules.severity.a` cannot be `fatal`; it is one of `note`, `warning`, `error`",
        ),
        (
            "[tool.gpulint.rules.severity]\na = ['note']\n",
            "pyproject.toml:2: `tool.gpulint.rules.severity.a` must be one word",
        ),
        (
            "[[tool.gpulint.runtime.targets]]\nname = 'a'\nmode = 'gpu'\n",
            "pyproject.toml:1: `tool.gpulint.runtime.targets` lacks the key `command`",
        ),
        (
            "[tool.gpulint.gpu]\nname = 'a'\nname = 'b'\n",
            "pyproject.toml:3: is not valid TOML: duplicate key",
        ),
        ("[tool.gpulint\n", "pyproject.toml:1: is not valid TOML: unclosed table, expected `]`"),
        ("[tool.ruff]\n", "pyproject.toml: has no [tool.gpulint] table; add one or name another file"),
    ];
    for (text, message) in cases {
        assert_eq!(toml(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn what_is_not_a_text_file_is_said() {
    let folder = Folder::new().with("folder/x", "").with("latin.yaml", b"gpu:\n  name: caf\xe9\n");
    let folder = folder.with("utf16.toml", b"\xff\xfe[\0").with("large.yaml", vec![b'#'; (1 << 20) + 1]);
    let cases = [
        ("folder", "folder: is a directory; name a policy file"),
        ("absent.yaml", "absent.yaml: does not exist"),
        ("latin.yaml", "latin.yaml:2: is not valid UTF-8; save the file as UTF-8"),
        ("utf16.toml", "utf16.toml:1: is not valid UTF-8; save the file as UTF-8"),
        ("large.yaml", "large.yaml: is larger than 1 MiB, which no policy and no rule is"),
    ];
    for (name, message) in cases {
        assert_eq!(folder.load(name).unwrap_err(), message);
    }
}

#[test]
fn hostile_files_are_refused_quickly() {
    let mut laughs = String::from("a0: &a0 [x, x]\n");
    for level in 1..40 {
        laughs += &format!("a{level}: &a{level} [{0}, {0}]\n", format!("*a{}", level - 1));
    }
    let inside = format!("gpu: {{forbidden: [{}]}}\n", "&a x, *a, ".repeat(1000));
    let files = [
        laughs,
        "[".repeat(1 << 19),
        "{a: ".repeat(1 << 17),
        "[ #]\n".repeat(1 << 17),
        "- ".repeat(1 << 18),
        "? ".repeat(1 << 18),
        format!("gpu: {}1", "- ".repeat(1000)),
        "a: &a [*a]\n".to_owned(),
        "gpu: &a\n  name: *a\n".to_owned(),
        "!!binary x\n".to_owned(),
        "\0".to_owned(),
    ];
    let started = std::time::Instant::now();
    for text in files {
        assert!(yaml(&text).is_err(), "{:.40}", text);
    }
    assert!(yaml(&inside).is_ok(), "plain aliases are fine");
    let deep = format!("[tool.gpulint]\nbackends = {}", "[".repeat(1 << 17));
    assert!(toml(&deep).is_err());
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}

#[test]
fn the_nearest_policy_upwards_is_found() {
    let folder = Folder::new()
        .with("gpulint.yaml", "gpu: {name: top}")
        .with("a/pyproject.toml", "[tool.gpulint.gpu]\nname = 'a'")
        .with("a/b/pyproject.toml", "[tool.ruff]\n")
        .with("a/b/c/gpulint.yml", "gpu: {name: c}")
        .with("a/b/c/pyproject.toml", "[tool.gpulint.gpu]\nname = 'not c'")
        .with("both/gpulint.yaml", "gpu: {name: both}")
        .with("both/gpulint.yml", "gpu: {name: not both}")
        .with("broken/pyproject.toml", "[[[")
        .with("x.py", "");
    let cases = [
        ("x.py", "top", "gpulint.yaml"),
        ("not/there/yet.py", "top", "gpulint.yaml"),
        ("", "top", "gpulint.yaml"),
        ("a", "a", "a/pyproject.toml"),
        ("a/b/x.py", "a", "a/pyproject.toml"),
        ("a/b/c/d/../x.py", "c", "a/b/c/gpulint.yml"),
        ("a/b/c/../../../both/./x.py", "both", "both/gpulint.yaml"),
        ("broken/x.py", "top", "gpulint.yaml"),
    ];
    for (start, name, found) in cases {
        let (file, policy) = discover(&Disk::default(), &folder.path(start)).unwrap().unwrap();
        assert_eq!(policy.gpu.unwrap().name.unwrap(), name, "{start}");
        assert_eq!(file, folder.path(found), "{start}");
    }
    let empty = Folder::new();
    assert_eq!(discover(&Disk::default(), &empty.path("x.py")), Ok(None));
}

#[test]
fn a_policy_that_is_found_and_broken_is_never_passed_over() {
    let cases = [
        (
            "gpulint.yaml",
            "gpu: {",
            "gpulint.yaml:1: is not valid YAML: did not find expected node content, while parsing a flow node",
        ),
        (
            "pyproject.toml",
            "[tool.gpulint",
            "pyproject.toml:1: is not valid TOML: unclosed table, expected `]`",
        ),
        ("gpulint.yaml/x", "", "gpulint.yaml: is a directory; name a policy file"),
    ];
    for (name, text, message) in cases {
        let folder = Folder::new().with(name, text);
        assert_eq!(folder.shown(discover(&Disk::default(), &folder.path("x.py")).unwrap_err()), message);
    }
}

#[test]
fn the_root_is_the_work_tree_else_the_folder_of_the_outermost_policy_else_the_current_directory() {
    let folder = Folder::new().with("repo/.git/HEAD", "").with("linked/.git", "gitdir: x").with("bare/x", "");
    let cwd = folder.path("bare");
    let root = |outermost: Option<&str>, start: &str| {
        let outermost = outermost.map(|name| folder.path(name));
        project_root(outermost.as_deref(), &folder.path(start), &cwd)
    };
    assert_eq!(root(Some("repo/a"), "repo/a/b/x.py"), folder.path("repo"));
    assert_eq!(root(None, "repo/a/b/x.py"), folder.path("repo"));
    assert_eq!(root(Some("bare/a"), "bare/a/b/x.py"), folder.path("bare/a"));
    assert_eq!(root(None, "linked/a/../x.py"), folder.path("linked"));
    assert_eq!(root(None, "bare/x.py"), cwd);
}

#[test]
fn policies_are_looked_for_up_to_the_top_of_the_work_tree() {
    let folder = Folder::new()
        .with("gpulint.yaml", "backends: [cpu]")
        .with("plain/a/gpulint.yaml", "backends: [cuda]")
        .with("repo/.git/HEAD", "")
        .with("repo/gpulint.yaml", "backends: [rocm]")
        .with("repo/a/pyproject.toml", "[tool.gpulint]\nbackends = [\"mps\"]\n")
        .with("repo/a/b/pyproject.toml", "[tool.other]\n");
    let found = |start: &str| {
        let found = upwards(&Disk::default(), &folder.path(start)).unwrap();
        let shown = |path: std::path::PathBuf| path.strip_prefix(folder.path("")).unwrap().to_owned();
        (found.nearest.map(|(file, _)| shown(file)), found.outermost.map(shown))
    };
    let expected = |nearest: &str, outermost: &str| (Some(nearest.into()), Some(outermost.into()));
    assert_eq!(found("plain/a/x.py"), expected("plain/a/gpulint.yaml", ""));
    assert_eq!(found("repo/a/b/x.py"), expected("repo/a/pyproject.toml", "repo"));
    assert_eq!(found("repo/x.py"), expected("repo/gpulint.yaml", "repo"));
    let other = folder.with("other/.git/HEAD", "");
    assert_eq!(
        upwards(&Disk::default(), &other.path("other/x.py")),
        Ok(gpulint::policy::PolicySearch::default())
    );
}

#[test]
fn the_command_line_overrides_single_settings() {
    let options = [
        "gpu.visible-devices=\"1\"",
        "gpu.device=cuda:2",
        "rules.select=[all]",
        "rules.severity.missing-device-order=note",
        "rules.severity.missing-device-order=error",
        "rules.per-path.\"old/a.py\".ignore=[pinning]",
        "runtime.leak.fail=3MiB",
        "tests.cleanup=[]",
    ];
    let before = yaml(EXAMPLE).unwrap();
    let after = apply_overrides(before.clone(), &options.map(String::from)).unwrap();
    let mut expected = before;
    let gpu = expected.gpu.as_mut().unwrap();
    gpu.visible_devices = vec!["1".into()];
    gpu.device = Some("cuda:2".into());
    expected.rules.select = vec!["all".into()];
    expected.rules.severity.insert("missing-device-order".into(), Severity::Error);
    let old = gpulint::policy::PathRules { ignore: vec!["pinning".into()], ..Default::default() };
    expected.rules.per_path.push(("old/a.py".into(), old));
    expected.runtime.leak.fail = Amount { bytes: 3 << 20 };
    expected.tests.cleanup.clear();
    assert_eq!(after, expected);

    let made = apply_overrides(Policy::default(), &["gpu.name=A100".into()]).unwrap();
    assert_eq!(made.gpu.unwrap().name.unwrap(), "A100");
    assert_eq!(apply_overrides(Policy::default(), &[]), Ok(Policy::default()));
}

#[test]
fn a_wrong_override_is_named_by_its_text() {
    let cases = [
        ("gpu.nam=x", "--config gpu.nam=x: unknown key `nam` in `gpu`; did you mean `name`?"),
        ("rule.select=[all]", "--config rule.select=[all]: unknown key `rule`; did you mean `rules`?"),
        ("rules.select=all", "--config rules.select=all: `rules.select` must be a list, not \"all\""),
        ("gpu.name.x=1", "--config gpu.name.x=1: `gpu.name` must be a string, not a mapping"),
        (
            "gpu.min-memory=lots",
            "--config gpu.min-memory=lots: `gpu.min-memory` must be an amount of memory such as `20GiB` (B, KB, MB, GB, TB, KiB, MiB, GiB or TiB), not \"lots\"",
        ),
        (
            "rules.select=[all",
            "--config rules.select=[all: the value is not YAML: did not find expected ',' or ']', while parsing a flow sequence",
        ),
        (
            "rules.severity.x=warn",
            "--config rules.severity.x=warn: `rules.severity.x` cannot be `warn`; did you mean `warning`?",
        ),
        ("=x", "--config =x: needs a dotted path such as `gpu.name` before `=`"),
        ("gpu..name=x", "--config gpu..name=x: needs a dotted path such as `gpu.name` before `=`"),
        ("gpu", "--config gpu: is neither a file nor KEY=VALUE"),
        (
            "extends=o.yaml",
            "--config extends=o.yaml: `extends` counts in a policy file only; write it there, or name the file with `--config FILE`",
        ),
    ];
    for (option, message) in cases {
        let error = apply_overrides(Policy::default(), &[option.to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let long = format!("{}=1", vec!["a"; 100_000].join("."));
    assert!(apply_overrides(Policy::default(), &[long]).is_err());
}

#[test]
fn a_file_that_is_reached_twice_is_read_once() {
    let twice = |next: usize| format!("extends: [{next}.yaml, {next}.yaml]\n");
    let folder = (0..60).fold(Folder::new(), |folder, n| folder.with(&format!("{n}.yaml"), twice(n + 1)));
    let folder = folder.with("60.yaml", "gpu: {name: A}\n");
    let found = layered(&Disk::default(), Some(&folder.path("0.yaml")), &[]).unwrap();
    assert_eq!(found.policy.gpu.unwrap().name.as_deref(), Some("A"));
    // It counts where it stands highest: right below the last of those that extend it.
    let folder = Folder::new()
        .with("gpulint.yaml", "extends: [one.yaml, two.yaml]\n")
        .with("one.yaml", "extends: base.yaml\ngpu: {name: one, device: \"cuda:1\"}\n")
        .with("two.yaml", "extends: base.yaml\n")
        .with("base.yaml", "gpu: {name: base}\n");
    let found = layered(&Disk::default(), Some(&folder.path("gpulint.yaml")), &[]).unwrap();
    let files: Vec<_> = found.origins.iter().map(|origin| (origin.key.as_str(), &origin.file)).collect();
    let expected = [("gpu.device", &folder.path("one.yaml")), ("gpu.name", &folder.path("base.yaml"))];
    assert_eq!(files, expected);
}

#[test]
fn files_in_a_row_have_an_end() {
    let next = |n: usize| format!("extends: {}.yaml\n", n + 1);
    let folder = (0..200).fold(Folder::new(), |folder, n| folder.with(&format!("{n}.yaml"), next(n)));
    let error = layered(&Disk::default(), Some(&folder.path("0.yaml")), &[]).unwrap_err();
    let told = "99.yaml:1: `extends` names 100.yaml, which has more files in a row above it than anybody can follow; join some of them";
    assert_eq!(folder.shown(error), told);
}

#[test]
fn an_argument_with_an_equals_sign_is_a_file_only_when_it_exists() {
    let folder = Folder::new().with("a=b.yaml", "");
    assert!(is_override("gpu.name=x"));
    assert!(!is_override("ci/gpulint.yaml"));
    assert!(!is_override(folder.path("a=b.yaml").to_str().unwrap()));
}

#[test]
fn a_word_has_a_line() {
    let text = "# some-rule\nrules:\n  select: [some-rule-too]\n  severity:\n    some-rule: note\n";
    let folder = Folder::new().with("gpulint.yaml", text);
    assert_eq!(line_naming(&Disk::default(), &folder.path("gpulint.yaml"), "some-rule"), Some(5));
    assert_eq!(line_naming(&Disk::default(), &folder.path("gpulint.yaml"), "other"), None);
    assert_eq!(line_naming(&Disk::default(), &folder.path("absent.yaml"), "some-rule"), None);
}

#[test]
fn the_committed_schema_is_fresh() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("gpulint.schema.json");
    if std::env::var_os("GPULINT_UPDATE").is_some() {
        fs::write(&file, json_schema()).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == json_schema(),
        "gpulint.schema.json is not what the types say; run `GPULINT_UPDATE=1 cargo test --test library policy` and commit it"
    );
}

#[test]
fn every_key_in_the_schema_has_a_description() {
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
    let mut objects = vec![("policy", &schema)];
    objects.extend(schema["$defs"].as_object().unwrap().iter().map(|(name, object)| (name.as_str(), object)));
    for (name, object) in objects {
        assert!(object["description"].is_string(), "{name}");
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            assert!(value["description"].is_string() || key == "$ref", "{name}.{key}");
        }
    }
}
