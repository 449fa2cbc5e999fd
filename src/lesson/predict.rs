//! `{predict}`: its YAML to a [`Prediction`].
//! Part of [`super::myst`].

use serde::Deserialize;

use super::Fault;
use super::exercise::{Answer, Choice, Prediction, Wrong};
use super::fence::Source;
use super::vocabulary::Word;

impl Source<'_> {
    /// Reads the body of a `{predict}` whose fence stands in line `fence`.
    pub fn prediction(&self, body: &str, fence: usize, known: &'static [Word]) -> Result<Prediction, Fault> {
        #[derive(Deserialize)]
        struct Form {
            ask: String,
            shape: Option<String>,
            value: Option<String>,
            choices: Option<Vec<ChoiceForm>>,
            #[serde(default)]
            wrong: Vec<WrongForm>,
            right: String,
            tolerance: Option<f64>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct ChoiceForm {
            text: String,
            #[serde(default)]
            right: bool,
            #[serde(default)]
            because: String,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct WrongForm {
            value: String,
            because: String,
        }
        let table = self.mapping(body, fence + 1)?;
        for key in table.keys().filter_map(|k| k.as_str()) {
            if !known.iter().any(|w| w.name == key) {
                let at = fence + 1 + body.lines().position(|l| l.starts_with(key)).unwrap_or(0);
                let what = format!("{{predict}} has no key `{key}`");
                return self.unknown(at, what, key, known.iter().map(|w| w.name));
            }
        }
        let form: Form = match yaml_serde::from_value(yaml_serde::Value::Mapping(table)) {
            Ok(form) => form,
            Err(e) => return self.fault(fence, format!("{{predict}}: {e}")),
        };
        let answer = match (form.shape, form.value, form.choices) {
            (Some(expr), None, None) => Answer::Shape(expr),
            (None, Some(expr), None) => Answer::Value { expr, tolerance: form.tolerance },
            (None, None, Some(choices)) => {
                let choices: Vec<Choice> = choices
                    .into_iter()
                    .map(|c| Choice { text: c.text, right: c.right, because: c.because })
                    .collect();
                if choices.iter().filter(|c| c.right).count() != 1 {
                    return self.fault(fence, "exactly one of the choices is `right: true`");
                }
                if let Some(c) = choices.iter().find(|c| !c.right && c.because.is_empty()) {
                    return self.fault(fence, format!("the choice `{}` lacks its `because`", c.text));
                }
                Answer::Choice(choices)
            }
            _ => return self.fault(fence, "{predict} has one of `shape`, `value` and `choices`"),
        };
        let wrong = form.wrong.into_iter().map(|w| Wrong { value: w.value, because: w.because }).collect();
        Ok(Prediction { ask: form.ask, answer, wrong, right: form.right, line: fence })
    }
}
