//! The repositories. Beside what each of them makes there is `main.py`, which has one finding.

use super::End::{Refused, Skipped};
use super::{Case, Scene};

pub const CASES: &[Case] = &[
    // Policies.
    case(
        "a policy that is a link to a secret",
        |s| s.link("../outside/secret", "gpulint.yaml"),
        refused_policy(),
    ),
    case(
        "the same, by an absolute path",
        |s| s.link(s.0.path("outside/secret"), "gpulint.yaml"),
        refused_policy(),
    ),
    case(
        "the same, by way of another link",
        |s| {
            s.link("../outside/secret", "way");
            s.link("way", "gpulint.yaml");
        },
        refused_policy(),
    ),
    case(
        "the second name of a policy",
        |s| s.link("../outside/secret", "gpulint.yml"),
        Refused(
            "gpulint.yml: leads outside of the project; put the file itself there, or name it on the command line",
        ),
    ),
    case(
        "a pyproject.toml that is a link",
        |s| s.link("../outside/secret", "pyproject.toml"),
        Refused(
            "pyproject.toml: leads outside of the project; put the file itself there, or name it on the command line",
        ),
    ),
    case("a policy that is a list of users", |s| s.link("/etc/passwd", "gpulint.yaml"), refused_policy()),
    case(
        "a policy that waits for input",
        |s| s.link("/dev/stdin", "gpulint.yaml"),
        Refused("gpulint.yaml: is no regular file; put one there"),
    ),
    case("a policy without end", |s| s.link("/dev/zero", "gpulint.yaml"), refused_policy()),
    case(
        "a policy that is a pipe",
        |s| s.pipe("gpulint.yaml"),
        Refused("gpulint.yaml: is no regular file; put one there"),
    ),
    case(
        "a pyproject.toml that is a pipe",
        |s| s.pipe("pyproject.toml"),
        Refused("pyproject.toml: is no regular file; put one there"),
    ),
    case(
        "a policy of two MiB",
        |s| s.write("gpulint.yaml", "# x\n".repeat(1 << 19)),
        Refused("gpulint.yaml: is larger than 1 MiB, which no policy and no rule is"),
    ),
    case(
        "a pyproject.toml of 20 MiB",
        |s| s.write("pyproject.toml", "# x\n".repeat(5 << 20)),
        Refused("pyproject.toml: is larger than 16 MiB, which no policy and no rule is"),
    ),
    Case {
        name: "a policy in the project that the command line names, and that is a link",
        make: |s| s.link("../../outside/secret.yaml", ".ci/policy.yaml"),
        run: "--config .ci/policy.yaml",
        end: Refused(
            ".ci/policy.yaml: leads outside of the project; put the file itself there, or name it on the command line",
        ),
    },
    // What a policy names.
    case(
        "another policy outside",
        |s| s.write("gpulint.yaml", "extends: ../outside/secret.yaml\n"),
        Refused(
            "gpulint.yaml:1: `extends` names ../outside/secret.yaml, which leads outside of the project; put it there",
        ),
    ),
    case(
        "another policy by way of a link",
        |s| {
            s.write("gpulint.yaml", "extends: more.yaml\n");
            s.link("../outside/secret.yaml", "more.yaml");
        },
        Refused(
            "gpulint.yaml:1: `extends` names more.yaml, which leads outside of the project; put it there",
        ),
    ),
    case(
        "a template outside",
        |s| s.write("gpulint.yaml", "scripts: {template: ../outside/secret}\n"),
        Refused(
            "gpulint.yaml:1: the template ../outside/secret under `scripts.template` leads outside of the project; put it there, or name it with `--config scripts.template=FILE`",
        ),
    ),
    case(
        "a template that is a link",
        |s| {
            s.write("gpulint.yaml", "scripts: {template: t.txt}\n");
            s.link("../outside/secret", "t.txt");
        },
        Refused(
            "gpulint.yaml:1: the template t.txt under `scripts.template` leads outside of the project; put it there, or name it with `--config scripts.template=FILE`",
        ),
    ),
    case(
        "a template that is a pipe",
        |s| {
            s.write("gpulint.yaml", "scripts: {template: t.txt}\n");
            s.pipe("t.txt");
        },
        Refused(
            "gpulint.yaml:1: the template t.txt under `scripts.template` is no regular file; put one there",
        ),
    ),
    case(
        "rules outside",
        |s| s.write("gpulint.yaml", "rules: {paths: [../outside/rules]}\n"),
        Refused(
            "gpulint.yaml:1: the folder ../outside/rules under `rules.paths` leads outside of the project; put the rules there, or name it with `--config rules.paths=[FOLDER]`",
        ),
    ),
    case(
        "a folder of rules that is a link",
        |s| {
            s.write("gpulint.yaml", "rules: {paths: [own]}\n");
            s.link("../outside/rules", "own");
        },
        Refused(
            "gpulint.yaml:1: the folder own under `rules.paths` leads outside of the project; put the rules there, or name it with `--config rules.paths=[FOLDER]`",
        ),
    ),
    case(
        "a rule that is a link",
        |s| {
            s.write("gpulint.yaml", "rules: {paths: [own]}\n");
            s.link("../../outside/rules/leak.yaml", "own/leak.yaml");
        },
        Refused(
            "own/leak.yaml: leads outside of the project; put the file itself there, or name it on the command line",
        ),
    ),
    case(
        "a rule that is a pipe",
        |s| {
            s.write("gpulint.yaml", "rules: {paths: [own]}\n");
            s.write("own/x.txt", "");
            s.pipe("own/leak.yaml");
        },
        Refused("own/leak.yaml: is no regular file; put one there"),
    ),
    case(
        "a baseline outside",
        |s| s.write("gpulint.yaml", "baseline: ../outside/secret.json\n"),
        Refused(
            "the baseline ../outside/secret.json leads outside of the project; put it there, or name it with --baseline",
        ),
    ),
    case(
        "a baseline that is a link",
        |s| {
            s.write("gpulint.yaml", "baseline: known.json\n");
            s.link("../outside/secret.json", "known.json");
        },
        Refused(
            "the baseline known.json leads outside of the project; put it there, or name it with --baseline",
        ),
    ),
    case(
        "a baseline that is a pipe",
        |s| {
            s.write("gpulint.yaml", "baseline: known.json\n");
            s.pipe("known.json");
        },
        Refused(
            "the baseline known.json is no regular file; name another with --baseline, or under `baseline` of the policy",
        ),
    ),
    case(
        "a baseline without end",
        |s| {
            s.write("gpulint.yaml", "baseline: known.json\n");
            s.link("/dev/zero", "known.json");
        },
        Refused(
            "the baseline known.json leads outside of the project; put it there, or name it with --baseline",
        ),
    ),
    // Sources.
    case(
        "a program that is a link",
        |s| s.link("../outside/secret.py", "x.py"),
        Skipped(&["x.py: a link that leads outside of the project"]),
    ),
    Case {
        name: "the same, named",
        make: |s| s.link("../outside/secret.py", "x.py"),
        run: "x.py main.py",
        end: Skipped(&["x.py: a link that leads outside of the project"]),
    },
    Case {
        name: "a folder that is a link, named",
        make: |s| s.link("../outside", "linked"),
        run: "linked main.py",
        end: Skipped(&["linked: a link that leads outside of the project"]),
    },
    Case {
        name: "a file in a folder that is a link, named",
        make: |s| s.link("../outside", "linked"),
        run: "linked/secret.py main.py",
        end: Skipped(&["linked/secret.py: a link that leads outside of the project"]),
    },
    case("a folder that is a link, below the project", |s| s.link("../outside", "linked"), Skipped(&[])),
    case(
        "a program that imports what a link leads to",
        |s| {
            s.link("../outside", "linked");
            s.write("imports.py", "import linked.secret\n");
        },
        Skipped(&[]),
    ),
    case(
        "the whole system as a folder",
        |s| s.link("/", "all"),
        Skipped(&["all: a symbolic link to a folder that contains it"]),
    ),
    case(
        "settings that are the environment",
        |s| s.link("/proc/self/environ", ".env"),
        Skipped(&[".env: a link that leads outside of the project"]),
    ),
    case(
        "a Dockerfile that is a list of passwords",
        |s| s.link("/etc/shadow", "Dockerfile"),
        Skipped(&["Dockerfile: a link that leads outside of the project"]),
    ),
    case(
        "a Makefile that is the log of the kernel",
        |s| s.link("/proc/kmsg", "Makefile"),
        Skipped(&["Makefile: a link that leads outside of the project"]),
    ),
    case(
        "requirements that are the memory",
        |s| s.link("/proc/self/mem", "requirements.txt"),
        Skipped(&["requirements.txt: a link that leads outside of the project"]),
    ),
    case(
        "a program without end",
        |s| s.link("/dev/zero", "zero.py"),
        Skipped(&["zero.py: a link that leads outside of the project"]),
    ),
    case(
        "a program that waits for input",
        |s| s.link("/dev/stdin", "input.py"),
        Skipped(&["input.py: not a regular file"]),
    ),
    case("a program that is a pipe", |s| s.pipe("pipe.py"), Skipped(&["pipe.py: not a regular file"])),
    case(
        "requirements that name a secret",
        |s| s.write("requirements.txt", "-r ../outside/secret\n-c /etc/shadow\n"),
        Skipped(&[]),
    ),
    case(
        "services that take their settings from elsewhere",
        |s| {
            s.write("compose.yaml", "services: {a: {image: x, env_file: [../outside/secret, /proc/self/environ], command: python other.py}}\n")
        },
        Skipped(&[]),
    ),
    case(
        "scripts that read others",
        |s| s.write("run.sh", "source ../outside/secret\n. /dev/stdin\npython other.py\n"),
        Skipped(&[]),
    ),
    // What says what git ignores.
    case(
        "patterns without end",
        |s| {
            s.git(&["init", "--quiet"]);
            s.link("/dev/zero", ".gitignore");
        },
        Skipped(&[".gitignore: a link that leads outside of the project, so it ignores nothing"]),
    ),
    case(
        "patterns from a pipe",
        |s| {
            s.git(&["init", "--quiet"]);
            s.write("sub/b.py", "");
            s.pipe("sub/.gitignore");
        },
        Skipped(&["sub/.gitignore: not a regular file, so it ignores nothing"]),
    ),
    case(
        "sixty thousand patterns",
        |s| {
            s.git(&["init", "--quiet"]);
            s.write(".gitignore", (0..60_000).map(|n| format!("**/a{n}*b?c[x-z]\n")).collect::<String>());
        },
        Skipped(&[".gitignore: larger than 1 MiB, so it ignores nothing"]),
    ),
    case(
        "six thousand patterns",
        |s| {
            s.git(&["init", "--quiet"]);
            s.write(".gitignore", (0..6_000).map(|n| format!("*a{n}*\n")).collect::<String>());
        },
        Skipped(&[".gitignore: more than 5000 patterns, so it ignores nothing"]),
    ),
    case(
        "six folders with as many patterns as one may have",
        |s| {
            s.git(&["init", "--quiet"]);
            let text: String = (0..4_900).map(|n| format!("{n}.x\n")).collect();
            (0..6).for_each(|n| s.write(&format!("{}.gitignore", "d/".repeat(n)), &text));
        },
        Skipped(&[
            "d/d/d/d/.gitignore: more than 20000 patterns with those of other folders, so it ignores nothing",
        ]),
    ),
    case(
        "patterns of a repository from a pipe",
        |s| {
            s.git(&["init", "--quiet"]);
            s.pipe("exclude");
            std::fs::remove_file(s.path(".git/info/exclude")).unwrap();
            s.link("../../exclude", ".git/info/exclude");
        },
        Skipped(&[".git/info/exclude: not a regular file, so it ignores nothing"]),
    ),
    case("a .git that has no end", |s| s.link("/dev/zero", ".git"), Skipped(&[])),
    case("a .git that is a pipe", |s| s.pipe(".git"), Skipped(&[])),
    case(
        "an index without end",
        |s| {
            s.write(".git/HEAD", "ref: refs/heads/main\n");
            s.link("/dev/zero", ".git/index");
            s.link("/dev/zero", ".git/config");
        },
        Skipped(&[]),
    ),
    // Amounts.
    case(
        "a program of 120 MB",
        |s| s.write("big.py", vec![b'#'; 120 << 20]),
        Skipped(&["big.py: larger than 16 MiB"]),
    ),
    case(
        "aliases that multiply",
        |s| {
            let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
            (1..12).for_each(|n| {
                let names = vec![format!("*a{}", n - 1); 9].join(", ");
                text.push_str(&format!("a{n}: &a{n} [{names}]\n"));
            });
            s.write("compose.yaml", text);
        },
        Skipped(&[]),
    ),
    case(
        "three thousand conditions in each other",
        |s| {
            let deep: String = (0..3_000).map(|n| format!("{}if a:\n", " ".repeat(n))).collect();
            s.write("deep.py", deep + &" ".repeat(3_000) + "pass\n");
        },
        Skipped(&["deep.py: nested more than 3000 levels deep"]),
    ),
    case(
        "a million brackets",
        |s| s.write("brackets.py", "(".repeat(1_000_000)),
        Skipped(&["brackets.py: nested more than 3000 levels deep"]),
    ),
];

const fn case(name: &'static str, make: fn(&Scene), end: super::End) -> Case {
    Case { name, make, run: "", end }
}

/// What each policy that leads outside ends with.
const fn refused_policy() -> super::End {
    Refused(
        "gpulint.yaml: leads outside of the project; put the file itself there, or name it on the command line",
    )
}
