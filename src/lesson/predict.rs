//! Reads the YAML of a `{predict}` block.

use serde::Deserialize;

use super::blank::Blank;
use super::exercise::{Choice, Prediction, RightAnswer, WrongAnswer};
use super::fault::Fault;
use super::fence::LessonSource;

impl LessonSource<'_> {
    /// Reads the body of a `{predict}` whose fence is in line `fence`.
    pub(crate) fn prediction(
        &self,
        body: &str,
        fence: usize,
        known: &'static [&'static str],
    ) -> Result<Prediction, Fault> {
        #[derive(Deserialize)]
        struct PredictionRecord {
            ask: String,
            value: Option<String>,
            choices: Option<Vec<Choice>>,
            code: Option<String>,
            gives: Option<String>,
            open: Option<String>,
            #[serde(default)]
            wrong: Vec<WrongAnswer>,
            #[serde(default)]
            right: String,
            review: Option<String>,
        }
        let record: PredictionRecord = self.record(body, fence, "{predict}", known)?;
        let missing = record.right.is_empty() && record.open.is_none();
        let answer = match (record.value, record.choices, record.code) {
            (Some(expr), None, None) => RightAnswer::Value(expr),
            (None, Some(choices), None) => {
                if choices.iter().filter(|c| c.right).count() != 1 {
                    return self.fault(fence, "exactly one of the choices is `right: true`");
                }
                if let Some(c) = choices.iter().find(|c| !c.right && c.because.is_empty()) {
                    return self.fault(fence, format!("the choice `{}` has no `because`", c.text));
                }
                RightAnswer::Choice(choices)
            }
            (None, None, None) if let Some(answer) = record.open => RightAnswer::Open(answer),
            (None, None, Some(hidden)) => match record.gives {
                Some(gives) => RightAnswer::Code(Blank { hidden, gives }),
                None => {
                    return self.fault(fence, "`code` needs `gives`: an expression that the cell computes");
                }
            },
            _ => {
                return self.fault(fence, "{predict} has one of `value`, `choices`, `code` and `open`");
            }
        };
        if missing {
            return self.fault(fence, "{predict} needs `right`: the remark on the right answer");
        }
        if record.review.is_some() && !matches!(answer, RightAnswer::Choice(_)) {
            return self.fault(fence, "a question with `review` has `choices`: no cell runs before it");
        }
        Ok(Prediction {
            ask: record.ask,
            answer,
            wrong: record.wrong,
            right: record.right,
            review: record.review,
            line: fence,
        })
    }
}
