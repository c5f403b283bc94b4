//! Chromium without a window, for pages that people open: what it shows, what is typed and clicked there, and everything that it
//! complains about. It is spoken to over two pipes, in its DevTools protocol.
//!
//! Where there is no Chromium the tests that need one do nothing; with GPULINT_REQUIRE_CHROMIUM set that is a failure, as in
//! `.ci/run`.

use serde_json::{Value, json};
use std::fmt::Debug;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Generous: only a browser that hangs reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is told from what, for scripts of tests: `rgb` and `light` of a colour, and `contrast` of two, as WCAG 2 has it.
pub const CONTRAST: &str = "
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const light = (colour) => { const [r, g, b] = rgb(colour); return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
    const contrast = (one, other) => {
        const [less, more] = [light(one), light(other)].sort((a, b) => a - b);
        return (more + 0.05) / (less + 0.05);
    };
";

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: String,
    number: u64,
    /// What went wrong on the page: errors on the console, exceptions, and dialogs.
    pub complaints: Vec<String>,
    /// The addresses that it asked for.
    pub requests: Vec<String>,
    profile: PathBuf,
}

impl Browser {
    /// Opens a file; `None` where there is no Chromium.
    pub fn open(file: &Path) -> Option<Browser> {
        let mut browser = Browser::start(file.with_extension("profile"))?;
        browser.load(&format!("file://{}", file.display()));
        Some(browser)
    }

    /// A browser with an empty page, which keeps what it must in a folder of its own; `None` where there is no Chromium.
    pub fn start(profile: PathBuf) -> Option<Browser> {
        let program = ["chromium", "chromium-browser"].into_iter().find(|program| {
            let asked = Command::new(program).arg("--version").stderr(Stdio::null()).output();
            asked.is_ok_and(|answer| answer.status.success())
        });
        let Some(program) = program else {
            assert!(std::env::var_os("GPULINT_REQUIRE_CHROMIUM").is_none(), "there is no chromium");
            eprintln!("skipped: there is no chromium");
            return None;
        };
        fs::create_dir_all(&profile).expect("writable");
        // It reads from descriptor 3 and writes to 4, which are the pipes of the shell that starts it.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null", program])
            // Root, as which containers run tests, has no sandbox there; the page comes from the test itself.
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-component-update"])
            .args(["--remote-debugging-pipe", "--window-size=1400,1000"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .env("HOME", &profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let to = child.stdin.take().expect("it is piped");
        let pipe = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            for message in pipe.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("Chromium writes JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (session, complaints, requests) = (String::new(), Vec::new(), Vec::new());
        let mut browser = Browser { child, to, from, session, number: 0, complaints, requests, profile };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Loads an address, and waits until all of it is there.
    pub fn load(&mut self, address: &str) {
        self.ask("Page.navigate", json!({"url": address}));
        self.until("document.readyState", "complete");
    }

    /// What an expression comes to on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression comes to this.
    #[track_caller]
    pub fn until<T: Debug>(&mut self, expression: &str, wanted: T)
    where
        Value: PartialEq<T>,
    {
        let begun = Instant::now();
        loop {
            let value = self.value(expression);
            if value == wanted {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{expression} is {value}, and not {wanted:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types one key: `/`, `Tab`, `Enter`, `Escape`.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "Escape" => (27, None),
            key => (key.to_ascii_uppercase().bytes().next().map_or(0, u32::from), Some(key)),
        };
        let mut down = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        down["text"] = text.map_or(Value::Null, |text| json!(text));
        if text.is_none() {
            down.as_object_mut().expect("an object").remove("text");
            down["type"] = json!("rawKeyDown");
        }
        self.ask("Input.dispatchKeyEvent", down);
        let up = json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code});
        self.ask("Input.dispatchKeyEvent", up);
    }

    /// Types text where the focus is.
    pub fn write(&mut self, text: &str) {
        text.chars().for_each(|letter| self.press(&letter.to_string()));
    }

    /// Puts text where the focus is, all at once, as from a clipboard.
    pub fn insert(&mut self, text: &str) {
        self.ask("Input.insertText", json!({"text": text}));
    }

    /// Clicks with the mouse into the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let middle = format!(
            "(() => {{ const found = document.querySelector({selector:?});
               found.scrollIntoView({{block: 'center', inline: 'center', behavior: 'instant'}});
               const area = found.getBoundingClientRect();
               return [area.x + area.width / 2, area.y + area.height / 2]; }})()"
        );
        let middle = self.value(&middle);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let asked =
                json!({"type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", asked);
        }
    }

    /// Chooses one of a list, as a user would.
    pub fn choose(&mut self, selector: &str, word: &str) {
        self.value(&format!(
            "(() => {{ const list = document.querySelector({selector:?});
               list.value = {word:?};
               list.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
        ));
    }

    /// What the user's system prefers: `light` or `dark`.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.ask("Emulation.setEmulatedMedia", features);
    }

    /// As on a narrow screen.
    pub fn narrow_to(&mut self, width: u32) {
        self.resize_to(width, true);
    }

    /// As on a screen of this width, of a telephone or of a computer.
    pub fn resize_to(&mut self, width: u32, mobile: bool) {
        let screen = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": mobile});
        self.ask("Emulation.setDeviceMetricsOverride", screen);
    }

    /// What is seen, as PNG in base 64.
    pub fn picture(&mut self) -> String {
        let taken = self.ask("Page.captureScreenshot", json!({"captureBeyondViewport": true}));
        taken["data"].as_str().expect("a picture").to_owned()
    }

    /// Nothing can be reached any more.
    pub fn go_offline(&mut self) {
        self.reach_others(false);
    }

    pub fn go_online(&mut self) {
        self.reach_others(true);
    }

    fn reach_others(&mut self, can: bool) {
        let conditions =
            json!({"offline": !can, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.ask("Network.emulateNetworkConditions", conditions);
    }

    /// Fails where the page complained, and where it asked for more than files.
    #[track_caller]
    pub fn is_content(&mut self) {
        self.keeps_to("file://");
    }

    /// Fails where the page complained, and where it asked for what does not begin so.
    #[track_caller]
    pub fn keeps_to(&mut self, origin: &str) {
        // What came before this answer has been read.
        self.value("1");
        assert_eq!(self.complaints, [""; 0]);
        let outside: Vec<&String> =
            self.requests.iter().filter(|address| !address.starts_with(origin)).collect();
        assert!(outside.is_empty(), "{outside:?}");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(json!({"id": number, "method": method, "params": params}));
        loop {
            let message = self.from.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|error| panic!("{method}: {error}"));
            if message["id"] == number {
                assert!(message["error"].is_null(), "{method}: {message:#}");
                return message["result"].clone();
            }
            self.note(&message);
        }
    }

    fn send(&mut self, mut message: Value) {
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let written = self.to.write_all(format!("{message}\0").as_bytes());
        written.expect("Chromium reads");
    }

    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.complaints.push(params.to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                self.complaints.push(params.to_string())
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                self.complaints.push(params.to_string())
            }
            "Page.javascriptDialogOpening" => {
                self.complaints.push(params.to_string());
                self.number += 1;
                self.send(json!({"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": true}}));
            }
            "Network.requestWillBeSent" => {
                let address = params["request"]["url"].as_str().unwrap_or_default();
                // What stands in the page itself goes nowhere.
                if !address.starts_with("data:") {
                    self.requests.push(address.to_owned());
                }
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session.clear();
        // It ends its own processes, which a kill would leave behind.
        let _ = self.to.write_all(b"{\"id\": 0, \"method\": \"Browser.close\"}\0");
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
