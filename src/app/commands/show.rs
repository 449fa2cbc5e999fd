//! `attn show`: the text and the code of a step or a lesson without running it; the glossary and its terms; a model's code.

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::cells::step::unrun_panel;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::lesson::Term;
use crate::lesson::catalogue::FindError;
use crate::lesson::{Catalogue, LessonStep, Step, Target, trained};
use crate::view::code::code;
use crate::view::{glossary, panel};

/// What `attn show` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step (scores), a lesson (3.4.1), the glossary, or a term of it, or the code of a model: @gpt2, @llama; before it, a
    /// folder of lessons
    #[arg(value_name = "WHERE|FOLDER")]
    place: String,
    /// After `glossary`: the term to show; after a folder: the place
    #[arg(value_name = "TERM")]
    term: Vec<String>,
}

/// Shows a place or a term.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if let Some(name) = args.place.strip_prefix('@').filter(|_| args.term.is_empty()) {
        return model_code(name, shell);
    }
    let mut words = vec![args.place.clone()];
    words.extend(args.term.iter().cloned());
    let catalogue = course::of_words(&mut words, shell)?;
    let place = match words.as_slice() {
        [] => {
            let words = "name a step or a lesson of the folder, or its glossary; `attn list` lists them";
            return Err(Failure::Usage(words.to_owned()));
        }
        [word, term @ ..] if word.eq_ignore_ascii_case("glossary") => {
            return terms(&term.join(" "), &catalogue, shell);
        }
        [place] => place,
        several => return terms(&several.join(" "), &catalogue, shell),
    };
    let found = match catalogue.find(place) {
        Ok(found) => found,
        Err(FindError::Broken(fault)) => return Err(fault.into()),
        Err(unknown) => {
            let glossary = catalogue.glossary()?;
            return match glossary.find(place) {
                Some(_) => terms(place, &catalogue, shell),
                None => Err(Failure::Usage(unknown.to_string())),
            };
        }
    };
    let steps: Vec<LessonStep> = match found {
        Target::Step(step, lesson) => vec![(step, lesson)],
        Target::Lesson(lesson) => lesson.steps.iter().map(|step| (step, lesson)).collect(),
    };
    if shell.options.json {
        let steps: Vec<Value> = steps.into_iter().map(|(step, _)| shown(step)).collect();
        write_json(&json!({"schema": "attn.show/1", "target": place, "steps": steps}), shell)?;
        return Ok(Exit::Good);
    }
    for (at, (step, lesson)) in steps.into_iter().enumerate() {
        if at > 0 {
            shell.say("\n")?;
        }
        shell.show(&panel(&unrun_panel(step, lesson), shell.look))?;
    }
    Ok(Exit::Good)
}

/// Shows the code of a model, or of what `attn look` and `attn write` do with it: a Python file inside the program.
fn model_code(name: &str, shell: &mut Shell) -> Result<Exit, Failure> {
    let name = name.trim_end_matches(".py");
    let source = trained::text(&format!("{name}.py"));
    if source.is_empty() {
        let names: Vec<String> = trained::code_names().map(|name| format!("@{name}")).collect();
        return Err(Failure::Usage(format!("there is no code @{name}; there are {}", names.join(", "))));
    }
    match shell.options.json {
        true => {
            let document =
                json!({"schema": "attn.show/1", "target": format!("@{name}"), "steps": [], "code": source});
            write_json(&document, shell)?;
        }
        false if shell.styled() => shell.show(&code(source, shell.look))?,
        false => shell.say(source)?,
    }
    Ok(Exit::Good)
}

/// Shows the whole glossary, or one term.
fn terms(wanted: &str, catalogue: &Catalogue, shell: &mut Shell) -> Result<Exit, Failure> {
    let glossary = catalogue.glossary()?;
    let terms: Vec<&Term> = match wanted.trim() {
        "" => glossary.terms.iter().collect(),
        name => match glossary.find(name) {
            Some(term) => vec![term],
            None => {
                let near = match glossary.nearest(name).as_slice() {
                    [] => "`attn show glossary` has all terms".to_owned(),
                    names => format!("the nearest: {}", names.join(", ")),
                };
                return Err(Failure::Usage(format!("the glossary has no term `{name}`; {near}")));
            }
        },
    };
    if shell.options.json {
        let words: Vec<Value> = terms.iter().map(|term| word(term, catalogue)).collect();
        write_json(&json!({"schema": "attn.glossary/1", "terms": words}), shell)?;
        return Ok(Exit::Good);
    }
    let entries: Vec<(&Term, String)> = terms.into_iter().map(|term| (term, met(term, catalogue))).collect();
    let intro = if wanted.trim().is_empty() { glossary.intro.as_str() } else { "" };
    shell.show(&glossary::entries(intro, &entries, shell.look))?;
    Ok(Exit::Good)
}

fn shown(step: &Step) -> Value {
    json!({
        "step": step.name(),
        "slug": step.slug,
        "section": step.section,
        "title": step.title,
        "prose": step.prose,
        "source": step.code,
    })
}

/// A term as the JSON document has it.
fn word(term: &Term, catalogue: &Catalogue) -> Value {
    let (step, section) = first_step(term, catalogue)
        .map_or((String::new(), String::new()), |(step, _)| (step.name(), step.section.clone()));
    json!({
        "term": term.name,
        "slug": term.slug,
        "also": term.also,
        "text": glossary::plain(&term.text),
        "step": step,
        "step_slug": term.step,
        "section": section,
    })
}

/// The step that introduces a term, if there is such a step.
fn first_step<'c>(term: &Term, catalogue: &'c Catalogue) -> Option<LessonStep<'c>> {
    match catalogue.find(&term.step) {
        Ok(Target::Step(step, lesson)) => Some((step, lesson)),
        _ => None,
    }
}

/// The step that explains a term, in words.
pub(crate) fn met(term: &Term, catalogue: &Catalogue) -> String {
    let Some((step, lesson)) = first_step(term, catalogue) else { return term.step.clone() };
    let earlier = catalogue.lessons().flatten().take_while(|it| it.number <= lesson.number);
    let part = earlier.filter_map(|it| it.part.as_deref()).last();
    let part = part.map_or_else(String::new, |title| format!(" ({title})"));
    format!("lesson {}{part}, {} {}", lesson.number, step.name(), step.slug)
}
