//! What scripts make of the program and the repository keeps. They need Python: skipped where there is none.

use std::path::PathBuf;
use std::process::Command;

use crate::snapshot::assert_current;

/// The pictures in the README show what the commands in them write today. The number of a step shifts with each new lesson.
#[test]
#[allow(clippy::print_stdout, reason = "a test that was skipped says so")]
fn the_pictures_of_sessions_are_current() {
    for name in ["session", "look"] {
        let drawing = Command::new("python3")
            .args(["scripts/picture", name, env!("CARGO_BIN_EXE_attn")])
            .env("ATTN_STATE_DIR", "tests/cmd/nobody")
            .output();
        let Ok(drawn) = drawing else {
            println!("skipped: there is no python3");
            return;
        };
        assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        let drawn = String::from_utf8(drawn.stdout).expect("SVG is UTF-8");
        let path = PathBuf::from(format!("docs/{name}.svg"));
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        if without_step_numbers(&kept) != without_step_numbers(&drawn) {
            assert_current([(path, drawn)]);
        }
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
