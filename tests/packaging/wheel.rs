//! The wheel that `packaging/pyproject.toml` describes, installed with pip into an environment of its own.

use crate::scratch::{REPOSITORY, Scratch, WRONG, WRONG_RULE, printed, wheels};
use std::path::Path;

/// Prints the metadata and the licences of the installed package.
const SHOW_METADATA: &str = "
from importlib.metadata import distribution, files
gpulint = distribution('gpulint')
for key in ['Name', 'Version', 'Summary', 'License-Expression', 'Requires-Python', 'Description-Content-Type']:
    print(key, gpulint.metadata[key], sep=': ')
print('Links:', gpulint.metadata.get_all('Project-URL'))
print('Readme:', gpulint.metadata.get_payload().strip().splitlines()[0])
print('Requires:', gpulint.requires)
print('Plugins:', [(point.group, point.name, point.value) for point in gpulint.entry_points if point.group == 'pytest11'])
for file in files('gpulint'):
    if 'licenses' in file.parts:
        print(file.name, len(file.read_text()))
";

#[test]
fn wheel_installs_a_gpulint_that_works() {
    let Some(wheels) = wheels() else { return };
    let scratch = Scratch::new("wheel");
    let run = |program: &Path, arguments: &[&str]| {
        let output = scratch.command(program).args(arguments).output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        (output.status.code(), printed(&output))
    };
    let (made, text) = run(Path::new("python3"), &["-m", "venv", "environment"]);
    assert_eq!(made, Some(0), "{text}");
    let bin = scratch.path().join("environment/bin");
    let wheels = wheels.to_str().expect("a plain name");
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--find-links"];
    let (installed, text) = run(&bin.join("python"), &[pip.as_slice(), &[wheels, "gpulint"]].concat());
    assert_eq!(installed, Some(0), "{text}");

    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&bin.join("gpulint"), &["--version"]), (Some(0), format!("gpulint {version}\n")));
    // The same by the name of the module, also where the folder of the program is not in PATH.
    let python = bin.join("python");
    assert_eq!(run(&python, &["-m", "gpulint", "--version"]), (Some(0), format!("gpulint {version}\n")));
    scratch.write("predict.py", WRONG);
    let (found, text) = run(&python, &["-m", "gpulint", "check", "predict.py"]);
    assert!(found == Some(1) && text.contains(WRONG_RULE), "{text}");
    let hidden = scratch.path().join("hidden");
    std::fs::rename(bin.join("gpulint"), &hidden).expect("it is there");
    let (missing, text) = run(&python, &["-m", "gpulint", "check"]);
    assert!(missing == Some(3) && text.starts_with("error: there is no program gpulint in "), "{text}");
    std::fs::rename(&hidden, bin.join("gpulint")).expect("it is there");
    let (found, text) = run(&bin.join("gpulint"), &["check", "--format", "concise", "predict.py"]);
    assert_eq!(found, Some(1), "{text}");
    assert!(text.contains(WRONG_RULE), "{text}");

    let (_, text) = run(&bin.join("python"), &["-c", SHOW_METADATA]);
    let length = |name: &str| std::fs::read_to_string(Path::new(REPOSITORY).join(name)).unwrap().len();
    let (apache, mit) = (length("LICENSE-APACHE"), length("LICENSE-MIT"));
    assert_eq!(
        text,
        format!(
            "Name: gpulint\nVersion: {version}\nSummary: {}\nLicense-Expression: {}\nRequires-Python: >=3.8\n\
             Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM\nLinks: ['Source Code, {}']\nReadme: # gpulint\n\
             Requires: None\nPlugins: [('pytest11', 'gpulint', 'gpulint.pytest_plugin')]\n\
             LICENSE-APACHE {apache}\nLICENSE-MIT {mit}\n",
            env!("CARGO_PKG_DESCRIPTION"),
            env!("CARGO_PKG_LICENSE"),
            env!("CARGO_PKG_REPOSITORY"),
        )
    );
}

/// pytest itself is not there: what the plugin is made of is held against the files of the wheel.
#[test]
fn wheel_has_all_files_of_the_plugin() {
    let Some(wheels) = wheels() else { return };
    let wheel = std::fs::read_dir(&wheels).expect("a folder").flatten().map(|entry| entry.path());
    let wheel =
        wheel.filter(|path| path.extension().is_some_and(|ending| ending == "whl")).max().expect("a wheel");
    let scratch = Scratch::new("wheel-files");
    let list = "import sys, zipfile\nfor name in sorted(zipfile.ZipFile(sys.argv[1]).namelist()):\n    if name.startswith('gpulint/'): print(name)";
    let output =
        scratch.command("python3").args(["-c", list]).arg(&wheel).output().expect("Python is installed");
    let files = std::fs::read_dir(Path::new(REPOSITORY).join("packaging/python/gpulint"))
        .expect("a folder")
        .flatten();
    let names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> =
        names.filter(|name| name.ends_with(".py")).map(|name| format!("gpulint/{name}")).collect();
    names.sort();
    assert_eq!(printed(&output).lines().collect::<Vec<_>>(), names);
}

/// The version of the hook's package in the spelling of Python, which pip compares with that of the wheel.
#[test]
fn placeholder_asks_for_the_version_of_the_wheel() {
    let scratch = Scratch::new("placeholder");
    let backend =
        std::fs::read_to_string(Path::new(REPOSITORY).join("packaging/hook/placeholder.py")).unwrap();
    scratch.write("packaging/hook/placeholder.py", &backend);
    for (written, expected) in
        [("1.2.3", "1.2.3"), ("1.0.0-rc.1", "1.0.0rc1"), ("2.0.0-alpha.12", "2.0.0a12")]
    {
        let others = "[workspace]\nmembers = []\n\n[workspace.package]\nedition = \"2024\"\n";
        let manifest = format!("{others}version = \"{written}\"\n\n[dependencies]\nclap = \"4\"\n");
        scratch.write("Cargo.toml", &manifest);
        let ask = "import sys; sys.path.insert(0, 'packaging/hook'); import placeholder; print(placeholder.version())";
        let output =
            scratch.command("python3").args(["-B", "-c", ask]).output().expect("Python is installed");
        assert_eq!(printed(&output), format!("{expected}\n"));
    }
}
