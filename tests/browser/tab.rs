//! A tab of the browser: it opens pages, evaluates JavaScript, presses keys, and notes everything that goes wrong.

use std::path::Path;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Tested;
use crate::chromium::{Chromium, PATIENCE};

/// The measurements that run in a page.
const MEASURES: &str = include_str!("measures.js");

/// The keys that tests press: the name, the code on a keyboard, its number, and what it types.
const KEYS: [(&str, &str, u32, &str); 7] = [
    ("/", "Slash", 191, "/"),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Enter", "Enter", 13, "\r"),
    ("Escape", "Escape", 27, ""),
    ("Tab", "Tab", 9, ""),
];

/// A tab without a network.
pub(crate) struct Tab<'b> {
    browser: &'b Chromium,
    target: String,
    session: String,
}

impl<'b> Tab<'b> {
    pub(crate) fn new(browser: &'b Chromium) -> Result<Self, Failed> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let target = text(&browser.call("", "Target.createTarget", json!({ "url": "about:blank" }))?["targetId"]);
        let attach = json!({ "targetId": target, "flatten": true });
        let session = text(&browser.call("", "Target.attachToTarget", attach)?["sessionId"]);
        let tab = Self { browser, target, session };
        for domain in ["Page", "Log", "Runtime", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}))?;
        }
        // Without it, only one tab at a time has a focus.
        tab.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }))?;
        tab.size(1600, 1000)?;
        Ok(tab)
    }

    fn call(&self, method: &str, parameters: Value) -> Result<Value, Failed> {
        self.browser.call(&self.session, method, parameters)
    }

    /// Opens a page of a folder, and waits until it is there.
    pub(crate) fn open(&self, folder: &Path, page: &str) -> Tested {
        // What is evaluated before the new page is there meets this mark.
        self.evaluate::<bool>("window.left = true")?;
        let address = format!("file://{}/{page}", folder.display());
        let answer = self.call("Page.navigate", json!({ "url": address }))?;
        if let Some(error) = answer["errorText"].as_str() {
            return Err(format!("{address}: {error}").into());
        }
        // Without a loader, only the fragment is another.
        if answer["loaderId"].is_string() {
            self.until("document.readyState === 'complete' && !window.left")
        } else {
            Ok(())
        }
    }

    /// Loads the page again.
    pub(crate) fn reload(&self) -> Tested {
        self.evaluate::<bool>("window.left = true")?;
        self.call("Page.reload", json!({}))?;
        self.until("document.readyState === 'complete' && !window.left")
    }

    /// The value of an expression, which can use the functions of `measures.js`.
    pub(crate) fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> Result<T, Failed> {
        let script = format!("(() => {{ {MEASURES}\nreturn JSON.stringify({expression}); }})()");
        let answer = self.call("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }))?;
        if let Some(exception) = answer.get("exceptionDetails") {
            let description = exception["exception"]["description"].as_str().or(exception["text"].as_str());
            return Err(format!("{expression}: {}", description.unwrap_or_default()).into());
        }
        let text = answer["result"]["value"].as_str().unwrap_or("null");
        serde_json::from_str(text).map_err(|error| format!("{expression} is {text}: {error}").into())
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&self, expression: &str) -> Tested {
        let started = Instant::now();
        loop {
            // While a page is replaced, nothing can be evaluated.
            match self.evaluate::<bool>(&format!("Boolean({expression})")) {
                Ok(true) => return Ok(()),
                Ok(false) | Err(_) if started.elapsed() < PATIENCE => {}
                Ok(false) => return Err(format!("this never became true: {expression}").into()),
                Err(error) => return Err(error),
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Presses keys, each by its name.
    pub(crate) fn press(&self, keys: &[&str]) -> Tested {
        for name in keys {
            let known = KEYS.iter().find(|(known, ..)| known == name);
            let (key, code, number, text) = known.ok_or_else(|| format!("no key is called {name}"))?;
            let mut event = json!({ "type": "keyDown", "key": key, "code": code, "windowsVirtualKeyCode": number });
            if !text.is_empty() {
                event["text"] = (*text).into();
            }
            self.call("Input.dispatchKeyEvent", event.clone())?;
            event["type"] = "keyUp".into();
            self.call("Input.dispatchKeyEvent", event)?;
        }
        Ok(())
    }

    /// Types a text into what has the focus.
    pub(crate) fn enter(&self, text: &str) -> Tested {
        self.call("Input.insertText", json!({ "text": text })).map(drop)
    }

    /// Sets the size of the window in CSS pixels.
    pub(crate) fn size(&self, width: u32, height: u32) -> Tested {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size).map(drop)
    }

    /// Chooses light or dark, and screen or print.
    pub(crate) fn media(&self, scheme: &str, medium: &str) -> Tested {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features })).map(drop)
    }

    /// Turns the scripts of pages off, from the next page on.
    pub(crate) fn without_scripts(&self) -> Tested {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true })).map(drop)
    }

    /// A picture of the page in PNG, in base 64, cut at a height.
    pub(crate) fn picture(&self, width: u32, highest: u32) -> Result<String, Failed> {
        let height: u32 = self.evaluate("document.documentElement.scrollHeight")?;
        // Not by a clip beyond the window: what is sticky would be drawn in the middle.
        self.size(width, height.clamp(1, highest))?;
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        Ok(answer["data"].as_str().unwrap_or_default().to_owned())
    }

    /// What went wrong in this tab since this was last asked.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.browser.events(&self.session).iter().filter_map(problem).collect()
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        // At worst, the tab stays until the browser ends.
        let _ = self.browser.call("", "Target.closeTarget", json!({ "targetId": self.target }));
        self.browser.events(&self.session);
    }
}

/// What a user would see in the console, and requests that a page on disk must not make.
fn problem(event: &Value) -> Option<String> {
    let of = &event["params"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match event["method"].as_str()? {
        "Runtime.consoleAPICalled" => Some(format!("console: {}", of["args"])),
        "Runtime.exceptionThrown" => Some(format!("exception: {}", of["exceptionDetails"])),
        "Log.entryAdded" => Some(format!("log: {}", of["entry"])),
        "Network.loadingFailed" => Some(format!("not loaded: {}", text(&of["errorText"]))),
        "Network.requestWillBeSent" => {
            let address = text(&of["request"]["url"]);
            let inside = ["file://", "data:", "about:"].iter().any(|scheme| address.starts_with(scheme));
            (!inside).then(|| format!("asked for {address}"))
        }
        _ => None,
    }
}
