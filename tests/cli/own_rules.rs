//! Rules of a project's own, in the folders under `rules.paths`.

use crate::project::Project;

const POLICY: &str = "rules:\n  paths: [gpu-rules]\n";

const RULE: &str = "\
id: team-streams
summary: streams are made by the scheduler of the team
severity: error
languages: [python]
why: Streams of one's own get in the way of the scheduler.
find:
  uses: {names: {torch.cuda.Stream: team.stream}, by: [call]}
message: \"`{name}` is called here; call `{replacement}`\"
examples:
  - title: a stream of one's own
    bad: |
      import torch
      stream = torch.cuda.Stream()
    lines: [\"2\"]
  - title: the stream of the team
    good: |
      import team
      stream = team.stream()
";

const SCRIPT: &str = "from torch.cuda import Stream as S\n\n\ndef make():\n    return S()\n";

fn project() -> Project {
    Project::new()
        .file("gpulint.yaml", POLICY)
        .file("gpu-rules/team-streams.yaml", RULE)
        .file("app.py", SCRIPT)
}

#[test]
fn a_rule_of_the_project_is_a_rule() {
    let project = project();
    let answer = project.run("check --format concise app.py");
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let expected = "app.py:5:12: error[team-streams] `torch.cuda.Stream` is called here; call `team.stream`";
    assert!(answer.stdout.contains(expected), "{answer:?}");
    // It has a page, stands in the list, can be left out, and its examples are run.
    assert!(project.run("rule team-streams").stdout.contains("- family: gpu-rules\n"));
    assert!(project.run("rules").stdout.contains("team-streams"));
    assert_eq!(project.run("check --ignore team-streams app.py").code, Some(0));
    assert_eq!(project.run("check --ignore gpu-rules app.py").code, Some(0));
    assert_eq!(project.run("rules test team-streams").code, Some(0));
    let suppressed =
        project.file("app.py", SCRIPT.replace("S()", "S()  # gpulint: ignore[team-streams] reviewed"));
    assert_eq!(suppressed.run("check app.py").code, Some(0));
}

#[test]
fn an_example_that_is_not_as_it_says() {
    let project = project().file("gpu-rules/team-streams.yaml", RULE.replace("[\"2\"]", "[\"1\"]"));
    let answer = project.run("rules test missing-device-order team-streams");
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.stdout.contains("team-streams: a stream of one's own: bad: found at 2, not at 1"),
        "{answer:?}"
    );
}

#[test]
fn a_folder_below_is_a_family() {
    let project = Project::new()
        .file("gpulint.yaml", POLICY)
        .file("gpu-rules/streams/team-streams.yml", RULE)
        .file("app.py", SCRIPT);
    assert!(project.run("rule team-streams").stdout.contains("- family: streams\n"));
    assert_eq!(project.run("check --ignore streams app.py").code, Some(0));
}

#[test]
fn bad_rules_are_refused_with_their_place_and_the_choices() {
    let cases = [
        ("find:", "fnd:", "6: unknown key `fnd`; did you mean `find`?"),
        ("uses:", "usess:", "7: unknown key `usess` in `find`; did you mean `uses`?"),
        ("error", "fatal", "3: `severity` cannot be `fatal`; it is one of `note`, `warning`, `error`"),
        ("[python]", "[pyhton]", "4: there is no language `pyhton`; did you mean `python`?"),
        (
            "id: team-streams",
            "id: streams",
            "1: the rule `streams` lies in a file of another name; call the file streams.yaml",
        ),
        ("id: team-streams", "id: Team", "1: the id `Team` has other characters than a-z, 0-9 and -"),
        ("why:", "reason:", "5: unknown key `reason`; the keys there are"),
        ("[call]", "[called]", "7: `find.uses.by[0]` cannot be `called`; did you mean `call`?"),
        (
            "message:",
            "when: [{unset: X}]\nmessage:",
            "8: the condition `unset` says nothing about written code",
        ),
        (
            "message:",
            "when:\n  - argument: {position: 0, matches: 'a(b'}\nmessage:",
            "9: `when[0].argument` must be a regular expression (unclosed group), not \"a(b\"",
        ),
        (
            "uses: {names: {torch.cuda.Stream: team.stream}, by: [call]}",
            "analysis: streams",
            "7: there is no analysis `streams`; there are ",
        ),
        (
            "uses: {names: {torch.cuda.Stream: team.stream}, by: [call]}",
            "uses: {names: {}}",
            "7: `uses` names nothing",
        ),
    ];
    for (good, bad, message) in cases {
        let project = project().file("gpu-rules/team-streams.yaml", RULE.replacen(good, bad, 1));
        for command in ["check app.py", "rules", "trace app.py"] {
            let answer = project.run(command);
            assert_eq!(answer.code, Some(2), "{bad}: {answer:?}");
            let expected = format!("error: gpu-rules/team-streams.yaml:{message}");
            assert!(answer.stderr.starts_with(&expected), "{bad}: {answer:?}");
        }
    }
}

#[test]
fn names_are_taken_once() {
    let rule = RULE.replace("id: team-streams", "id: pin-removed");
    let project = project().file("gpu-rules/pin-removed.yaml", rule);
    project.run("check app.py").fails(
        2,
        "error: gpu-rules/pin-removed.yaml:1: `pin-removed` is a rule of gpulint itself; choose another id",
    );
    let project = self::project().file("gpu-rules/more/team-streams.yaml", RULE);
    project.run("check app.py").fails(
        2,
        "error: gpu-rules/team-streams.yaml:1: the id `team-streams` is that of gpu-rules/more/team-streams.yaml too; choose another",
    );
    // The page of a rule of gpulint is there whatever the folder holds.
    assert_eq!(project.run("rule pin-removed").code, Some(0));
}

#[test]
fn folders_that_hold_no_rules() {
    let project = Project::new().file("gpulint.yaml", POLICY).file("app.py", SCRIPT);
    let missing = "error: gpulint.yaml:2: the folder gpu-rules under `rules.paths` does not exist";
    project.run("check app.py").fails(2, missing);
    let project = project.file("gpu-rules/README.md", "rules of the team");
    let empty = "error: gpulint.yaml:2: the folder gpu-rules under `rules.paths` holds no rule: a rule is a file that ends in .yaml";
    project.run("check app.py").fails(2, empty);
    let from_the_command_line = "error: --config: the folder none under `rules.paths` does not exist";
    project.run("check --isolated --config rules.paths=[none] app.py").fails(2, from_the_command_line);
}

#[test]
fn patterns_that_would_take_for_ever_elsewhere() {
    let condition = "when:\n  - argument: {position: 0, matches: '(a+)+$'}\nmessage:";
    let text = "a".repeat(100_000);
    let project = project()
        .file("gpu-rules/team-streams.yaml", RULE.replacen("message:", condition, 1))
        .file("app.py", format!("import torch\n\n\ndef make():\n    torch.cuda.Stream('{text}b')\n"));
    assert_eq!(project.run("check app.py").code, Some(0));
    let huge = "when:\n  - argument: {position: 0, matches: '((a{1000}){1000}){1000}'}\nmessage:";
    let project = project.file("gpu-rules/team-streams.yaml", RULE.replacen("message:", huge, 1));
    let answer = project.run("check app.py");
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("must be a regular expression ("), "{answer:?}");
}
