//! `--changed-lines`: only findings on lines that changed, by git.

use crate::git::{commit, git, git_in};
use crate::project::{Answer, Project};
use crate::{EACH_BY_ITSELF, INDEX_WITHOUT_ORDER};
use std::fs;

/// A repository with one commit, in which `a.py` has an old finding on line 2.
fn repository() -> Project {
    let project = Project::new().file("gpulint.yaml", EACH_BY_ITSELF).file("a.py", INDEX_WITHOUT_ORDER);
    git(&project, "init -q");
    commit(&project);
    project
}

fn changed(project: &Project, words: &str) -> Answer {
    project.run(&format!("check --format json --changed-lines {words}"))
}

/// The findings, and how many are hidden.
#[track_caller]
fn shown(project: &Project) -> (Vec<String>, u64) {
    seen(&changed(project, "main"))
}

#[track_caller]
fn seen(answer: &Answer) -> (Vec<String>, u64) {
    let findings = answer.findings();
    assert_eq!(answer.code, Some(i32::from(!findings.is_empty())), "{answer:?}");
    (findings, answer.json()["summary"]["unchanged"].as_u64().expect("a number"))
}

#[track_caller]
fn is_shown(project: &Project, finding: &str) {
    let shown = shown(project).0;
    assert!(shown.contains(&finding.to_owned()), "{shown:?}");
}

#[test]
fn old_findings_are_hidden_and_counted() {
    let project = repository();
    assert_eq!(shown(&project), (vec![], 1));
    let answer = project.run("check --changed-lines main");
    answer.is(0, "Checked 1 file: no findings (1 finding on unchanged lines hidden).\n", "");
    // Another line of the file changes.
    let project = project.file("a.py", format!("{INDEX_WITHOUT_ORDER}\nprint(1)\n"));
    assert_eq!(shown(&project), (vec![], 1));
    let project = project.file("a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    assert_eq!(shown(&project), (vec!["a.py:2 missing-device-order".to_owned()], 0));
    git(&project, "add a.py");
    is_shown(&project, "a.py:2 missing-device-order");
    git(&project, "checkout -q -b work");
    commit(&project);
    is_shown(&project, "a.py:2 missing-device-order");
    assert_eq!(seen(&changed(&project, "HEAD")), (vec![], 1));
    git(&project, "checkout -q --detach");
    is_shown(&project, "a.py:2 missing-device-order");
    assert_eq!(seen(&changed(&project, "HEAD~1")), (vec!["a.py:2 missing-device-order".to_owned()], 0));
}

#[test]
fn what_others_did_to_the_branch_since_counts_for_nothing() {
    let project = repository();
    git(&project, "branch work");
    let project = project.file("a.py", format!("import sys\n{INDEX_WITHOUT_ORDER}"));
    commit(&project);
    git(&project, "checkout -q work");
    assert_eq!(shown(&project), (vec![], 1));
    let project = project.file("b.py", INDEX_WITHOUT_ORDER);
    assert_eq!(shown(&project), (vec!["b.py:2 missing-device-order".to_owned()], 1));
}

#[test]
fn a_changed_cause_shows_the_finding() {
    let order = "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n";
    let text = format!("{order}{INDEX_WITHOUT_ORDER}").replacen(
        "import os\nos.environ[\"CUDA_V",
        "os.environ[\"CUDA_V",
        1,
    );
    let project = repository().file("a.py", &text);
    assert_eq!(project.run("check").code, Some(0), "{text}");
    commit(&project);
    let project = project.file("a.py", INDEX_WITHOUT_ORDER);
    is_shown(&project, "a.py:2 missing-device-order");
    // A related place in another file.
    let late = "import helper\nhelper.start()\nimport os\n\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"GPU-1\"\nhelper.start()\n";
    let project =
        project.file("a.py", "").file("late.py", late).file("helper.py", "def start():\n    pass\n");
    commit(&project);
    assert_eq!(shown(&project), (vec![], 0));
    let project = project.file("helper.py", "import torch\ndef start():\n    torch.cuda.init()\n");
    let all = project.run("check --format json").findings();
    assert!(all.contains(&"late.py:5 pin-after-cuda-init".to_owned()), "{all:?}");
    is_shown(&project, "late.py:5 pin-after-cuda-init");
}

#[test]
fn new_renamed_copied_and_deleted_files() {
    let long = format!("{INDEX_WITHOUT_ORDER}{}", "print('a line that stays')\n".repeat(20));
    let project = repository().file("a.py", &long).file("other.py", "x = 1\n");
    commit(&project);
    fs::create_dir(project.path("sub")).unwrap();
    git(&project, "mv a.py sub/renamed.py");
    assert_eq!(shown(&project), (vec![], 1));
    let project = project.file("sub/renamed.py", long.replace("\"1\"", "\"2\""));
    assert_eq!(shown(&project), (vec!["sub/renamed.py:2 missing-device-order".to_owned()], 0));
    git(&project, "checkout -q -f main");
    git(&project, "reset -q --hard");
    let project = project.file("copied.py", &long);
    assert_eq!(shown(&project), (vec!["copied.py:2 missing-device-order".to_owned()], 1));
    git(&project, "add copied.py");
    git(&project, "config diff.renames copies");
    assert_eq!(shown(&project), (vec!["copied.py:2 missing-device-order".to_owned()], 1));
    fs::remove_file(project.path("other.py")).unwrap();
    fs::remove_file(project.path("a.py")).unwrap();
    // Now it is a new name.
    assert_eq!(shown(&project), (vec![], 1));
}

#[test]
fn names_of_any_kind() {
    let mut names = vec!["with blank.py", "grün.py", "日本.py", "sub folder/é x.py"];
    if cfg!(unix) {
        names.extend([
            "quote\"d.py",
            "back\\slash.py",
            "line\nfeed.py",
            "tab\t.py",
            ":(top)x.py",
            "*.py",
            "-x.py",
        ]);
    }
    let old = names.iter().fold(repository(), |project, name| project.file(name, INDEX_WITHOUT_ORDER));
    commit(&old);
    let count = names.len() as u64 + 1;
    assert_eq!(shown(&old), (vec![], count));
    let edited = INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\"");
    for name in names {
        fs::write(old.path(name), &edited).unwrap();
        assert_eq!(shown(&old), (vec![format!("{name}:2 missing-device-order")], count - 1));
        fs::write(old.path(name), INDEX_WITHOUT_ORDER).unwrap();
    }
}

#[test]
fn what_an_attribute_calls_binary_has_lines_here() {
    let project = repository().file(".gitattributes", "*.py binary\n").file("data.bin", [0, 1, 2, 255]);
    commit(&project);
    let project =
        project.file("a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\"")).file("data.bin", [0, 9]);
    is_shown(&project, "a.py:2 missing-device-order");
    let project = project.file("a.py", format!("{INDEX_WITHOUT_ORDER}# text\n"));
    assert_eq!(shown(&project), (vec![], 1));
}

#[test]
fn lines_of_notebooks_are_those_of_the_file() {
    let notebook = |mask: &str, end: &str| {
        format!(
            "{{\"cells\": [\n {{\"cell_type\": \"code\", \"source\": [\"import os\\n\",\n  \
             \"os.environ['CUDA_VISIBLE_DEVICES'] = '{mask}'\\n\",\n  \"import torch\\n\",\n  \
             \"torch.cuda.init()\\n\"]}}\n], \"metadata\": {{}}, \"nbformat\": 4{end}}}\n"
        )
    };
    let project = repository().file("a.py", "").file("n.ipynb", notebook("1", ""));
    commit(&project);
    let project = project.file("n.ipynb", notebook("1", ",\n \"nbformat_minor\": 5"));
    assert_eq!(shown(&project), (vec![], 1));
    let project = project.file("n.ipynb", notebook("2", ""));
    assert_eq!(shown(&project).1, 0);
}

#[test]
fn a_project_below_the_top_of_the_repository() {
    let project = Project::new()
        .file("app/gpulint.yaml", EACH_BY_ITSELF)
        .file("app/a.py", INDEX_WITHOUT_ORDER)
        .file("app/b.py", INDEX_WITHOUT_ORDER)
        .file("a.py", "");
    git(&project, "init -q");
    commit(&project);
    let project = project.file("app/b.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    git(&project, "config diff.relative true");
    let answer = project.run_in("app", "check --format json --changed-lines main");
    assert_eq!(seen(&answer), (vec!["app/b.py:2 missing-device-order".to_owned()], 1));
}

#[test]
fn a_linked_work_tree_and_a_hook_in_it() {
    let project = repository();
    git(&project, "worktree add -q -b work tree");
    let project = project.file("tree/a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    let in_tree = |variables: &[(&str, String)]| {
        let mut command = project.command();
        command.current_dir(project.path("tree")).args([
            "check",
            "--format",
            "json",
            "--changed-lines",
            "main",
        ]);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        seen(&crate::project::answer(&mut command, b""))
    };
    let found = (vec!["a.py:2 missing-device-order".to_owned()], 0);
    assert_eq!(in_tree(&[]), found);
    // What a hook of the main work tree exports must not lead there, and what compares files for people is not run.
    let dot_git = project.path(".git").display().to_string();
    let variables = [
        ("GIT_DIR", dot_git.clone()),
        ("GIT_WORK_TREE", project.root().display().to_string()),
        ("GIT_INDEX_FILE", format!("{dot_git}/next-index-1.lock")),
        ("GIT_PREFIX", "sub/".to_owned()),
        ("GIT_EXTERNAL_DIFF", "false".to_owned()),
        ("GIT_DIFF_OPTS", "--unified=9".to_owned()),
        ("GIT_PAGER", "false".to_owned()),
    ];
    assert_eq!(in_tree(&variables), found);
}

#[test]
fn settings_of_git_change_nothing() {
    let project = repository();
    for setting in [
        "diff.external=false",
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.srcPrefix=x/",
        "diff.context=20",
        "diff.interHunkContext=20",
        "diff.renames=copies",
        "color.ui=always",
        "color.diff=always",
        "core.pager=false",
        "core.quotePath=true",
        "core.fsmonitor=false-no-program",
        "diff.python.textconv=false",
        "diff.python.command=false",
        "diff.wordRegex=.",
        "diff.submodule=diff",
        "diff.algorithm=histogram",
        "diff.suppressBlankEmpty=true",
        "status.showUntrackedFiles=no",
    ] {
        let (key, value) = setting.split_once('=').unwrap();
        git(&project, &format!("config {key} {value}"));
    }
    let project = project.file(".gitattributes", "*.py diff=python\n");
    git(&project, "add .gitattributes");
    assert_eq!(shown(&project), (vec![], 1));
    let project = project
        .file("grün.py", INDEX_WITHOUT_ORDER)
        .file("a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    let both = ["a.py:2 missing-device-order", "grün.py:2 missing-device-order"].map(str::to_owned);
    assert_eq!(shown(&project), (both.to_vec(), 0));
}

#[test]
fn submodules_have_lines_of_their_own() {
    let inner = Project::new().file("x.py", INDEX_WITHOUT_ORDER).file("y.py", "");
    git(&inner, "init -q");
    commit(&inner);
    let project = repository();
    git_in(
        project.root(),
        &["submodule", "--quiet", "add", &inner.root().display().to_string(), "sub/inner"],
    );
    assert_eq!(shown(&project), (vec!["sub/inner/x.py:2 missing-device-order".to_owned()], 1));
    commit(&project);
    assert_eq!(shown(&project), (vec![], 2));
    let project =
        project.file("sub/inner/y.py", INDEX_WITHOUT_ORDER).file("sub/inner/z.py", INDEX_WITHOUT_ORDER);
    let both =
        ["sub/inner/y.py:2 missing-device-order", "sub/inner/z.py:2 missing-device-order"].map(str::to_owned);
    assert_eq!(shown(&project), (both.to_vec(), 2));
    git_in(&project.path("sub/inner"), &["add", "-A"]);
    git_in(&project.path("sub/inner"), &["commit", "-q", "-m", "x"]);
    assert_eq!(shown(&project), (both.to_vec(), 2));
    // A repository that only lies there.
    git_in(project.root(), &["clone", "-q", &inner.root().display().to_string(), "lies-here"]);
    is_shown(&project, "lies-here/x.py:2 missing-device-order");
}

#[test]
fn what_git_ignores_did_not_change() {
    let project = repository().file(".gitignore", "made.py\n").file("made.py", INDEX_WITHOUT_ORDER);
    let answer = changed(&project, "main made.py");
    assert_eq!(seen(&answer), (vec![], 1));
}

#[test]
#[cfg(unix)]
fn links() {
    use std::os::unix::fs::symlink;
    let project = repository();
    symlink(".", project.path("around")).unwrap();
    symlink("a.py", project.path("old.py")).unwrap();
    commit(&project);
    let project = project.file("a.py", INDEX_WITHOUT_ORDER.replace("\"1\"", "\"2\""));
    let both = ["a.py:2 missing-device-order", "old.py:2 missing-device-order"].map(str::to_owned);
    assert_eq!(shown(&project), (both.to_vec(), 0));
    let through = project.run_in("around", "check --format json --changed-lines main a.py");
    assert_eq!(seen(&through).0, [both[0].clone()]);
    git(&project, "checkout -q a.py");
    symlink("a.py", project.path("new.py")).unwrap();
    assert_eq!(shown(&project), (vec!["new.py:2 missing-device-order".to_owned()], 2));
}

#[test]
fn what_git_cannot_tell_is_said_in_one_sentence() {
    let project = repository();
    let unknown = "there is no such commit, branch or tag in this repository";
    changed(&project, "nope").fails(2, &format!("error: --changed-lines nope: {unknown}"));
    let dash = project.run("check --changed-lines=--output=x");
    dash.fails(2, &format!("error: --changed-lines --output=x: {unknown}"));
    let input = project.run("check - --changed-lines main");
    input.fails(2, "error: --changed-lines compares files, and `-` reads standard input");
    assert_eq!(project.run("check --changed-lines main --write-baseline").code, Some(2));

    let plain = Project::new().file("a.py", "");
    let told =
        format!("what changed is a question to git, and {} lies in no git work tree", plain.root().display());
    changed(&plain, "main").fails(2, &format!("error: {told}"));
    git(&plain, "init -q");
    let told =
        "--changed-lines main: the repository has no commit yet; leave --changed-lines out until it has one";
    changed(&plain, "main").fails(2, &format!("error: {told}"));

    git(&project, "checkout -q --orphan other");
    commit(&project);
    let told = "--changed-lines main: main and HEAD have no commit in common, so nothing says what changed";
    changed(&project, "main").fails(2, &format!("error: {told}"));

    let no_git = project.run_with_env("check --changed-lines main", "PATH", project.root());
    no_git.fails(2, "error: what changed is a question to git, and there is no program `git` in PATH");
}

#[test]
#[cfg(unix)]
fn a_repository_of_somebody_else_is_told_how_to_trust_it() {
    let project = repository();
    let given = std::os::unix::fs::chown(project.root(), Some(12345), None)
        .and_then(|()| std::os::unix::fs::chown(project.path(".git"), Some(12345), None));
    if given.is_err() {
        eprintln!("skipped: this user cannot give files away");
        return;
    }
    let told = format!(
        "git refuses to read {}, which belongs to another user; `git config --global --add safe.directory '*'` \
         trusts it, for example in a container",
        project.root().display()
    );
    changed(&project, "main").fails(2, &format!("error: {told}"));
    let mut trusting = project.command();
    trusting.args(["check", "--format", "json", "--changed-lines", "main"]);
    let settings = [("COUNT", "1"), ("KEY_0", "safe.directory"), ("VALUE_0", "*")];
    trusting.envs(settings.map(|(name, value)| (format!("GIT_CONFIG_{name}"), value)));
    assert_eq!(seen(&crate::project::answer(&mut trusting, b"")), (vec![], 1));
}

#[test]
fn a_shallow_clone_is_told_how_to_fetch_more() {
    let origin = repository();
    git(&origin, "checkout -q -b work");
    commit(&origin);
    git(&origin, "checkout -q main");
    commit(&origin);
    let project = Project::new();
    let from = format!("file://{}", origin.root().display());
    git_in(
        project.root(),
        &["clone", "-q", "--depth", "1", "--no-single-branch", "-b", "work", &from, "clone"],
    );
    let answer = project.run_in("clone", "check --changed-lines origin/main");
    let told = "--changed-lines origin/main: this clone is shallow, and the commit where origin/main and HEAD parted is not in \
                it; run `git fetch --unshallow`, or set `fetch-depth: 0` in a workflow";
    answer.fails(2, &format!("error: {told}"));
    let answer = project.run_in("clone", "check --changed-lines v1");
    let told = "--changed-lines v1: there is no such commit, branch or tag in this shallow clone; fetch it, with \
                `git fetch --unshallow` or with `fetch-depth: 0` in a workflow";
    answer.fails(2, &format!("error: {told}"));
    git_in(&project.path("clone"), &["fetch", "-q", "--unshallow"]);
    assert_eq!(project.run_in("clone", "check --changed-lines origin/main").code, Some(0));
}
