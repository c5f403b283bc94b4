//! Every kind of page in a real browser, light and dark, on a narrow and on a wide screen: nothing is cut off, all text can be told
//! from its ground, and the verdict has its colour. `GPULINT_PICTURES=FOLDER` keeps what was seen, as PNG in base 64.

use crate::browser::{Browser, CONTRAST};
use crate::project::Project;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What is wrong with the page, in words; nothing where it reads well.
const FAULTS: &str = "
    const faults = [];
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (rgb(colour)[3] === 255) return colour;
        }
        return dark ? '#121212' : 'white';
    };
    for (const element of document.body.querySelectorAll('*')) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!own || !element.checkVisibility() || element.closest('script, style, meter, select, title')) continue;
        const inside = element.closest('svg');
        const style = getComputedStyle(element);
        const text = element.textContent.trim().slice(0, 60);
        if (!inside && contrast(style.color, ground(element)) < 4.5) faults.push(`faint: ${text}`);
        if (inside && !inside.closest('.picture')) {
            if (contrast(style.fill, ground(inside)) < 3) faults.push(`faint: ${text}`);
            const box = element.getBBox(), {width, height} = inside.viewBox.baseVal;
            if (box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height) faults.push(`cut off: ${text}`);
        }
        if (!inside && style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth) faults.push(`cut off: ${text}`);
    }
    return faults;
";

fn snapshot(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name)
}

/// The name of each page, and its text.
fn pages() -> Vec<(&'static str, String)> {
    let read = |name: &str| fs::read_to_string(snapshot(name)).expect("it is committed");
    let project = Project::new()
        .file("train.py", "import os\nimport torch\ntorch.zeros(1, device=\"cuda\")\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n")
        .file("run.sh", "CUDA_VISIBLE_DEVICES=0 python train.py\n");
    vec![
        ("check", project.run("check --format html").stdout),
        ("map", project.run("map --format html").stdout),
        ("rejected", read("validation/rejected.html")),
        ("both", read("validation/both.html")),
        ("environment", read("validation/environment.html")),
        ("fleet", read("fleet/merged.html")),
    ]
}

#[test]
fn pages_read_well_on_each_screen_and_ground() {
    let folder = Project::new();
    let Some(mut browser) = Browser::start(folder.path("profile")) else { return };
    let faults = format!("(() => {{ {CONTRAST} {FAULTS} }})()");
    for (name, text) in pages() {
        let file = folder.path(&format!("{name}.html"));
        fs::write(&file, text).expect("writable");
        browser.load(&format!("file://{}", file.display()));
        // What is folded is read, too.
        browser.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
        for scheme in ["light", "dark"] {
            browser.prefer(scheme);
            for width in [400, 1400] {
                browser.resize_to(width, false);
                assert_eq!(browser.value(&faults), json!([]), "{name}, {scheme}, {width}");
                if let Some(kept) = std::env::var_os("GPULINT_PICTURES") {
                    let kept = Path::new(&kept).join(format!("{name}-{scheme}-{width}.base64"));
                    fs::write(kept, browser.picture()).expect("writable");
                }
            }
        }
        browser.is_content();
    }
}

/// A title in the colour of its verdict, and a check whose evidence is folded until somebody goes there.
#[test]
fn a_verdict_has_its_colour_and_evidence_an_address() {
    let Some(mut browser) = Browser::start(Project::new().path("profile")) else { return };
    let address = format!("file://{}", snapshot("validation/rejected.html").display());
    browser.load(&address);
    browser.prefer("light");
    browser.until("getComputedStyle(document.querySelector('h1')).color", "rgb(207, 34, 46)");
    let is_open = |number: u32| format!("document.getElementById('check-{number}').checkVisibility()");
    // The leak test failed, and the burn test holds.
    browser.until(&is_open(2), true);
    browser.until(&is_open(3), false);
    browser.click("a[href='#check-3']");
    browser.until(&is_open(3), true);
    let forbidden = "[...document.querySelectorAll('#time-line svg text')].filter((one) => one.textContent.includes('forbidden: no process')).length";
    assert_eq!(browser.value(forbidden), Value::from(1));
    browser.is_content();
}
