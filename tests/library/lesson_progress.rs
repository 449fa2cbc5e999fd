//! What is stored of a learner: saved, read again, changed by two programs at once.

use attn::lesson::progress::{
    Bookmark, ExerciseHelp, GivenAnswer, Progress, ProgressChange, ProgressError, SCHEMA,
};

fn answered(slug: &str, text: &str, right: bool) -> ProgressChange {
    let given = GivenAnswer { text: text.to_owned(), right };
    ProgressChange::Answered("lesson".to_owned(), slug.to_owned(), "What?".to_owned(), given)
}

#[test]
fn a_saved_text_is_read_again() {
    let mut progress = Progress::default();
    let place = Bookmark { lesson: "lesson".to_owned(), slug: "scores".to_owned() };
    for change in [
        ProgressChange::At(place),
        ProgressChange::Done("lesson".to_owned(), "scores".to_owned()),
        answered("scores", "(6, 3)", false),
        answered("scores", "6", true),
        ProgressChange::Tried("lesson".to_owned(), "write".to_owned(), "x = \"é\"\n".to_owned(), true),
        ProgressChange::Helped("lesson".to_owned(), "write".to_owned(), ExerciseHelp::Hints(2)),
    ] {
        progress.apply(&change);
    }
    assert_eq!(Progress::read(&progress.text()), Ok(progress));
}

#[test]
fn newer_and_damaged_files_are_distinguished() {
    assert!(matches!(Progress::read(""), Err(ProgressError::Damaged(_))));
    assert!(matches!(Progress::read("{\"lessons\": {}}"), Err(ProgressError::Damaged(_))));
    let newer = "{\"schema\": \"attn.progress/2\"}";
    assert_eq!(Progress::read(newer), Err(ProgressError::Newer("attn.progress/2".to_owned())));
    for older in ["attn.progress/0", "attn.progress/", "attn.progress/x"] {
        let text = format!("{{\"schema\": \"{older}\"}}");
        assert!(matches!(Progress::read(&text), Err(ProgressError::Damaged(_))), "{older}");
    }
    let damaged = format!("{{\"schema\": \"{SCHEMA}\", \"lessons\": 3}}");
    assert!(matches!(Progress::read(&damaged), Err(ProgressError::Damaged(_))));
}

#[test]
fn the_newest_attempts_are_stored() {
    let mut progress = Progress::default();
    for n in 0..25 {
        progress.apply(&ProgressChange::Tried("l".to_owned(), "e".to_owned(), format!("x = {n}"), false));
    }
    let tried = &progress.lessons["l"].exercises["e"];
    assert_eq!((tried.tries, tried.attempts.len()), (25, 20));
    assert_eq!(tried.attempts.last().map(String::as_str), Some("x = 24"));
}

#[test]
fn changes_of_two_programs_add_up() {
    let (ours, theirs) = (answered("a", "1", false), answered("b", "2", true));
    let mut one = Progress::default();
    let mut other = Progress::default();
    one.apply(&ours);
    one.apply(&theirs);
    other.apply(&theirs);
    other.apply(&ours);
    assert_eq!(one, other);
    assert_eq!(one.lessons["lesson"].steps.len(), 2);
}

#[test]
fn fields_of_a_later_version_survive() {
    let stored = format!(
        "{{\"schema\": \"{SCHEMA}\", \"plan\": [1], \"lessons\": {{\"a\": {{\"pace\": 2, \"steps\": {{\"s\": {{\"mood\": \"good\", \
         \"predictions\": {{\"What?\": {{\"seconds\": 7, \"review\": {{\"streak\": 1, \"due\": 9, \"ease\": 2.5}}}}}}}}}}, \
         \"exercises\": {{\"e\": {{\"stars\": 3}}}}}}}}}}"
    );
    let mut progress = Progress::read(&stored).expect("the schema is known");
    progress.apply(&ProgressChange::Done("a".to_owned(), "s".to_owned()));
    progress.apply(&reviewed(true, 9));
    let text = progress.text();
    for field in ["\"plan\"", "\"pace\"", "\"mood\"", "\"seconds\"", "\"ease\"", "\"stars\""] {
        assert!(text.contains(field), "{field} is lost in {text}");
    }
}

fn reviewed(right: bool, day: u64) -> ProgressChange {
    ProgressChange::Reviewed("a".to_owned(), "s".to_owned(), "What?".to_owned(), right, day)
}

/// Right answers come back after 1, 3, 7, 16, 35 and again 35 days; a wrong one on the same day, and from the start.
#[test]
fn right_answers_come_back_later_and_later() {
    let mut progress = Progress::default();
    let due = |progress: &Progress| {
        let value: serde_json::Value = serde_json::from_str(&progress.text()).expect("JSON");
        value["lessons"]["a"]["steps"]["s"]["predictions"]["What?"]["review"]["due"].as_u64()
    };
    let mut day = 100;
    for wait in [1, 3, 7, 16, 35, 35] {
        progress.apply(&reviewed(true, day));
        assert_eq!(due(&progress), Some(day + wait));
        day += wait;
    }
    progress.apply(&reviewed(false, day));
    assert_eq!(due(&progress), Some(day));
    progress.apply(&reviewed(true, day));
    assert_eq!(due(&progress), Some(day + 1));
}
