//! A browser without a window, driven through chromedriver. Source: the W3C's WebDriver protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A browser; dropping it ends it.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one. `None`: chromedriver is not installed.
    pub(crate) fn start() -> Option<Browser> {
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let until = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "chromedriver does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
        let profile = format!("--user-data-dir={}", browser._profile.path().display());
        let options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &profile,
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": options},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}});
        let made = browser.asks("POST", "/session", &wanted);
        browser.session =
            made["sessionId"].as_str().unwrap_or_else(|| panic!("a session: {made}")).to_owned();
        // What the first, empty window asked for is the browser's own.
        browser.session("url", &json!({"url": "about:blank"}));
        browser.asked_for();
        Some(browser)
    }

    /// Opens a file in a window of a width, in a theme.
    pub(crate) fn opens(&mut self, file: &Path, width: u32, theme: &str) {
        let media = json!({"cmd": "Emulation.setEmulatedMedia", "params":
            {"features": [{"name": "prefers-color-scheme", "value": theme}]}});
        self.session("goog/cdp/execute", &media);
        let screen = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params":
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}});
        self.session("goog/cdp/execute", &screen);
        self.session("url", &json!({"url": format!("file://{}", file.display())}));
    }

    /// Runs a script and returns its value.
    pub(crate) fn runs(&mut self, script: &str) -> Value {
        self.session("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The messages of a log since it was read last.
    pub(crate) fn log(&mut self, kind: &str) -> Vec<String> {
        let entries = self.session("se/log", &json!({"type": kind}));
        let entries = entries.as_array().unwrap_or_else(|| panic!("a log: {entries}"));
        entries.iter().map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The addresses that the page asked for since the last call.
    pub(crate) fn asked_for(&mut self) -> Vec<String> {
        let events = self.log("performance").into_iter();
        let events = events.filter_map(|event| serde_json::from_str::<Value>(&event).ok());
        let requests = events.filter(|event| event["message"]["method"] == "Network.requestWillBeSent");
        let address = |event: Value| {
            event["message"]["params"]["request"]["url"].as_str().unwrap_or_default().to_owned()
        };
        requests.map(address).collect()
    }

    fn session(&mut self, what: &str, body: &Value) -> Value {
        let path = format!("/session/{}/{what}", self.session);
        self.asks("POST", &path, body)
    }

    /// One request, and the value of the answer.
    fn asks(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("the request is sent");
        let mut answer = BufReader::new(stream);
        let mut length = None;
        loop {
            let mut line = String::new();
            answer.read_line(&mut line).expect("the head is text");
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok();
            }
        }
        let mut text = vec![0; length.expect("an answer has a length")];
        answer.read_exact(&mut text).expect("the whole answer");
        let answer: Value = serde_json::from_slice(&text).expect("the answer is JSON");
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver's end would leave the browser running. A test that failed may be unwinding: nothing is asserted.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let path = format!("/session/{}", self.session);
            let head = "Host: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close";
            let _ = write!(stream, "DELETE {path} HTTP/1.1\r\n{head}\r\n\r\n");
            let _ = stream.read(&mut [0; 1024]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
