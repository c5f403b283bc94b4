//! `gpulint doctor`: what it says of a simulated host, and its exit code.

use crate::commands::{Said, policy_folder, said};
use serde::Deserialize;
use serde_json::{Value, json};
use simulated_gpu_host::{Card, Description, Fault, SimulatedHost};

const POLICY: &str = "gpu: {name: RTX 3090, min-memory: 20GiB, visible-devices: '1', device-order: PCI_BUS_ID, \
                      forbidden: [RTX 5060 Ti]}";
const RTX_3090: &str = "GPU-30903090-0000-4000-8000-000000000002";

fn doctor(host: &SimulatedHost, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
    let mut command = host.command(env!("CARGO_BIN_EXE_gpulint"));
    command.args(["doctor", "--allow-simulated"]).args(arguments).envs(variables.iter().copied());
    said(command)
}

/// The report for programs, of a run without a policy.
fn report(host: &SimulatedHost, variables: &[(&str, &str)]) -> Value {
    let answer = doctor(host, variables, &["--isolated", "--format", "json"]);
    assert_eq!((answer.code, answer.error.as_str()), (Some(0), ""), "{}", answer.text);
    serde_json::from_str(&answer.text).expect("it is JSON")
}

fn under_policy(host: &SimulatedHost, variables: &[(&str, &str)]) -> Said {
    let folder = policy_folder(POLICY);
    doctor(host, variables, &["--config", &folder.path().join("gpulint.yaml").display().to_string()])
}

#[derive(Deserialize)]
struct Vectors {
    cards: Vec<VectorCard>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct VectorCard {
    card: String,
    uuid: String,
}

#[derive(Debug, Deserialize)]
struct Vector {
    value: Option<String>,
    order: Option<String>,
    #[serde(default)]
    visible: Vec<String>,
    error: Option<u32>,
    mig: Option<String>,
}

#[test]
fn every_value_in_every_order() {
    let Vectors { cards, vectors } =
        serde_yaml::from_str(include_str!("../vectors/visible-on-two-cards.yaml")).expect("it can be read");
    let uuid_of = |name: &String| &cards.iter().find(|card| card.card == *name).expect("it is listed").uuid;
    let host = SimulatedHost::new();
    let whole: Vec<&Vector> = vectors.iter().filter(|vector| vector.mig.is_none()).collect();
    assert!(whole.len() > 60, "{}", whole.len());
    for vector in whole {
        if vector.value.as_deref().is_some_and(|value| value.contains("MIG-")) {
            continue;
        }
        let value = vector.value.iter().map(|value| ("CUDA_VISIBLE_DEVICES", value.as_str()));
        let order = vector.order.iter().map(|order| ("CUDA_DEVICE_ORDER", order.as_str()));
        let report = report(&host, &value.chain(order).collect::<Vec<_>>());
        let driver = &report["machine"]["driver"]["answer"];
        assert_eq!(driver["code"].as_u64(), vector.error.map(u64::from), "{vector:?}");
        let seen: Vec<&str> = driver["cards"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|card| card["uuid"].as_str())
            .collect();
        let expected: Vec<&String> = vector.visible.iter().map(uuid_of).collect();
        assert_eq!(seen, expected, "{vector:?}");
        // gpulint's own reading of the variables comes to the same, and says why.
        let resolution = &report["resolution"];
        assert_eq!(resolution["surprise"], Value::Null, "{vector:?}");
        assert_eq!(resolution["ordinal_0"]["uuid"].as_str(), seen.first().copied(), "{vector:?}");
        assert_eq!(resolution["orders_differ"], Value::Bool(true));
        if vector.error.is_some() {
            assert!(
                resolution["reason"].as_str().is_some_and(|reason| reason.contains(": ")),
                "{resolution}"
            );
        }
    }
    // The driver was asked, and no memory was taken.
    let calls = host.calls();
    assert!(calls.iter().any(|call| call.symbol == "cuInit"));
    assert!(calls.iter().all(|call| !call.symbol.contains("Ctx") && !call.symbol.contains("MemAlloc")));
}

#[test]
fn the_policy_is_met_or_what_would_satisfy_it_is_said() {
    let host = SimulatedHost::new();
    let met = under_policy(&host, &[("CUDA_VISIBLE_DEVICES", RTX_3090)]);
    assert_eq!(met.code, Some(0), "{}", met.text);
    assert!(met.words().contains("met: this process gets NVIDIA GeForce RTX 3090"), "{}", met.text);
    let by_index = [("CUDA_VISIBLE_DEVICES", "1"), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")];
    assert_eq!(under_policy(&host, &by_index).code, Some(0));

    let all = under_policy(&host, &[]);
    assert_eq!(all.code, Some(5));
    assert!(
        all.words().contains(
            "not met: NVIDIA GeForce RTX 5060 Ti (GPU-50605060…) is visible too, and the policy forbids it"
        ),
        "{}",
        all.text
    );
    assert!(all.words().contains(&format!("export CUDA_VISIBLE_DEVICES={RTX_3090}")), "{}", all.text);
    assert!(all.words().contains("in PowerShell:") && all.words().contains("in cmd:"), "{}", all.text);

    let wrong = under_policy(&host, &[("CUDA_VISIBLE_DEVICES", "1")]);
    assert_eq!(wrong.code, Some(5));
    assert!(wrong.words().contains("not met: ordinal 0 is NVIDIA GeForce RTX 5060 Ti"), "{}", wrong.text);
    assert!(wrong.words().contains("CUDA_DEVICE_ORDER is not set"), "{}", wrong.text);

    let absent = SimulatedHost::new().changed(|host| host.cards.retain(|card| !card.name.contains("3090")));
    let absent = under_policy(&absent, &[]);
    assert_eq!(absent.code, Some(5));
    assert!(absent.words().contains("not met: "), "{}", absent.text);
}

#[test]
fn what_a_driver_lacks_is_named() {
    let broken: [(SimulatedHost, &str); 6] = [
        (SimulatedHost::new().without_cuda(), "no library of CUDA's driver is installed"),
        (SimulatedHost::new().without_nvml(), "NVML is not installed"),
        (SimulatedHost::new().with(Fault::NoDriver), "error 100"),
        (SimulatedHost::new().with(Fault::StubLibrary), "the toolkit's stub"),
        (SimulatedHost::new().with(Fault::VersionMismatch), "restart the machine"),
        (SimulatedHost::new().changed(|host| host.cards.clear()), "no card"),
    ];
    for (host, cause) in broken {
        let free = doctor(&host, &[], &["--isolated"]);
        assert_eq!((free.code, free.error.as_str()), (Some(0), ""), "{cause}: {}", free.text);
        assert!(free.words().contains(cause), "{cause}: {}", free.text);
        let bound = under_policy(&host, &[]);
        assert_eq!((bound.code, bound.error.as_str()), (Some(5), ""), "{cause}: {}", bound.text);
    }
}

#[test]
fn what_is_simulated_says_so() {
    let host = SimulatedHost::new();
    for format in ["text", "markdown"] {
        let page = doctor(&host, &[], &["--isolated", "--format", format]);
        assert!(page.words().contains("580.95.05 (simulated: these cards do not exist)"), "{}", page.text);
    }
    assert_eq!(report(&host, &[])["simulated"], true);
}

#[test]
fn slices_are_explained() {
    let host = SimulatedHost::new().with(Fault::Mig { card: Some("GPU-3090".into()) });
    let page = under_policy(&host, &[("CUDA_VISIBLE_DEVICES", RTX_3090)]);
    assert_eq!(page.code, Some(5));
    let slice = "slice of RTX 3090 11.8 GiB, MIG-20903090-0000-4000-8000-000000000002";
    for piece in [slice, "a program gets one slice at most", "CUDA_VISIBLE_DEVICES=MIG-…", "less than 20GiB"]
    {
        assert!(page.words().contains(piece), "{piece}: {}", page.text);
    }
    let slices = report(&host, &[])["machine"]["listing"]["answer"]["boards"][1]["slices"].clone();
    assert_eq!(slices.as_array().map(Vec::len), Some(2));
}

#[test]
fn markdown_has_the_verdict_first() {
    let host = SimulatedHost::new();
    let page =
        doctor(&host, &[], &["--isolated", "--format", "markdown", "--batch-that-fits", "32@16GiB"]).text;
    assert!(
        page.starts_with("# gpulint doctor\n\n## Policy\n\nnone: nothing says which GPU is the right one"),
        "{page}"
    );
    assert!(page.contains("\n|---|---|---|---|---|---|---|\n| 0 | RTX 5060 Ti | 15.9 GiB | "), "{page}");
    assert!(!page.contains("\n\n\n"), "{page}");
}

#[test]
fn what_a_card_could_do_at_most_is_told() {
    let mut unknown = Card::rtx_3090();
    (unknown.cores, unknown.bus_bits) = (0, 0);
    let cards = vec![Card::rtx_5060_ti(), unknown];
    let host = SimulatedHost::of(Description { cards, ..Default::default() });
    let report = report(&host, &[]);
    let boards = &report["machine"]["listing"]["answer"]["boards"];
    let limits = json!({"cores": 4608, "core_clock": 2572, "bus": 128, "memory_clock": 14001});
    assert_eq!(boards[0]["limits"], limits, "{report}");
    let limits = json!({"cores": null, "core_clock": 1695, "bus": null, "memory_clock": 9751});
    assert_eq!(boards[1]["limits"], limits);
}

#[test]
fn the_lines_that_name_a_card_by_its_uuid() {
    let host = SimulatedHost::new();
    let lines = |uuid: &str, name: &str| {
        format!(
            "  in gpulint.yaml:\n    gpu:\n      name: \"{name}\"\n      visible-devices: \"{uuid}\"\n      \
             device-order: PCI_BUS_ID\n"
        )
    };
    let of_3090 = lines(RTX_3090, "RTX 3090");
    // Without a policy each card may be the right one; under one that names it by index, only that.
    let answer = doctor(&host, &[], &["--isolated"]);
    assert!(answer.text.contains(&of_3090), "{}", answer.text);
    assert_eq!(answer.text.matches("in gpulint.yaml:").count(), 2, "{}", answer.text);
    let answer = under_policy(&host, &[]);
    assert_eq!(answer.text.matches("in gpulint.yaml:").count(), 1, "{}", answer.text);
    assert!(answer.text.contains(&of_3090), "{}", answer.text);
    let told = &report(&host, &[])["policy_lines"];
    assert_eq!(told[1]["uuid"], RTX_3090, "{told}");
    // What is offered is a policy, which is met then, and nothing more is offered.
    let folder = policy_folder(told[1]["text"].as_str().expect("a text"));
    let file = folder.path().join("gpulint.yaml").display().to_string();
    let variables = [("CUDA_VISIBLE_DEVICES", RTX_3090)];
    let answer = doctor(&host, &variables, &["--config", &file]);
    assert_eq!(answer.code, Some(0), "{}", answer.text);
    assert!(!answer.text.contains("in gpulint.yaml:"), "{}", answer.text);
}
