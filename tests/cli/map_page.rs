//! The page of `gpulint map --format html` in a real browser, from the disk: what a user sees, clicks and types there.

use crate::browser::{Browser, CONTRAST};
use crate::project::Project;
use serde_json::json;
use std::fs;

/// A package with a CPU part, a GPU part, two programs and a launcher.
fn project() -> Project {
    Project::new()
        .file("engine/__init__.py", "from engine.device import array_module\n")
        .file("engine/device.py", "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n")
        .file("engine/report.py", "def table(rows):\n    import torch\n    return torch.tensor(rows)\n")
        .file("train.py", "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\nnet = torch.zeros(1, device=\"cuda\")\n")
        .file("evaluate.py", "import torch\nnet = torch.zeros(1, device=\"cuda\")\nimport os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\n")
        .file("run.sh", "CUDA_VISIBLE_DEVICES=0 python train.py\n")
}

/// The page in a browser; `None` where there is none.
fn opened(project: &Project, words: &str) -> Option<Browser> {
    let answer = project.run(words);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    let file = project.path("map.html");
    fs::write(&file, answer.stdout).expect("writable");
    Browser::open(&file)
}

/// The paths of the modules that are shown.
const SHOWN: &str = "[...document.querySelectorAll('#modules article:not([hidden]) .here')].map((one) => one.textContent).join(' ')";
const ALL: &str = "engine/__init__.py engine/device.py engine/report.py evaluate.py run.sh train.py";

#[test]
fn modules_are_searched_and_filtered() {
    let Some(mut browser) = opened(&project(), "map --format html") else { return };
    browser.until(SHOWN, ALL);
    browser.press("/");
    browser.until("document.activeElement.name", "text");
    browser.write("cupy");
    browser.until(SHOWN, "engine/device.py");
    browser.until("document.querySelector('#filters output').value", "1 of 6 shown");
    // The boxes of the others step back in the picture.
    let clear =
        "[...document.querySelectorAll('.picture .box:not(.faded) text')].map((one) => one.textContent)";
    browser.until(clear, json!(["engine/device.py"]));
    browser.press("Escape");
    browser.until(SHOWN, ALL);
    browser.until("document.querySelector('#filters [name=text]').value", "");
    for (list, word, shown) in [
        ("part", "launcher", "run.sh"),
        ("part", "CPU", "engine/__init__.py engine/report.py"),
        ("severity", "error", "evaluate.py"),
        ("rule", "pin-after-cuda-init", "evaluate.py"),
        ("family", "pinning", "evaluate.py run.sh train.py"),
    ] {
        browser.choose(&format!("#filters [name={list}]"), word);
        browser.until(SHOWN, shown);
        browser.press("Escape");
        browser.until(SHOWN, ALL);
    }
    browser.is_content();
}

#[test]
fn a_box_leads_to_its_module_and_a_place_to_its_line() {
    let Some(mut browser) = opened(&project(), "map --format html") else { return };
    let number = "[...document.querySelectorAll('#modules article')].find((one) => one.querySelector('.here').textContent === 'train.py').id";
    let id = browser.value(number);
    let id = id.as_str().expect("an id");
    browser.click(&format!(".picture a[data-modules~={id}] rect"));
    browser.until("location.hash", format!("#{id}").as_str());
    let in_view = |selector: &str| {
        format!(
            "(() => {{ const area = document.querySelector('{selector}').getBoundingClientRect();
               return area.bottom > 0 && area.top < innerHeight; }})()"
        )
    };
    browser.until(&in_view(&format!("#{id}")), true);
    browser.until(
        &format!("document.querySelector('.picture a[data-modules~={id}]').classList.contains('chosen')"),
        true,
    );
    // Each place in the tables is a link to the line with its source.
    browser.click("#programs tbody tr:first-child td:last-child a");
    let line = "document.querySelector(':target pre').textContent.includes('CUDA_VISIBLE_DEVICES')";
    browser.until(line, true);
    browser.until(&in_view(":target"), true);
    // Also when the module is filtered away.
    browser.value("location.hash = ''");
    browser.press("/");
    browser.write("cupy");
    browser.until(SHOWN, "engine/device.py");
    browser.value(&format!("location.hash = '{id}'"));
    browser.until(SHOWN, "engine/device.py train.py");
    browser.is_content();
}

/// In a project of many modules a folder opens in the place of the whole picture, and folds again.
#[test]
fn a_folder_opens_and_folds_again() {
    let mut project = project().file("engine/kernels.py", "import torch\n");
    for number in 0..130 {
        project = project.file(&format!("engine/part{}/m{number}.py", number % 3), "import engine.kernels\n");
    }
    let Some(mut browser) = opened(&project, "map --format html") else { return };
    let seen = |text: &str| {
        format!(
            "[...document.querySelectorAll('.picture text')].filter((one) => one.checkVisibility() && one.textContent === '{text}').length"
        )
    };
    browser.until(&seen("engine/part1/ (43)"), 1);
    browser.until(&seen("engine/part1/m1.py"), 0);
    browser.until(&seen("train.py"), 1);
    let open = "[...document.querySelectorAll('#picture > .picture a')].find((one) => one.textContent.startsWith('engine/part1/')).focus()";
    browser.value(open);
    browser.press("Enter");
    browser.until(&seen("engine/part1/m1.py"), 1);
    browser.until(&seen("engine/part1/m130.py"), 0);
    // What its modules are tied to is beside them, and the rest is gone.
    browser.until(&seen("engine/kernels.py"), 1);
    browser.until(&seen("train.py"), 0);
    // What is filtered steps back there too.
    browser.press("/");
    browser.write("m127");
    let clear = "[...document.querySelectorAll('.picture .box:not(.faded) text')].filter((one) => one.checkVisibility() && one.textContent.includes('/m')).length";
    browser.until(clear, 1);
    browser.press("Escape");
    browser.until(&seen("engine/part1/ (43)"), 1);
    browser.until(&seen("engine/part1/m1.py"), 0);
    browser.is_content();
}

#[test]
fn tables_are_sorted() {
    let Some(mut browser) = opened(&project(), "map --programs --format html") else { return };
    let column = "[...document.querySelectorAll('#programs tbody tr')].map((row) => row.cells[0].textContent.trim()).join(' ')";
    let as_written = browser.value(column);
    browser.click("#programs th:first-child button");
    browser.until("document.querySelector('#programs th').ariaSort", "ascending");
    browser.click("#programs th:first-child button");
    browser.until("document.querySelector('#programs th').ariaSort", "descending");
    let mut sorted: Vec<&str> = as_written.as_str().expect("a text").split(' ').collect();
    sorted.sort();
    sorted.reverse();
    browser.until(column, sorted.join(" ").as_str());
    browser.is_content();
}

/// All of it is reached without a mouse, and the focus is seen.
#[test]
fn the_keyboard_is_enough() {
    let Some(mut browser) = opened(&project(), "map --format html") else { return };
    let focused = "document.activeElement.closest('.picture a')?.querySelector('text').textContent ?? ''";
    for _ in 0..40 {
        if browser.value(focused) == "engine/device.py" {
            break;
        }
        browser.press("Tab");
    }
    browser.until(focused, "engine/device.py");
    let width = "getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth";
    browser.until(width, "2.5px");
    // What the box is connected with is shown to who comes by keyboard, too.
    browser.until("document.querySelector('.picture svg').classList.contains('choosing')", true);
    browser.press("Enter");
    let chosen = "document.querySelector(location.hash || 'none')?.querySelector('.here').textContent ?? ''";
    browser.until(chosen, "engine/device.py");
    browser.is_content();
}

#[test]
fn the_page_is_light_and_dark() {
    let Some(mut browser) = opened(&project(), "map --format html") else { return };
    // How light text, background and boxes are: each pair must be told apart.
    let light = "
        const style = (selector) => getComputedStyle(document.querySelector(selector));
        const background = style('html').backgroundColor === 'rgba(0, 0, 0, 0)' ? style('body').backgroundColor : style('html').backgroundColor;
        const ground = background === 'rgba(0, 0, 0, 0)' ? (matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : 'white') : background;
        const boxes = [...document.querySelectorAll('.picture .box')].map((box) =>
            contrast(getComputedStyle(box.querySelector('rect')).fill, getComputedStyle(box.querySelector('text')).fill));
        return JSON.stringify({ground: light(ground), text: contrast(style('body').color, ground), faint: contrast(style('#programs thead th').color, ground), boxes: Math.min(...boxes)});
    ";
    let light = format!("(() => {{ {CONTRAST} {light} }})()");
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let seen = browser.value(&light);
        let seen: serde_json::Value = serde_json::from_str(seen.as_str().expect("a text")).expect("JSON");
        for part in ["text", "faint", "boxes"] {
            assert!(
                seen[part].as_f64().is_some_and(|contrast| contrast >= 4.5),
                "{scheme}: {part} in {seen}"
            );
        }
        grounds.push(seen["ground"].as_f64().expect("a number"));
    }
    assert!(grounds[0] > 0.8 && grounds[1] < 0.1, "{grounds:?}");
    browser.is_content();
}

/// Whatever files are called and say, it stays text in a browser too.
#[test]
#[cfg(unix)]
fn markup_in_names_source_and_messages_stays_text() {
    let name = "a<img src=x onerror=alert(1)>\"'&`b`.py";
    let code = "import torch  # </script></pre><script>alert(2)</script><img src=x onerror=alert(3)>\n\
                torch.zeros(1, device=\"cuda:9<script>alert(4)</script>\")\n\
                torch.zeros(1, device=\"cuda\")\n";
    let project = Project::new().file(name, code).file(
        "run.sh",
        format!(
            "CUDA_VISIBLE_DEVICES='<script>alert(5)</script>' python \"{}\"\n",
            name.replace('"', "\\\"").replace('`', "\\`")
        ),
    );
    let Some(mut browser) = opened(&project, "map --format html") else { return };
    browser.until("document.scripts.length", 1);
    browser.until("document.images.length", 0);
    browser.until(
        "[...document.querySelectorAll('.here')].some((one) => one.textContent.includes('onerror'))",
        true,
    );
    browser.until("document.body.textContent.includes('<script>alert(2)</script>')", true);
    // And what is typed into the search.
    browser.press("/");
    browser.write("<img");
    browser.until("document.querySelector('#filters output').value.endsWith('shown')", true);
    browser.is_content();
}

/// Without a script everything is there to be read, and a page of nothing has no complaint either.
#[test]
fn an_empty_map_opens() {
    let project = Project::new().file("a.py", "print(1)\n");
    let Some(mut browser) = opened(&project, "map --format html") else { return };
    browser.until("document.body.textContent.includes('Nothing in 1 file has to do with GPUs.')", true);
    browser.is_content();
}

/// What the tests above rest on: that a page which does something wrong is told.
#[test]
fn complaints_of_a_page_are_heard() {
    let page = "<!doctype html><script>console.error('one'); alert('two'); nowhere();</script><img src='http://127.0.0.1:9/three.png'>";
    let project = Project::new().file("page.html", page);
    let Some(browser) = Browser::open(&project.path("page.html")) else { return };
    for wrong in ["one", "two", "nowhere"] {
        assert!(
            browser.complaints.iter().any(|one| one.contains(wrong)),
            "{wrong}: {:?}",
            browser.complaints
        );
    }
    assert!(browser.requests.iter().any(|address| address.ends_with("/three.png")), "{:?}", browser.requests);
}
