//! The playground in a real browser, from a server on this machine: what a user opens, types and clicks there.
//!
//! `.ci/nightly playground` builds the site with it and says in GPULINT_SITE where that lies. Without it these tests do nothing.

use crate::browser::Browser;
use crate::project::Project;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

/// The site in a browser, and its address; `None` where one of them is missing.
fn opened(profile: &Project) -> Option<(Browser, String)> {
    let Some(site) = std::env::var_os("GPULINT_SITE") else {
        eprintln!("skipped: GPULINT_SITE does not say where a site with a playground lies");
        return None;
    };
    let browser = Browser::start(profile.path("profile"))?;
    Some((browser, served(PathBuf::from(site))))
}

/// Serves the files below a folder to this machine, as long as the tests run.
fn served(folder: PathBuf) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = folder.clone();
            std::thread::spawn(move || answer(stream, &folder));
        }
    });
    address
}

fn answer(mut stream: TcpStream, folder: &Path) {
    let mut lines = BufReader::new(stream.try_clone().expect("it is open")).lines().map_while(Result::ok);
    let asked = lines.next().unwrap_or_default();
    let path = asked.split(' ').nth(1).unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let mut file = folder.join(path.trim_start_matches('/'));
    if file.is_dir() {
        file.push("index.html");
    }
    let kind = match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let (status, body) = match std::fs::read(&file) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // Who has left gets no answer.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

/// The rules of the findings that are shown.
const RULES: &str = "[...document.querySelectorAll('#findings article')].map((one) => one.dataset.rule)";
const PINNED: &str =
    "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\ntorch.cuda.init()\n";

/// Puts text in the place of what the open file holds, as who types.
fn typed(browser: &mut Browser, text: &str) {
    browser.value("(document.querySelector('#text').focus(), document.querySelector('#text').select())");
    browser.insert(text);
}

#[test]
fn the_page_of_a_rule_leads_to_its_example() {
    let profile = Project::new();
    let Some((mut browser, site)) = opened(&profile) else { return };
    browser.load(&format!("{site}/rules/missing-device-order/"));
    browser.click("a[href$='playground/#rule=missing-device-order']");
    browser.until("document.querySelector('#rule')?.value", "missing-device-order");
    browser.until(&format!("{RULES}.includes('missing-device-order')"), true);
    // And back.
    let back = "document.querySelector('#findings article h3 a').href";
    browser.until(back, format!("{site}/rules/missing-device-order/"));
    browser.keeps_to(&site);
}

#[test]
fn an_address_with_a_rule_shows_what_its_example_is_found_for() {
    let profile = Project::new();
    let Some((mut browser, site)) = opened(&profile) else { return };
    // Of Python, of a shell, of an image, and one that needs a policy.
    for rule in ["loss-keeps-graph", "gpu-env-not-exported", "container-without-gpu", "device-not-allowed"] {
        browser.load(&format!("{site}/playground/#rule={rule}"));
        browser.until("document.querySelector('#rule')?.value", rule);
        browser.until(&format!("{RULES}[0]"), rule);
        // The file that it is found in is open.
        let place = "document.querySelector('#findings .place').textContent.startsWith(document.querySelector('#name').value)";
        browser.until(place, true);
    }
    browser.load(&format!("{site}/playground/#rule=no-such-rule"));
    browser.until("document.querySelector('#about')?.textContent.includes('no-such-rule')", true);
    browser.keeps_to(&site);
}

#[test]
fn what_is_typed_is_checked_fixed_and_in_the_address() {
    let profile = Project::new();
    let Some((mut browser, site)) = opened(&profile) else { return };
    browser.load(&format!("{site}/playground/"));
    browser.until("document.querySelectorAll('#files button').length", 3);
    browser.until("document.querySelectorAll('#findings article').length > 0", true);

    // From here on nothing is asked of anybody.
    browser.go_offline();
    browser.value("for (let at = 0; at < 3; at++) document.querySelector('#remove').click()");
    browser.click("#add");
    browser.until("document.querySelector('#name').value", "main.py");
    typed(&mut browser, "x = 1\n");
    browser.until(RULES, json!([]));
    typed(&mut browser, PINNED);
    browser.until(RULES, json!(["missing-device-order"]));
    browser.until("document.querySelector('#marks .warning')?.textContent", "2");

    // A click, and a key, go to the place.
    let selected = "(() => { const text = document.querySelector('#text');
        return [document.activeElement.id, text.value.slice(text.selectionStart, text.selectionEnd)]; })()";
    let place = json!(["text", "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\""]);
    browser.click("#findings article .place");
    browser.until(selected, place.clone());
    browser.value("document.querySelector('#text').setSelectionRange(0, 0)");
    browser.value("document.querySelector('#findings article a').focus()");
    browser.press("Tab");
    browser.press("Enter");
    browser.until(selected, place);

    // The policy of another file counts, and a fault in it is told where it stands.
    browser.click("#add");
    browser.until("document.querySelector('#name').value", "gpulint.yaml");
    typed(&mut browser, "rules: {severity: {missing-device-order: error}}\n");
    browser.until("document.querySelector('#findings article')?.className", "error");
    browser.until("document.querySelector('#files .count.error')?.textContent.trim()", "1");
    typed(&mut browser, "rule: {}\n");
    browser.until(
        "document.querySelector('#findings article')?.textContent.includes('did you mean `rules`?')",
        true,
    );
    browser.click("#findings .place");
    browser.until("document.querySelector('#name').value", "gpulint.yaml");
    browser.click("#remove");
    browser.until(RULES, json!(["missing-device-order"]));

    let address = browser.value("location.href");
    browser.click("#findings article footer button");
    browser.until(RULES, json!([]));
    browser.until("document.querySelector('#text').value.includes('PCI_BUS_ID')", true);
    browser.go_online();

    // Who gets the address sees what was typed, and a broken one is told.
    browser.load("about:blank");
    browser.load(address.as_str().expect("an address"));
    browser.until("document.querySelector('#text')?.value", PINNED);
    browser.until(RULES, json!(["missing-device-order"]));
    browser.value("location.hash = '#code=AAAA'");
    browser.until("document.querySelector('#about').textContent.includes('nothing that can be shown')", true);
    browser.keeps_to(&site);
}

#[test]
fn the_playground_fits_a_telephone_and_the_dark() {
    let profile = Project::new();
    let Some((mut browser, site)) = opened(&profile) else { return };
    browser.load(&format!("{site}/playground/#rule=missing-device-order"));
    browser.until("document.querySelectorAll('#findings article').length > 0", true);
    browser.narrow_to(360);
    browser.until("document.documentElement.clientWidth", 360);
    browser.until("document.documentElement.scrollWidth <= 360", true);
    // Below the files, and not beside them.
    let below = "document.querySelector('#found').getBoundingClientRect().top
        >= document.querySelector('#code').getBoundingClientRect().bottom";
    browser.until(below, true);
    // How light the text is.
    let light = "getComputedStyle(document.querySelector('#text')).color.match(/\\d+/g).map(Number)[0] > 128";
    browser.prefer("dark");
    browser.until(light, true);
    browser.prefer("light");
    browser.until(light, false);
    // All that can be used has a name.
    let nameless = "[...document.querySelectorAll('button, select, input, textarea')].filter((one) =>
        !one.textContent.trim() && !one.labels?.length && !one.ariaLabel).length";
    browser.until(nameless, 0);
    browser.keeps_to(&site);
}
