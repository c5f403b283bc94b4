//! Programs that lead to nothing of GPUs are not followed.

use crate::project::Project;
use std::fs;

/// How many programs of a project are followed, and how many findings there are.
fn followed_and_found(files: &[(&str, &str)]) -> (u64, usize) {
    let project = files.iter().fold(Project::new(), |project, (name, text)| project.file(name, text));
    let counts = project.path("counts.json");
    let report = project.run_with_env("check . --no-cache --format json", "GPULINT_WORK", &counts).json();
    let counted = fs::read_to_string(&counts).expect("what was counted");
    let counted: serde_json::Value = serde_json::from_str(&counted).expect("JSON");
    let found = report["findings"].as_array().expect("findings").len();
    (counted["programs"].as_u64().expect("a number"), found)
}

#[test]
fn a_program_that_leads_to_no_gpu_is_not_followed() {
    let main = (
        "main.py",
        "import os\n\nimport helpers\n\nif __name__ == \"__main__\":\n    print(os.environ.get(\"APP_MODE\"))\n    helpers.run()\n",
    );
    let plain = ("helpers.py", "def run():\n    device = \"a printer\"\n    print(device)\n");
    let other = ("other.py", "import torch\n\ntorch.zeros(1).cuda()\n");
    assert_eq!(followed_and_found(&[main, plain]), (0, 0));
    assert_eq!(followed_and_found(&[main, plain, other]), (1, 1), "the other one alone");
    let far = ("helpers.py", "def run():\n    import other\n    other.go()\n");
    let library = ("other.py", "import torch\n\n\ndef go():\n    torch.zeros(1).cuda()\n");
    assert_eq!(followed_and_found(&[main, far, library]), (1, 1), "by an import in a function");
    let by_name =
        ("helpers.py", "import importlib\n\n\ndef run():\n    importlib.import_module(\"other\").go()\n");
    assert_eq!(followed_and_found(&[main, by_name, library]), (1, 1), "by a name");
    let test = ("tests/test_app.py", "def test_app(app):\n    app.go()\n");
    let fixtures = (
        "tests/conftest.py",
        "import pytest\n\nimport other\n\n\n@pytest.fixture\ndef app():\n    return other\n",
    );
    assert_eq!(followed_and_found(&[test, fixtures, library]), (1, 1), "by a fixture of the folder");
    let masked =
        ("helpers.py", "import os\n\n\ndef run():\n    os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n");
    assert_eq!(followed_and_found(&[main, masked]), (1, 0), "a mask for what it may start");
}
