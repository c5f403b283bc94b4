//! Calls that are answered by a summary and calls that are followed each time lead to the same findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a check of a folder prints, with or without summaries.
fn report_of(folder: &Path, with_summaries: bool) -> String {
    let mut gpulint = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    gpulint.current_dir(folder).env_remove("GPULINT_NO_SUMMARIES");
    // One worker follows all programs, so that each can use what the others did.
    gpulint.env("RAYON_NUM_THREADS", "1");
    gpulint.args(["check", "--isolated", "--no-cache", "--format", "json", "--min-severity", "note", "."]);
    if !with_summaries {
        gpulint.env("GPULINT_NO_SUMMARIES", "1");
    }
    let output = gpulint.output().expect("gpulint runs");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A copy outside of the repository, which would be the project else.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &copied),
            false => drop(fs::copy(&path, &copied).expect("a copy")),
        }
    }
}

#[test]
fn the_same_is_found_with_and_without_summaries() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![repository.join("examples/two-cards"), repository.join("examples/clean")];
    let projects = fs::read_dir(repository.join("tests/projects")).expect("projects");
    folders.extend(projects.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()));
    assert!(folders.len() > 100, "the projects are where they were");
    folders.sort();
    let scratch = std::env::temp_dir().join(format!("gpulint-summaries-{}", std::process::id()));
    // Each takes two runs; a third of them says enough at every commit.
    let differs = folders.iter().step_by(3).filter(|folder| {
        let copied = scratch.join(folder.file_name().expect("a name"));
        copy(folder, &copied);
        report_of(&copied, true) != report_of(&copied, false)
    });
    let differs: Vec<&PathBuf> = differs.collect();
    fs::remove_dir_all(&scratch).expect("the copies are removed");
    assert!(differs.is_empty(), "found differently: {differs:?}");
}

/// Generated programs that share modules and differ in how they are started: what one did is known when the next is followed.
#[test]
#[cfg(unix)]
fn programs_that_share_modules_are_judged_alike() {
    judge("alike.py", &["--count", "300"]);
}

/// The same for programs whose modules make classes, functions and objects of each other's, by settings of the program.
#[test]
#[cfg(unix)]
fn programs_that_share_classes_are_judged_alike() {
    judge("alike.py", &["--families", "--count", "200"]);
}

/// Of such programs nothing is said that CPython does not do.
#[test]
#[cfg(unix)]
fn programs_that_share_classes_take_the_devices_that_are_told() {
    judge("families.py", &["--count", "40"]);
}

#[cfg(unix)]
fn judge(script: &str, options: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/against_python").join(script);
    let mut python = Command::new("python3");
    python
        .arg("-B")
        .arg(script)
        .args(["--gpulint", env!("CARGO_BIN_EXE_gpulint"), "--seed", "1"])
        .args(options);
    let Ok(output) = python.output() else {
        assert!(std::env::var_os("GPULINT_REQUIRE_TOOLS").is_none(), "there is no python3");
        eprintln!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// What is found in programs that set a mask and a place for tensors of their own, and then run `load`.
fn found_for_places(modules: &[(&str, &str)], programs: [(u8, &str); 2]) -> [String; 2] {
    let folder =
        std::env::temp_dir().join(format!("gpulint-places-{}-{}", std::process::id(), modules[0].1.len()));
    fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("settings.py", "PLACE = 'cpu'\n");
    modules.iter().for_each(|(name, text)| write(name, text));
    for (name, (device, load)) in ["one.py", "two.py"].into_iter().zip(programs) {
        let masked = "import os\n\nos.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n";
        let place = format!("import settings\n\nsettings.PLACE = 'cuda:{device}'\n");
        write(name, &format!("{masked}\n{place}\n{load}"));
    }
    let found = [true, false].map(|with_summaries| report_of(&folder, with_summaries));
    fs::remove_dir_all(&folder).expect("the files are removed");
    found
}

const BASE: &str = "import settings\nimport torch\n\nclass Base:\n    place = settings.PLACE\n\n    def load(self):\n        return torch.zeros(1, device=self.place)\n";

/// A module makes its class as it did in another program, though the base of that class was made anew: what a third module
/// makes of it has the new base.
#[test]
fn a_base_that_was_made_anew_is_the_base_of_all_below_it() {
    let host = "from base import Base\n\nclass Host(Base):\n    kind = 'host'\n\nHost.count = 1\n";
    let tensor = "from host import Host\n\nclass Tensor(Host):\n    kind = 'tensor'\n\nTensor.count = 2\n";
    let modules = [("base.py", BASE), ("host.py", host), ("tensor.py", tensor)];
    let load = "from tensor import Tensor\n\nTensor().load()\n";
    let [known, anew] = found_for_places(&modules, [(1, load), (2, load)]);
    assert_eq!(anew.matches("\"device-outside-mask\"").count(), 2, "{anew}");
    assert_eq!(known, anew);
}

/// A module sets a name of a class whose body was left for later, as it did in another program: the body does not run after
/// that.
#[test]
fn a_name_of_a_class_is_set_behind_its_body() {
    let base = BASE.replace("settings.PLACE", "'cpu'");
    let placed = "import settings\nfrom base import Base\n\nBase.place = settings.PLACE\nobject = Base()\n\nclass Other(Base):\n    kind = 'other'\n";
    let modules = [("base.py", base.as_str()), ("placed.py", placed)];
    let load = "from placed import object\n\nobject.load()\n";
    // What imports torch in an arm is followed anew, and leaves the body of the class for later.
    let in_arm = format!("if os.environ.get('STAGE'):\n    import placed\n{load}");
    let [known, anew] = found_for_places(&modules, [(1, load), (1, &in_arm)]);
    assert_eq!(anew.matches("\"device-outside-mask\"").count(), 2, "{anew}");
    assert_eq!(known, anew);
}

/// How many modules are run where a script starts a program so, and what is found.
fn followed_and_found(commands: &str) -> (u64, usize) {
    let folder =
        std::env::temp_dir().join(format!("gpulint-starts-{}-{}", std::process::id(), commands.len()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(
        folder.join("main.py"),
        "import os\nimport torch\n\n\ndef load(name):\n    return torch.zeros(1, device=name)\n\n\n\
         if __name__ == \"__main__\":\n    mode = os.environ.get(\"CUDA_MODE\")\n    load(\"cuda\")\n    load(\"cuda:1\")\n",
    )
    .expect("a program");
    fs::write(folder.join("start.sh"), commands).expect("a script");
    let work = folder.join("work.json");
    let mut gpulint = Command::new(env!("CARGO_BIN_EXE_gpulint"));
    gpulint.current_dir(&folder).env_remove("GPULINT_NO_SUMMARIES").env("GPULINT_WORK", &work);
    gpulint.args(["check", "--isolated", "--no-cache", "--format", "json", "--min-severity", "note", "."]);
    let output = gpulint.output().expect("gpulint runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let counted = fs::read_to_string(&work).expect("what was counted");
    let counted: serde_json::Value = serde_json::from_str(&counted).expect("JSON");
    fs::remove_dir_all(&folder).expect("the folder is removed");
    let found = report["findings"].as_array().expect("findings").len();
    (counted["modules"].as_u64().expect("a number"), found)
}

#[test]
fn a_program_is_followed_once_for_all_starts_that_are_the_same_to_it() {
    let once = followed_and_found("python main.py\n");
    // A variable that it never reads, and a mask that only stands beside what it does.
    let unread = followed_and_found("python main.py\nTORCH_HOME=/cache python main.py\n");
    assert_eq!(unread, once);
    let masked = followed_and_found("python main.py\nCUDA_VISIBLE_DEVICES=1 python main.py\n");
    assert_eq!(masked.0, once.0);
    assert!(masked.1 > once.1, "what the mask of the second start brings is found: {masked:?}");
    let read = followed_and_found("python main.py\nCUDA_MODE=fast python main.py\n");
    assert!(read.0 > once.0, "it asks for this variable: {read:?}");
}
