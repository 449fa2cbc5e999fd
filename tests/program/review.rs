//! `attn review`: what was answered wrongly comes first and again, what was answered right comes back after days.

use crate::terminal::State;
use crate::walk::typed;

/// A learner who has seen two steps with a question each, and answered the second one wrongly.
fn met() -> State {
    let state = State::new();
    let stored = r#"{"schema": "attn.progress/1", "lessons": {"simple-self-attention": {"steps": {
        "softmax-naive": {"done": true},
        "softmax-overflow": {"done": true, "predictions": {"One score is 149. What does `softmax_naive`, each `exp` divided by their sum, give for it?": {"answers": [{"text": "inf", "right": false}]}}}}}}}"#;
    std::fs::write(state.path().join("progress.json"), stored).expect("the folder is there");
    state
}

#[test]
fn wrong_answers_come_back_at_once_and_right_ones_after_days() {
    let state = met();
    let (shown, remarks, code) =
        typed(&["review", "--day", "100"], &["c", "what?", "b", "a", "b", "a"], &state);
    assert_eq!((remarks.as_str(), code), ("", 0), "{shown}");
    let asked = |text: &str, words: &str| text.matches(words).count();
    assert_eq!(asked(&shown, "10 is added to each"), 2, "{shown}");
    assert_eq!(asked(&shown, "Do you remember?"), 3, "{shown}");
    assert!(shown.contains("Try again. `s` shows the answer"), "{shown}");
    assert!(shown.contains("Not yet. That is what division by the sum would do"), "{shown}");
    assert!(shown.contains("2 questions, 1 right at the first try."), "{shown}");

    let (shown, ..) = typed(&["review", "--day", "100"], &[], &state);
    assert_eq!(shown, "Nothing is due today. The next question comes in 1 day.\n");
    let (shown, ..) = typed(&["review", "--day", "101"], &["a", "q"], &state);
    assert!(shown.contains("1 question, 1 right at the first try."), "{shown}");
    let (document, ..) = typed(&["review", "--day", "101", "--json"], &[], &state);
    assert!(
        document.contains("\"step\":\"softmax-overflow\"") && document.contains("\"later\":1"),
        "{document}"
    );
}

#[test]
fn one_who_does_not_know_is_told_what_to_do_and_enter_shows_the_answer_at_the_second_time() {
    let (shown, ..) = typed(&["review", "--count", "1", "--day", "100"], &["idk", "", "", "q"], &met());
    let told = ["A guess is welcome", "Enter once more shows it", "The answer: nothing."];
    crate::walk::in_order(&shown, &told);
    assert!(!shown.contains("Say a, b or c"), "{shown}");
}

#[test]
fn a_review_that_is_left_keeps_what_was_answered() {
    let state = met();
    let (shown, ..) = typed(&["review", "--count", "1", "--day", "100"], &["k"], &state);
    assert!(shown.contains("The answer: nothing."), "{shown}");
    assert!(shown.contains("1 question, 0 right at the first try. 1 more is due today."), "{shown}");
    let (_, remarks, code) = typed(&["review", "--no-input", "--day", "100"], &[], &state);
    assert_eq!(code, 2, "{remarks}");
}
