//! `--add-ignore`: comments that silence what is found, in every language, with nothing else changed.

use crate::project::{Answer, Project, answer};
use crate::{EACH_BY_ITSELF, INDEX_WITHOUT_ORDER};
use std::fs;

const POLICY: &str = "gpu: {visible-devices: \"1\", device-order: PCI_BUS_ID}\n";

fn add(project: &Project, words: &[&str]) -> Answer {
    let mut command = project.command();
    answer(command.args(["check", "--add-ignore", "meant so"]).args(words), b"")
}

/// One file under a policy: what becomes of it. A second run changes nothing, and the findings are suppressed.
#[track_caller]
fn becomes(name: &str, text: &str, expected: &str) {
    let project = Project::new().file("gpulint.yaml", POLICY).file(name, text);
    let before = project.run("check --format json").findings().len();
    assert_ne!(before, 0);
    let first = add(&project, &["--format", "json"]);
    assert_eq!(project.read(name), expected, "{first:?}");
    assert_eq!(first.code, Some(0), "{first:?}");
    let noun = if before == 1 { "finding" } else { "findings" };
    let told = format!("note: comments for {before} {noun} written to 1 file\n");
    assert!(first.stderr.starts_with(&told), "{first:?}");
    let second = add(&project, &["--format", "json"]);
    assert_eq!(second.stderr.lines().next(), Some("note: no comments were written"));
    assert_eq!((second.code, project.read(name).as_str()), (Some(0), expected));
    let checked = project.run("check --format json");
    assert_eq!(checked.json()["summary"]["suppressed"], before, "{checked:?}");
    assert_eq!(checked.findings().len(), before);
    // Nothing is left beside the files.
    assert_eq!(project.run("check --show-files").stdout.lines().count(), 1);
}

#[track_caller]
fn stays(name: &str, text: &str, reason: &str) {
    let project = Project::new().file("gpulint.yaml", POLICY).file(name, text);
    let answer = add(&project, &[]);
    assert_eq!((answer.code, project.read(name).as_str()), (Some(1), text), "{answer:?}");
    assert!(answer.stderr.contains(reason), "{answer:?}");
    assert!(answer.stderr.ends_with("note: no comments were written\n"), "{answer:?}");
}

const PIN: &str = "# gpulint: ignore[missing-device-order, wrong-visible-devices] meant so";
const OUTSIDE: &str = "# gpulint: ignore[device-not-allowed] meant so";

#[test]
fn python() {
    let head = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\n";
    let outside = "# gpulint: ignore[device-outside-mask] meant so";
    for (text, expected) in [
        ("torch.ones(1, device=\"cuda:2\")\n", format!("torch.ones(1, device=\"cuda:2\")  {outside}\n")),
        ("torch.ones(1, device=\"cuda:2\") \n", format!("torch.ones(1, device=\"cuda:2\")  {outside}\n")),
        ("torch.ones(1, device=\"cuda:2\")", format!("torch.ones(1, device=\"cuda:2\")  {outside}")),
        (
            "x = torch.ones(\n    1,\n    device=\"cuda:2\",\n)\n",
            format!("x = torch.ones(\n    1,\n    device=\"cuda:2\",  {outside}\n)\n"),
        ),
        (
            "x = \"\"\"\na\n\"\"\" + str(torch.ones(1, device=\"cuda:2\"))\n",
            format!("x = \"\"\"\na\n\"\"\" + str(torch.ones(1, device=\"cuda:2\"))  {outside}\n"),
        ),
        (
            "x = str(torch.ones(1, device=\"cuda:2\")) + \"\"\"\na\n\"\"\"\n",
            format!("x = str(torch.ones(1, device=\"cuda:2\")) + \"\"\"\na\n\"\"\"  {outside}\n"),
        ),
        (
            "x = torch.ones(1, device=\"cuda:2\") + \\\n    torch.ones(1, device=\"cuda:3\")\n",
            format!(
                "x = torch.ones(1, device=\"cuda:2\") + \\\n    torch.ones(1, device=\"cuda:3\")  {outside}\n"
            ),
        ),
        (
            "x = str(torch.ones(1, device=\"cuda:2\")) + \\\n  f\"\"\"{torch.ones(1, device='cuda:3')}\n\"\"\" + \\\n  \"\"\n",
            format!(
                "x = str(torch.ones(1, device=\"cuda:2\")) + \\\n  f\"\"\"{{torch.ones(1, device='cuda:3')}}\n\"\"\" + \\\n  \"\"  {outside}\n"
            ),
        ),
        (
            "torch.ones(1, device=\"cuda:2\")  # noqa: E501\n",
            format!("torch.ones(1, device=\"cuda:2\")  # noqa: E501  {outside}\n"),
        ),
        (
            "if True:\n\ttorch.ones(1, device=\"cuda:2\"); x = 1\n",
            format!("if True:\n\ttorch.ones(1, device=\"cuda:2\"); x = 1  {outside}\n"),
        ),
    ] {
        becomes("a.py", &format!("{head}{text}"), &format!("{head}{expected}"));
    }
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let text = "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\nimport torch\ntorch.cuda.init()\n";
    becomes("a.py", &windows(text), &windows(&text.replace("\"0\"", &format!("\"0\"  {PIN}"))));
    let first = "import torch; torch.cuda.init()";
    let both = "# gpulint: ignore[missing-device-order, missing-visible-devices] meant so";
    becomes("a.py", &format!("\u{feff}{first}"), &format!("\u{feff}{first}  {both}"));
}

#[test]
fn a_comment_that_is_there_already_names_one_rule_more() {
    let with = |comment: &str| INDEX_WITHOUT_ORDER.replace("= \"1\"", &format!("= \"0\"{comment}"));
    let text = with("  # gpulint: ignore[wrong-visible-devices] on purpose");
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", text);
    assert_eq!(add(&project, &[]).code, Some(0));
    let expected = with("  # gpulint: ignore[wrong-visible-devices, missing-device-order] on purpose");
    assert_eq!(project.read("a.py"), expected);
    let above = |rules: &str| {
        let comment = format!("# gpulint: ignore[{rules}] on purpose\n");
        with("").replace("os.environ", &format!("{comment}os.environ"))
    };
    let project = project.file("a.py", above("wrong-visible-devices"));
    assert_eq!(add(&project, &[]).code, Some(0));
    assert_eq!(project.read("a.py"), above("wrong-visible-devices, missing-device-order"));
}

#[test]
fn scripts() {
    becomes(
        "run.sh",
        "export CUDA_VISIBLE_DEVICES=0 \\\n  OTHER=1\npython -c 'import torch; torch.cuda.init()'\n",
        &format!(
            "{PIN}\nexport CUDA_VISIBLE_DEVICES=0 \\\n  OTHER=1\npython -c 'import torch; torch.cuda.init()'\n"
        ),
    );
    becomes(
        "run.ps1",
        "$env:CUDA_VISIBLE_DEVICES = `\r\n  \"0\"\r\npython -c 'import torch; torch.cuda.init()'",
        &format!(
            "$env:CUDA_VISIBLE_DEVICES = `\r\n  \"0\"  {PIN}\r\npython -c 'import torch; torch.cuda.init()'"
        ),
    );
    let rem = PIN.replace('#', "rem");
    becomes(
        "run.bat",
        "@echo off\r\nif 1==1 (\r\n  set CUDA_VISIBLE_DEVICES=0\r\n)\r\npython -c \"import torch; torch.cuda.init()\"\r\n",
        &format!(
            "@echo off\r\nif 1==1 (\r\n  {rem}\r\n  set CUDA_VISIBLE_DEVICES=0\r\n)\r\npython -c \"import torch; torch.cuda.init()\"\r\n"
        ),
    );
    becomes(".env", "A=1\nCUDA_VISIBLE_DEVICES=0", &format!("A=1\n{PIN}\nCUDA_VISIBLE_DEVICES=0"));
    becomes(
        "Makefile",
        "train:\n\texport CUDA_VISIBLE_DEVICES=0; python -c 'import torch; torch.cuda.init()'\n",
        &format!(
            "train:\n{PIN}\n\texport CUDA_VISIBLE_DEVICES=0; python -c 'import torch; torch.cuda.init()'\n"
        ),
    );
}

#[test]
fn settings_and_containers() {
    becomes(
        "Dockerfile",
        "FROM nvidia/cuda:12\nRUN apt-get update \\\n    # text\n    && export CUDA_VISIBLE_DEVICES=0 \\\n    && python -c 'import torch; torch.cuda.init()'\n",
        &format!(
            "FROM nvidia/cuda:12\nRUN apt-get update \\\n    # text\n    {PIN}\n    && export CUDA_VISIBLE_DEVICES=0 \\\n    && python -c 'import torch; torch.cuda.init()'\n"
        ),
    );
    let workflow = |comment: &str| {
        format!(
            "jobs:\n  a:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: |\n          \
             export CUDA_VISIBLE_DEVICES=0{comment}\n          python -c 'import torch; torch.cuda.init()'\n"
        )
    };
    becomes(".github/workflows/x.yml", &workflow(""), &workflow(&format!("  {PIN}")));
    becomes("c.yaml", "a:\n  device: \"cuda:3\"\n", &format!("a:\n  device: \"cuda:3\"  {OUTSIDE}\n"));
    becomes("c.toml", "device = \"cuda:3\"", &format!("device = \"cuda:3\"  {OUTSIDE}"));
    becomes(
        "c.jsonc",
        "{\n  \"device\": \"cuda:3\"\n}\n",
        &format!("{{\n  \"device\": \"cuda:3\"  {}\n}}\n", OUTSIDE.replace('#', "//")),
    );
    becomes(
        "pytest.ini",
        "[pytest]\nenv =\n    CUDA_VISIBLE_DEVICES=0\n",
        &format!("[pytest]\nenv =\n    {PIN}\n    CUDA_VISIBLE_DEVICES=0\n"),
    );
    becomes(
        "main.rs",
        "fn main() {\n    std::env::set_var(\"CUDA_VISIBLE_DEVICES\", \"0\");\n    let dev = cudarc::driver::CudaContext::new(0);\n}\n",
        &format!(
            "fn main() {{\n    std::env::set_var(\"CUDA_VISIBLE_DEVICES\", \"0\");  {}\n    let dev = cudarc::driver::CudaContext::new(0);\n}}\n",
            PIN.replace('#', "//")
        ),
    );
}

#[test]
fn notebooks() {
    let cell = |source: &str| {
        format!(
            "{{\"cells\": [\n {{\"cell_type\": \"code\", \"source\": {source},\n  \"outputs\": [{{\"text\": \"\\u00e9\"}}]}}\n], \
             \"metadata\": {{\"a\":  1}}, \"nbformat\": 4}}"
        )
    };
    // A magic takes its whole line.
    becomes(
        "n.ipynb",
        &cell("[\n    \"%env CUDA_VISIBLE_DEVICES=0\\n\",\n    \"import torch\\n\"\n  ]"),
        &cell(&format!(
            "[\n    \"{PIN}\\n\",\n    \"%env CUDA_VISIBLE_DEVICES=0\\n\",\n    \"import torch\\n\"\n  ]"
        )),
    );
    let text = |comment: &str| {
        cell(&format!(
            "[\"x = '\\u00e9😀'\\n\", \"import os\\nos.environ[\\\"CUDA_VISIBLE_DEVICES\\\"] = \\\"0\\\"{comment}\\nimport torch\"]"
        ))
    };
    becomes("n.ipynb", &text(""), &text(&format!("  {PIN}")));
    let text = |comment: &str| {
        cell(&format!("\"{comment}!CUDA_VISIBLE_DEVICES=0 python -c 'import torch; torch.cuda.init()'\""))
    };
    becomes("n.ipynb", &text(""), &text(&format!("{PIN}\\n")));
}

#[test]
fn where_no_comment_can_stand() {
    let policy = "JSON has no comments; use `rules.per-path` of the policy";
    stays(
        "c.json",
        "{\"device\": \"cuda:3\"}\n",
        &format!("note: c.json:1: device-not-allowed stays: {policy}\n"),
    );
    let unused = "x = 1  # gpulint: ignore[device-not-allowed]\n";
    stays(
        "a.py",
        unused,
        "unused-suppression stays: it is about such a comment; correct the comment instead\n",
    );
}

#[test]
fn only_what_is_shown_is_silenced() {
    let two = format!(
        "{}import torch\ntorch.ones(1, device=\"cuda:3\")\n",
        INDEX_WITHOUT_ORDER.replace("\"1\"", "\"0\"")
    );
    let project =
        Project::new().file("gpulint.yaml", POLICY).file("a.py", &two).file("b.py", INDEX_WITHOUT_ORDER);
    let answer = add(&project, &["--select", "wrong-visible-devices", "a.py"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let one = two.replace("\"0\"", "\"0\"  # gpulint: ignore[wrong-visible-devices] meant so");
    assert_eq!((project.read("a.py"), project.read("b.py").as_str()), (one, INDEX_WITHOUT_ORDER));
    // What the baseline knows needs no comment, and its lines stay as they are, or it would not know them any more.
    let project = Project::new().file("gpulint.yaml", POLICY).file("a.py", &two);
    assert_eq!(project.run("check --write-baseline --select wrong-visible-devices").code, Some(0));
    let answer = add(&project, &["--baseline", "gpulint-baseline.json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let text = project.read("a.py");
    let above =
        "# gpulint: ignore[missing-device-order] meant so\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n";
    assert!(text.contains(above), "{text}");
    assert!(text.ends_with("  # gpulint: ignore[device-outside-mask] meant so\n"), "{text}");
    let checked = project.run("check --baseline gpulint-baseline.json --format json");
    assert_eq!(checked.json()["summary"]["baselined"], 1);
    assert_eq!(checked.stderr.lines().count(), 1, "{checked:?}");
}

#[test]
fn a_reason_that_would_end_the_comment_is_refused() {
    let project = Project::new().file("a.py", INDEX_WITHOUT_ORDER);
    for (reason, fault) in [
        ("", "says nothing; say why the findings are meant"),
        ("  ", "says nothing; say why the findings are meant"),
        ("two\nlines", "must be one line of text"),
        ("a # b", "must not hold the marks of a comment"),
    ] {
        let refused = answer(project.command().args(["check", "--add-ignore", reason]), b"");
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains(&format!("the reason {fault}")), "{refused:?}");
    }
    let input = answer(project.command().args(["check", "--add-ignore", "x", "-"]), b"");
    input.fails(2, "error: --add-ignore writes to files, and `-` reads standard input");
    assert_eq!(project.read("a.py"), INDEX_WITHOUT_ORDER);
    let brackets = answer(project.command().args(["check", "--add-ignore", "see [1], \"é\" & more"]), b"");
    assert_eq!(brackets.code, Some(0), "{brackets:?}");
}

#[test]
#[cfg(unix)]
fn permissions_and_links_stay_and_what_cannot_be_written_is_told() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = Project::new()
        .file("gpulint.yaml", EACH_BY_ITSELF)
        .file("a.py", INDEX_WITHOUT_ORDER)
        .file("b.py", INDEX_WITHOUT_ORDER);
    let mode =
        |name: &str, mode| fs::set_permissions(project.path(name), fs::Permissions::from_mode(mode)).unwrap();
    mode("a.py", 0o751);
    mode("b.py", 0o444);
    symlink("a.py", project.path("link.py")).unwrap();
    let answer = add(&project, &["link.py", "b.py"]);
    let told = "note: b.py cannot be written (it is read-only), so it has no comments\n\
                note: comments for 1 finding written to 1 file\n";
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(1), told), "{answer:?}");
    assert!(answer.stdout.contains("b.py:2"), "{answer:?}");
    assert_eq!(project.read("b.py"), INDEX_WITHOUT_ORDER);
    assert!(project.read("a.py").contains("gpulint: ignore"));
    assert!(fs::symlink_metadata(project.path("link.py")).unwrap().is_symlink());
    assert_eq!(fs::metadata(project.path("a.py")).unwrap().permissions().mode() & 0o777, 0o751);
}
