//! `gpulint init --from`: what the settings of other tools become.

use super::{init, said, written};
use crate::project::{Answer, Project};

/// The answer to `init --from`, where it wrote a policy that can be used.
#[track_caller]
fn moved(project: &Project) -> (Answer, String) {
    let answer = init(project, &["--from"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let shown = project.run("check --show-settings");
    assert_eq!(shown.code, Some(0), "{shown:?}");
    (answer, project.read("gpulint.yaml"))
}

const RUFF: &str = r#"
[tool.ruff.lint]
select = ["TID253"]
per-file-ignores = {"tests/*" = ["TID253"], "conftest.py" = ["TID"], "docs/*" = ["E501"], "!src/*" = ["TID253"]}
[tool.ruff.lint.flake8-tidy-imports]
banned-module-level-imports = ["torch", "pandas", "numba.cuda"]
[tool.ruff.lint.flake8-tidy-imports.banned-api]
cupy.msg = "no CuPy here"
"torch.cuda.synchronize".msg = "it waits"
"os.system".msg = "use subprocess"
"#;

#[test]
fn bans_of_ruff_hold_for_all_of_the_project() {
    let project = Project::new()
        .file("pyproject.toml", RUFF)
        .file("app.py", "import torch\n\n\ndef later():\n    import cupy\n\n    return cupy, torch\n")
        .file("tests/test_app.py", "import torch\n\nprint(torch)\n");
    let (answer, text) = moved(&project);
    let expected = [
        "cpu:",
        "  forbidden-imports: [\"torch\", \"numba.cuda\", \"cupy\"]",
        "rules:",
        "  per-path:",
        "    \"tests/*\": {ignore: [gpu-import-in-cpu-mode, gpu-import-reached]}",
        "    \"**/conftest.py\": {ignore: [gpu-import-in-cpu-mode, gpu-import-reached]}",
    ];
    assert_eq!(said(&text), expected);
    for line in [
        "pyproject.toml, tool.ruff.lint.flake8-tidy-imports.banned-module-level-imports\n  torch, numba.cuda: cpu.forbidden-imports,",
        "\n  pandas: stays with ruff: gpulint knows of no GPU there;",
        "banned-api\n  cupy: cpu.forbidden-imports,",
        "\n  torch.cuda.synchronize: stays with ruff, or becomes a rule of your own",
        "\n  os.system: stays with ruff: gpulint knows of no GPU there\n",
        "\n  !src/* (TID253): stays with ruff:",
    ] {
        assert!(answer.stdout.contains(line), "{line}: {}", answer.stdout);
    }
    assert!(!answer.stdout.contains("E501") && !answer.stdout.contains("docs/*"), "{}", answer.stdout);
    let found = project.run("check --format json --select gpu-import-in-cpu-mode").findings();
    assert_eq!(found, ["app.py:1 gpu-import-in-cpu-mode"]);
}

#[test]
fn one_file_of_ruff_counts_with_those_that_it_extends() {
    let project = Project::new()
        .file("pyproject.toml", RUFF)
        .file("ruff.toml", "extend = \"base/ruff.toml\"\n")
        .file("base/ruff.toml", "[flake8-tidy-imports]\nbanned-module-level-imports = [\"cupy\"]\n");
    let (answer, text) = moved(&project);
    assert_eq!(said(&text), ["cpu:", "  forbidden-imports: [\"cupy\"]"]);
    assert!(
        answer.stdout.starts_with("base/ruff.toml, flake8-tidy-imports.banned-module-level-imports\n"),
        "{}",
        answer.stdout
    );
    let ignored =
        "lint.ignore = [\"TID\"]\nlint.flake8-tidy-imports.banned-module-level-imports = [\"cupy\"]\n";
    let project = Project::new().file("ruff.toml", ignored);
    let (answer, text) = moved(&project);
    assert_eq!(said(&text), [""; 0]);
    assert!(answer.stdout.contains("  cupy: nothing: the rule is ignored there\n"), "{}", answer.stdout);
}

const CONTRACTS: &str = "\
[importlinter]
root_package = app

[importlinter:contract:cpu]
name = The command line needs no GPU
type = forbidden
source_modules =
    app.cli
    app.jobs
forbidden_modules =
    torch
    requests
    app.cuda
    app.texts
ignore_imports =
    app.cli -> app.legacy
allow_indirect_imports = True

[importlinter:contract:layers]
name = Layers
type = layers
layers =
    app.cli
    app.cuda
";

#[test]
fn contracts_that_forbid_a_gpu_become_the_cpu_part() {
    let project = Project::new()
        .file(".importlinter", CONTRACTS)
        .file("app/__init__.py", "")
        .file("app/cli.py", "import app.texts\nimport app.cuda\n\nprint(app)\n")
        .file("app/jobs/__init__.py", "")
        .file("app/jobs/night.py", "import torch\n\nprint(torch)\n")
        .file("app/texts.py", "TITLE = 1\n")
        .file("app/cuda.py", "import torch\n\nprint(torch.cuda.is_available())\n");
    let (answer, text) = moved(&project);
    let expected = [
        "cpu:",
        "  entry-points: [\"app.cli.**\", \"app.jobs.**\"]",
        "  forbidden-imports: [\"torch\"]",
        "  gpu-modules: [\"app.cuda\"]",
    ];
    assert_eq!(said(&text), expected);
    for line in [
        ".importlinter, [importlinter:contract:cpu]\n  forbids requests: stays with import-linter:",
        "\n  ignores app.cli -> app.legacy: nothing: where gpulint reports that import, `# gpulint: ignore[",
        "\n  allows indirect imports: nothing: gpulint also reports an import behind others",
        "\n  forbids app.texts: stays with import-linter: nothing on a GPU is found there;",
        "\n  app.cli.**, app.jobs.** without torch, app.cuda: cpu.entry-points and cpu.forbidden-imports, and cpu.gpu-modules",
        "[importlinter:contract:layers]\n  a contract of type layers: stays with import-linter: it says nothing of GPUs\n",
    ] {
        assert!(answer.stdout.contains(line), "{line}: {}", answer.stdout);
    }
    let found =
        project.run("check --format json --select gpu-import-in-cpu-mode,gpu-import-reached").findings();
    assert_eq!(found, ["app/cli.py:2 gpu-import-reached", "app/jobs/night.py:1 gpu-import-in-cpu-mode"]);
}

const TWO: &str = r#"
[tool.importlinter]
root_packages = ["app"]
[[tool.importlinter.contracts]]
name = "A"
type = "forbidden"
source_modules = ["app.a"]
forbidden_modules = ["torch"]
as_packages = false
[[tool.importlinter.contracts]]
name = "B"
type = "forbidden"
source_modules = ["app.b"]
forbidden_modules = ["cupy"]
"#;

#[test]
fn contracts_with_different_lists_are_told() {
    let project = Project::new().file("pyproject.toml", TWO);
    let (answer, text) = moved(&project);
    let expected =
        ["cpu:", "  entry-points: [\"app.a\", \"app.b.**\"]", "  forbidden-imports: [\"torch\", \"cupy\"]"];
    assert_eq!(said(&text), expected);
    assert!(
        answer.stdout.contains("contracts with different lists: the policy has one list"),
        "{}",
        answer.stdout
    );
    // What holds for all of the project stays as narrow as it was.
    let bans = "lint.flake8-tidy-imports.banned-module-level-imports = [\"torch\"]\n";
    let (answer, text) = moved(&Project::new().file("pyproject.toml", TWO).file("ruff.toml", bans));
    assert_eq!(said(&text), ["cpu:", "  forbidden-imports: [\"torch\"]"]);
    for line in [
        "\"A\"\n  app.a without torch: is part of what is forbidden to all of the project\n",
        "\"B\"\n  app.b.** without cupy: cupy stays with import-linter: the policy has one list,",
    ] {
        assert!(answer.stdout.contains(line), "{line}: {}", answer.stdout);
    }
}

#[test]
fn what_is_decided_about_rules_is_taken_over() {
    let preflight = "select = [\"TG001\"]\nignore = [\"tg002\", \"TG004\"]\nexclude = [\"vendor/\", \"/abs\"]\n\
                     fail_on = \"note\"\ntarget_gpu = \"rtx3090\"\n[severity]\nTG001 = \"note\"\nTG003 = \"error\"\n";
    let flake8 = "[flake8]\nmax-line-length = 99\nextend-ignore = E203,TOR2, TOR1\nselect = E,TOR\n\
                  per-file-ignores =\n    old/*: TOR101,E501\n    setup.py: TOR401\n";
    let project = Project::new().file(".torch-preflight.toml", preflight).file(".flake8", flake8);
    let (answer, text) = moved(&project);
    let expected = [
        "rules:",
        "  ignore: [deprecated-amp-api, eval-without-no-grad]",
        "  severity:",
        "    loss-keeps-graph: note",
        "  per-path:",
        "    \"old/*\": {ignore: [deprecated-amp-api]}",
        "exclude: [\"vendor\"]",
    ];
    assert_eq!(said(&text), expected);
    for line in [
        ".flake8, flake8.extend-ignore\n  TOR2: nothing: gpulint has no such rule, it is about training",
        ".flake8, flake8.per-file-ignores\n  old/* (TOR101): rules.per-path, without deprecated-amp-api\n",
        "\n  setup.py (TOR401): nothing: gpulint has no such rule, it is about speed\n",
        ".flake8, flake8.select\n  TOR: nothing: gpulint runs its recommended rules",
        ".torch-preflight.toml, fail_on\n  note: `gpulint check --fail-on note`;",
        "target_gpu\n  rtx3090: nothing: it is the card that an estimate is made for;",
        "\n  TG003 = error: stays with torch-preflight: it is about training",
        "exclude\n  vendor/: exclude, for all rules\n  /abs: nothing:",
    ] {
        assert!(answer.stdout.contains(line), "{line}: {}", answer.stdout);
    }
    let table = "[tool.torch-preflight]\nignore = [\"TG001\"]\n[tool.flake8]\nextend-ignore = [\"TOR103\"]\n";
    let text = moved(&Project::new().file("pyproject.toml", table)).1;
    assert_eq!(said(&text), ["rules:", "  ignore: [deprecated-amp-api, loss-keeps-graph]"]);
}

#[test]
fn words_of_the_command_line_count_more() {
    let project = Project::new().file(".importlinter", CONTRACTS);
    let text = written(&project, &["--from=import-linter", "--cpu=app.web", "--visible-devices", "1"]);
    let expected = [
        "gpu:",
        "  visible-devices: \"1\"",
        "  device-order: PCI_BUS_ID",
        "cpu:",
        "  entry-points: [\"app.web\"]",
        "  forbidden-imports: [\"torch\"]",
    ];
    assert_eq!(said(&text), expected);
}

#[test]
fn where_there_is_nothing_to_take_over_nothing_is_written() {
    let project = Project::new().file("pyproject.toml", "[tool.ruff]\nline-length = 99\n");
    let none = "error: this folder has no bans of ruff (TID251, TID253), no contracts of import-linter, no settings of \
                torch-preflight, no settings of TorchFix (codes with TOR in those of flake8); leave out --from";
    init(&project, &["--from"]).fails(2, none);
    let named = "error: this folder has no contracts of import-linter; leave out --from=import-linter";
    init(&project, &["--from=import-linter"]).fails(2, named);
    let broken = Project::new().file("ruff.toml", "lint = [\n");
    let answer = init(&broken, &["--from"]);
    assert!(answer.stderr.starts_with("error: ruff.toml:1 is not valid TOML: "), "{answer:?}");
    assert!(
        answer.code == Some(2)
            && !project.path("gpulint.yaml").exists()
            && !broken.path("gpulint.yaml").exists()
    );
}
