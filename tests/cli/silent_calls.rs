//! In a large program a function that took much and noted nothing is not followed for ever.

use crate::project::Project;
use std::fmt::Write;
use std::fs;

/// A function of about 200 steps that is called so often, each time with something new, and a pin behind the first use of CUDA.
fn program(calls: usize) -> String {
    let mut text = "import os\n\nimport torch\n\nseen = {\"last\": 0}\n\n\ndef weigh(number):\n".to_owned();
    for turn in 0..200 {
        writeln!(text, "    total = number * {turn}").expect("room");
    }
    text += "    seen[\"last\"] = number\n    return total\n\n\ntorch.zeros(1, device=\"cuda\")\n";
    for number in 1..=calls {
        writeln!(text, "weigh({number})").expect("room");
    }
    writeln!(text, "if seen[\"last\"] == {calls}:\n    os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"")
        .expect("room");
    text
}

/// The steps that are followed, and how the late pin is told.
fn steps_and_pin(calls: usize) -> (u64, Option<String>) {
    let project = Project::new().file("main.py", program(calls));
    let counts = project.path("counts.json");
    let report = project.run_with_env("check . --no-cache --format json", "GPULINT_WORK", &counts).json();
    let counted = fs::read_to_string(&counts).expect("what was counted");
    let counted: serde_json::Value = serde_json::from_str(&counted).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let pin = findings.iter().find(|one| one["rule"] == "pin-after-cuda-init");
    let told = pin.map(|pin| pin["confidence"].as_str().expect("a word").to_owned());
    (counted["steps"].as_u64().expect("a number"), told)
}

#[test]
fn what_follows_many_calls_for_nothing_is_still_seen() {
    let (few, pin) = steps_and_pin(20);
    assert_eq!(pin.as_deref(), Some("high"), "the function is followed, and its last argument known");
    let (many, pin) = steps_and_pin(400);
    assert!(many < 15 * few, "{few} steps for 20 calls, {many} for 400");
    assert_eq!(pin.as_deref(), Some("medium"), "what the function wrote last is not known");
}
