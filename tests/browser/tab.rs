//! A tab of the browser: it opens pages, evaluates JavaScript, presses keys, and notes everything that goes wrong.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Page, Runtime};
use headless_chrome::{Browser, LaunchOptions};
use libtest_mimic::Failed;
use serde::de::DeserializeOwned;

use crate::Tested;

/// How long a condition may take to become true. Tests wait for conditions and never for time.
const PATIENCE: Duration = Duration::from_secs(20);
/// The measurements that run in a page.
const MEASURES: &str = include_str!("measures.js");

/// The browser: the one that PTX_CONFORM_CHROMIUM names, or one with a usual name.
pub(crate) fn find() -> Option<PathBuf> {
    match std::env::var_os("PTX_CONFORM_CHROMIUM") {
        Some(path) => Some(path.into()),
        None => headless_chrome::browser::default_executable().ok(),
    }
}

/// Starts the browser.
pub(crate) fn start(path: PathBuf) -> Result<Browser, Failed> {
    // A container's root has no sandbox, and these pages are our own.
    let options = LaunchOptions::default_builder()
        .path(Some(path))
        .sandbox(false)
        .idle_browser_timeout(Duration::from_secs(600))
        .args(vec!["--hide-scrollbars".as_ref(), "--host-resolver-rules=MAP * ~NOTFOUND".as_ref()])
        .build()?;
    Ok(Browser::new(options)?)
}

/// A tab without a network.
pub(crate) struct Tab {
    tab: Arc<headless_chrome::Tab>,
    /// What a user would see in the console, and requests that failed or were for anything but a file.
    problems: Arc<Mutex<Vec<String>>>,
}

impl Tab {
    pub(crate) fn new(browser: &Browser) -> Result<Self, Failed> {
        let tab = browser.new_tab()?;
        let problems = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&problems);
        tab.add_event_listener(Arc::new(move |event: &Event| {
            if let (Some(problem), Ok(mut problems)) = (problem(event), noted.lock()) {
                problems.push(problem);
            }
        }))?;
        tab.call_method(Log::Enable(None))?;
        tab.call_method(Runtime::Enable(None))?;
        tab.call_method(Network::Enable {
            max_total_buffer_size: None,
            max_resource_buffer_size: None,
            max_post_data_size: None,
            report_direct_socket_traffic: None,
            enable_durable_messages: None,
        })?;
        // Without it, only one tab at a time has a focus.
        tab.call_method(Emulation::SetFocusEmulationEnabled { enabled: true })?;
        let tab = Self { tab, problems };
        tab.size(1600, 1000)?;
        Ok(tab)
    }

    /// Opens a file and waits until it is there.
    pub(crate) fn open(&self, folder: &Path, page: &str) -> Tested {
        self.go(&format!("file://{}/{page}", folder.display()))
    }

    fn go(&self, address: &str) -> Tested {
        // What is evaluated before the new page is there meets this mark.
        self.evaluate::<bool>("window.left = true")?;
        let answer = self.tab.call_method(Page::Navigate {
            url: address.to_owned(),
            referrer: None,
            transition_Type: None,
            frame_id: None,
            referrer_policy: None,
        })?;
        match (answer.error_text, answer.loader_id) {
            (Some(error), _) => Err(format!("{address}: {error}").into()),
            (None, Some(_)) => self.until("document.readyState === 'complete' && !window.left"),
            // Only the fragment is another.
            (None, None) => Ok(()),
        }
    }

    /// Loads the page again.
    pub(crate) fn reload(&self) -> Tested {
        self.evaluate::<bool>("window.left = true")?;
        self.tab.reload(false, None)?;
        self.until("document.readyState === 'complete' && !window.left")
    }

    /// The value of an expression, which can use the functions of `measures.js`.
    pub(crate) fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> Result<T, Failed> {
        let answer = self.tab.call_method(Runtime::Evaluate {
            expression: format!("(() => {{ {MEASURES}\nreturn JSON.stringify({expression}); }})()"),
            return_by_value: Some(true),
            object_group: None,
            include_command_line_api: None,
            silent: None,
            context_id: None,
            generate_preview: None,
            user_gesture: None,
            await_promise: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            allow_unsafe_eval_blocked_by_csp: None,
            unique_context_id: None,
            serialization_options: None,
        })?;
        if let Some(exception) = answer.exception_details {
            let description = exception.exception.and_then(|object| object.description).unwrap_or(exception.text);
            return Err(format!("{expression}: {description}").into());
        }
        let text = answer.result.value.as_ref().and_then(serde_json::Value::as_str).unwrap_or("null");
        serde_json::from_str(text).map_err(|error| format!("{expression} is {text}: {error}").into())
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&self, expression: &str) -> Tested {
        let started = Instant::now();
        loop {
            // While a page is replaced, nothing can be evaluated.
            let seen = self.evaluate::<bool>(&format!("Boolean({expression})"));
            match seen {
                Ok(true) => return Ok(()),
                Ok(false) | Err(_) if started.elapsed() < PATIENCE => {}
                Ok(false) => return Err(format!("this never became true: {expression}").into()),
                Err(error) => return Err(error),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Presses keys, each by its name.
    pub(crate) fn press(&self, keys: &[&str]) -> Tested {
        keys.iter().try_for_each(|key| self.tab.press_key(key).map(|_| ()).map_err(Failed::from))
    }

    /// Types a text into what has the focus.
    pub(crate) fn enter(&self, text: &str) -> Tested {
        Ok(self.tab.send_character(text).map(|_| ())?)
    }

    /// Sets the size of the window in CSS pixels.
    pub(crate) fn size(&self, width: u32, height: u32) -> Tested {
        self.tab.call_method(Emulation::SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor: 1.0,
            mobile: false,
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
            scrollbar_type: None,
            screen_orientation_lock_emulation: None,
        })?;
        Ok(())
    }

    /// Chooses light or dark, and the screen or paper.
    pub(crate) fn media(&self, scheme: &str, medium: &str) -> Tested {
        self.tab.call_method(Emulation::SetEmulatedMedia {
            media: Some(medium.to_owned()),
            features: Some(vec![Emulation::MediaFeature {
                name: "prefers-color-scheme".to_owned(),
                value: scheme.to_owned(),
            }]),
        })?;
        Ok(())
    }

    /// Turns the scripts of pages on or off, from the next page on.
    pub(crate) fn scripts(&self, on: bool) -> Tested {
        self.tab.call_method(Emulation::SetScriptExecutionDisabled { value: !on })?;
        Ok(())
    }

    /// A picture of the page in PNG, cut at a height.
    pub(crate) fn picture(&self, width: u32, highest: u32) -> Result<Vec<u8>, Failed> {
        let height: u32 = self.evaluate("document.documentElement.scrollHeight")?;
        // Not by a clip beyond the viewport: what is sticky would be drawn in the middle.
        self.size(width, height.clamp(1, highest))?;
        Ok(self.tab.capture_screenshot(Page::CaptureScreenshotFormatOption::Png, None, None, true)?)
    }

    /// What went wrong in this tab, which is then forgotten.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.problems.lock().map(|mut problems| std::mem::take(&mut *problems)).unwrap_or_default()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        // At worst, the tab stays until the browser ends.
        let _ = self.tab.close_target();
    }
}

/// What a user would see in the console, and requests that a page on disk must not make.
fn problem(event: &Event) -> Option<String> {
    let inside = |url: &str| url.starts_with("file://") || url.starts_with("data:") || url == "about:blank";
    match event {
        Event::RuntimeConsoleAPICalled(of) => Some(format!("console: {:?}", of.params.args)),
        Event::RuntimeExceptionThrown(of) => Some(format!("exception: {:?}", of.params.exception_details)),
        Event::LogEntryAdded(of) => Some(format!("log: {} {:?}", of.params.entry.text, of.params.entry.url)),
        Event::NetworkLoadingFailed(of) => Some(format!("not loaded: {}", of.params.error_text)),
        Event::NetworkRequestWillBeSent(of) if !inside(&of.params.request.url) => {
            Some(format!("asked for {}", of.params.request.url))
        }
        _ => None,
    }
}
