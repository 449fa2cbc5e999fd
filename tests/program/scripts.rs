//! What scripts make of the program and the repository keeps. They need Python: skipped where there is none.

use std::path::PathBuf;
use std::process::Command;

use crate::snapshot::assert_current;

/// The picture in the README shows what the commands in it write today. The number of its step shifts with each new lesson.
#[test]
#[allow(clippy::print_stdout, reason = "a test that was skipped says so")]
fn the_picture_of_a_session_is_current() {
    let drawing = Command::new("python3")
        .args(["scripts/picture", env!("CARGO_BIN_EXE_attn")])
        .env("ATTN_STATE_DIR", "tests/cmd/nobody")
        .output();
    let Ok(drawn) = drawing else {
        println!("skipped: there is no python3");
        return;
    };
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let drawn = String::from_utf8(drawn.stdout).expect("SVG is UTF-8");
    let path = PathBuf::from("docs/session.svg");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if without_step_numbers(&kept) != without_step_numbers(&drawn) {
        assert_current([(path, drawn)]);
    }
}

fn without_step_numbers(picture: &str) -> String {
    let mut parts = picture.split(">step ");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest += part.trim_start_matches(|letter: char| letter.is_ascii_digit() || " of".contains(letter));
    }
    rest
}
