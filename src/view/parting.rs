//! Two implementations compared: what was given to both, whether they agree, and where they part.

use serde::{Deserialize, Serialize};

use crate::explain::{PartedOperand, PartedStep, Parting, Relation, TensorDifference};
use crate::tensor::show::shape_in_formula;
use crate::view::code;
use crate::view::columns::labelled;
use crate::view::quantity::{amount, counted, grouped};
use crate::view::text::{Look, Role, Text};
use crate::view::wrap::wrap;

/// What `_compare.py` reports.
#[derive(Deserialize)]
pub(crate) struct Report {
    pub(crate) sides: [String; 2],
    pub(crate) equal: bool,
    pub(crate) weights: Vec<Weight>,
    pub(crate) zeroed: [Vec<String>; 2],
    pub(crate) remarks: Vec<String>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) gradients: Gradients,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct Weight {
    pub(crate) a: Vec<String>,
    pub(crate) b: Vec<String>,
    pub(crate) by: String,
    pub(crate) transposed: bool,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct Gradients {
    pub(crate) compared: Vec<String>,
    pub(crate) differing: Vec<String>,
}

/// Two implementations, with the same weights and inputs.
pub(crate) struct Compared {
    pub(crate) report: Report,
    /// The shapes of both outputs.
    pub(crate) shapes: [Vec<usize>; 2],
    /// How the outputs differ; `None` if their shapes do.
    pub(crate) difference: Option<TensorDifference>,
    /// Where they part, and the lines of code there.
    pub(crate) parting: Option<Parting>,
    pub(crate) code: [Option<String>; 2],
}

/// The width of the words at the left.
const LABEL: usize = 11;

pub(crate) fn compared(it: &Compared, look: Look) -> Text {
    let mut text = Text::new();
    let report = &it.report;
    let [one, two] = &report.sides;
    let mut say = |role: Role, words: &str| text.append(wrap((role, words), look.text_width(), 0, 0));
    match report.equal {
        true => say(
            Role::Good,
            &format!("{}{one} and {two} compute the same.", if look.plain { "" } else { "✓ " }),
        ),
        false => say(Role::Bad, &format!("{}{one} and {two} differ.", if look.plain { "" } else { "✗ " })),
    }
    text.gap();
    let mut row = |label: &str, words: &str| {
        text.append(labelled(label, Role::Dim, (Role::Prose, words), LABEL, look));
    };
    row("weights", &weights(report));
    remarks(report).iter().for_each(|words| row("", words));
    let inputs = report.inputs.iter().map(|it| format!("{} {}", it.name, it.value));
    row("inputs", &inputs.collect::<Vec<_>>().join(", "));
    row("outputs", &outputs(it));
    row("gradients", &gradients(&report.gradients));
    let Some(parting) = &it.parting else { return text };
    text.gap();
    let before = match parting.shared {
        0 => "They part at their first results:".to_owned(),
        count => format!("They part after {} that both have:", counted(count, "result")),
    };
    text.append(wrap((Role::Strong, before), look.text_width(), 0, 0));
    for (at, step) in parting.sides.iter().enumerate() {
        match step {
            Some(step) => text.append(parted(step, it.code[at].as_deref(), look)),
            None => text.say(Role::Dim, format!("  {}: no operation of its own", report.sides[at])),
        }
    }
    let relation = parting.relation.as_ref().map(|relation| related(relation, &parting.sides));
    // Of the same line in both, what it was given says more.
    let is_same_code = it.code[0].is_some() && it.code[0] == it.code[1];
    let operand = parting.operand.as_ref().filter(|it| is_same_code || it.differing.is_some()).map(given);
    for words in relation.into_iter().chain(operand) {
        text.append(wrap((Role::Prose, words), look.text_width(), 0, 0));
    }
    text
}

/// How many weights were copied, and how they were paired.
fn weights(report: &Report) -> String {
    let count = |by: &str| report.weights.iter().filter(|it| it.by == by).count();
    let kinds = [
        ("map", "as --map says"),
        ("name", "by name"),
        ("role", "by what they are for"),
        ("order", "by order"),
    ];
    let said: Vec<String> = kinds
        .iter()
        .filter(|(by, _)| count(by) > 0)
        .map(|(by, words)| format!("{} {words}", count(by)))
        .collect();
    match report.weights.len() {
        0 => "none".to_owned(),
        all => format!("{all} copied: {}", said.join(", ")),
    }
}

/// The weights that were not paired by name, those without a partner, and what else was assumed.
fn remarks(report: &Report) -> Vec<String> {
    let pairs = report.weights.iter().filter(|it| it.by != "name");
    let said: Vec<String> = pairs
        .map(|it| {
            let turned = if it.transposed { " (transposed)" } else { "" };
            format!("{} = {}{turned}", it.a.join(" + "), it.b.join(" + "))
        })
        .collect();
    let mut remarks = Vec::new();
    if !said.is_empty() {
        remarks.push(said.join(", "));
    }
    for (side, names) in report.sides.iter().zip(&report.zeroed) {
        if !names.is_empty() {
            let side = side.split('(').next().unwrap_or_default();
            let have = if names.len() == 1 { "has no partner and is 0" } else { "have no partner and are 0" };
            remarks.push(format!("{} of {side} {have}", names.join(", ")));
        }
    }
    remarks.extend(report.remarks.iter().cloned());
    remarks
}

/// How an operand differs, as a sentence.
fn given(operand: &PartedOperand) -> String {
    let PartedOperand { names: [one, two], shapes, lines, differing } = operand;
    let mut name = match (one.as_str(), two.as_str()) {
        ("", _) | (_, "") => "An operand".to_owned(),
        (one, two) if one == two => one.to_owned(),
        (one, two) => format!("{one} and {two}"),
    };
    match lines {
        [Some(one), Some(two)] if one == two => name.push_str(&format!(", made in line {one},")),
        [Some(one), Some(two)] => name.push_str(&format!(", made in line {one} and line {two},")),
        _ => {}
    }
    let [first, second] = shapes.each_ref().map(|shape| shape_in_formula(shape));
    match differing {
        None => format!("{name} has the shape {first} in the first and {second} in the second."),
        Some((count, index, [a, b])) => {
            let all = grouped(shapes[0].iter().product::<usize>() as u64);
            let (count, place) = (grouped(*count as u64), at(index, *a, *b));
            format!("{name} differs before that: {count} of {all} numbers, the first {place}.")
        }
    }
}

/// An index, and what both have there.
fn at(index: &[usize], a: f64, b: f64) -> String {
    format!("at {index:?}: {} and {}", amount(a), amount(b))
}

fn outputs(it: &Compared) -> String {
    let [one, two] = it.shapes.each_ref().map(|shape| shape_in_formula(shape));
    let Some(found) = &it.difference else { return format!("the shapes differ: {one} and {two}") };
    if it.report.equal {
        return match found.differing {
            0 => format!("{one}, equal"),
            _ => format!("{one}, equal but for rounding"),
        };
    }
    match &found.greatest {
        Some((index, a, b)) => {
            let (differing, count) = (grouped(found.differing as u64), grouped(found.count as u64));
            format!("{one}, {differing} of {count} numbers differ, most {}", at(index, *a, *b))
        }
        None => format!("{one}, {} of {} numbers are nan in one only", found.nan, found.count),
    }
}

fn gradients(gradients: &Gradients) -> String {
    match (gradients.compared.len(), gradients.differing.as_slice()) {
        (0, _) => "not compared".to_owned(),
        (count, []) => format!("{} compared, equal", counted(count, "gradient")),
        (count, differing) if differing.len() == count && count > 1 => format!("all {count} differ"),
        (count, differing) => format!("{} of {count} differ: {}", differing.len(), differing.join(", ")),
    }
}

fn parted(step: &PartedStep, code: Option<&str>, look: Look) -> Text {
    let mut text = Text::new();
    let line = if step.line > 0 { format!(":{}", step.line) } else { String::new() };
    let place = format!("{}{line}, in {}, {}", step.file, step.function, step.operation);
    let place = format!("{place} {}", shape_in_formula(&step.shape));
    text.append(wrap((Role::Dim, place), look.width, 2, 2));
    if let Some(code) = code {
        text.append(code::code_line(code.trim(), step.line, look).indented(if look.plain { 2 } else { 0 }));
    }
    text
}

/// What the numbers of both have to do with each other, as a sentence.
fn related(relation: &Relation, sides: &[Option<PartedStep>; 2]) -> String {
    let names = match sides {
        [Some(one), Some(two)] if one.file != two.file => [one.file.as_str(), two.file.as_str()],
        _ => ["the first", "the second"],
    };
    let [one, two] = names;
    match relation {
        Relation::Factor(factor) => {
            format!("From there on, numbers of {two} are {} times those of {one}.", amount(*factor))
        }
        Relation::Order => "The numbers are the same, in another order.".to_owned(),
        Relation::Elements { differing, count, index, values: [a, b] } => {
            let (differing, count) = (grouped(*differing as u64), grouped(*count as u64));
            format!("{differing} of {count} numbers differ, the first {}.", at(index, *a, *b))
        }
    }
}
