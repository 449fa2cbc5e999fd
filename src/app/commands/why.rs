//! `attn why`: where one number comes from, down to inputs, parameters and random draws. This file finds the element that
//! an expression means; `explain` explains it.

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::cells::named_element::{NamedElement, named};
use super::super::cells::plan::plan;
use super::super::cells::runner::Runner;
use super::super::cells::step::element_of;
use super::super::cells::workspace::Workspace;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::explain::{AxisPlace, Statement, Why, figure, why_of};
use crate::tensor::layout::unravel;
use crate::tensor::show::tuple_repr;
use crate::view::pick::element_name;
use crate::view::why::explanation;
use crate::view::{Look, Text};

/// The default depth: the number, and the numbers that it was computed from.
pub(crate) const DEPTH: usize = 1;
/// The largest depth.
const MAX_DEPTH: usize = 40;

/// What `attn why` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step (scores), a lesson (3.4.1), or a .ipynb, .md or .py file: the state after it is asked; before it, a folder
    /// of lessons
    #[arg(value_name = "WHERE|FILE", value_hint = clap::ValueHint::AnyPath)]
    target: String,
    /// One element: 'attn_weights[1,2]', 'attn_weights[journey, starts]', 'forward: attn_scores[0,2,1]', any expression
    /// that gives a tensor, or tokens alone: journey starts; a number at the end is the depth
    #[arg(value_name = "EXPR", required = true, allow_negative_numbers = true)]
    expression: Vec<String>,
    /// How many levels to go down from it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=MAX_DEPTH as i64))]
    depth: Option<u8>,
}

/// Explains an element.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut words = vec![args.target.clone()];
    words.extend(args.expression.iter().cloned());
    let catalogue = course::of_words(&mut words, shell)?;
    let target = words.remove(0);
    if words.is_empty() {
        return Err(Failure::Usage(
            "after the folder of lessons and the place in it comes an element".to_owned(),
        ));
    }
    let plan = plan(&target, None, &catalogue)?;
    plan.show_remarks(shell);
    let mut workspace = plan.workspace(&shell.options);
    let mut runner = Runner::new(&mut workspace, &plan.cells).by_evidence();
    let last = runner.by_ref().last();
    let exit = runner.exit();
    if exit == Exit::Interrupted {
        return Err(Failure::Stopped);
    }
    let failed = last.as_ref().and_then(|finished| Some((&finished.cell.name, finished.failure()?)));
    if let Some((cell, error)) = failed {
        shell.remark(&format!("{cell} raised {error}; what ran before it can be asked"));
    }
    let whole = words.join(" ");
    // As `:why keys[1,0] 2`.
    let (expression, levels) = match args.depth {
        Some(depth) => (whole.as_str(), Some(usize::from(depth))),
        None => expression_and_depth(&whole),
    };
    let asked = explained(expression, levels.unwrap_or(DEPTH), &mut workspace)?;
    let why = asked.why;
    if shell.options.json {
        let document = json!({
            "schema": "attn.why/1",
            "target": args.target,
            "expression": expression,
            "remarks": asked.remarks,
            "why": node(&why),
        });
        write_json(&document, shell)?;
    } else {
        for remark in &asked.remarks {
            shell.remark(remark);
        }
        shell.show(&explanation(&why, shell.look))?;
        if shell.terminal && levels.is_none() && goes_on(&why) {
            shell.remark("--depth 2 goes further down");
        }
    }
    Ok(exit)
}

/// The expression and the number of levels after it, if there is one: `keys[1,0] 3`.
pub(crate) fn expression_and_depth(words: &str) -> (&str, Option<usize>) {
    let found = words.rsplit_once(char::is_whitespace).and_then(|(expression, depth)| {
        let depth = depth.parse::<usize>().ok()?;
        let is_expression = crate::syntax::parse_expression(expression).is_ok();
        is_expression.then_some((expression.trim(), depth.min(MAX_DEPTH)))
    });
    found.map_or((words, None), |(expression, depth)| (expression, Some(depth)))
}

/// Whether there are more levels than those shown.
fn goes_on(why: &Why) -> bool {
    match why.below.as_slice() {
        [] => why.account.follow > 0 && !why.account.links.is_empty(),
        below => below.iter().any(goes_on),
    }
}

/// The element that an expression means, with its explanation.
pub(crate) struct ExplainedElement {
    /// The explanation, without the levels below.
    pub(crate) why: Why,
    /// Remarks on how the expression was understood.
    pub(crate) remarks: Vec<String>,
}

/// The explanation of an element as text, remarks first.
/// Errors: the expression is wrong; the message says what would be right.
pub(crate) fn text(
    expression: &str,
    depth: usize,
    workspace: &mut Workspace,
    look: Look,
) -> Result<Text, Failure> {
    let asked = explained(expression, depth, workspace)?;
    let mut text = Text::new();
    for remark in &asked.remarks {
        text.append(crate::view::wrap::remark(remark, look));
    }
    text.append(explanation(&asked.why, look));
    Ok(text)
}

/// As [`asked`], with `depth` levels below. If they end at a gradient, the cells run again in a workspace that records
/// what backward computes, and the explanation goes on.
fn explained(expression: &str, depth: usize, workspace: &mut Workspace) -> Result<ExplainedElement, Failure> {
    let mut first = asked(expression, workspace)?;
    first.why.open(depth, &workspace.names());
    if !first.why.ends_at_gradient() {
        return Ok(first);
    }
    let again = workspace.with_backward_recorded().ok_or(Failure::Stopped)?;
    let mut second = asked(expression, again)?;
    second.why.open(depth, &again.names());
    // Cells that read a clock may compute something else.
    let is_same = first.why.value.map(f64::to_bits) == second.why.value.map(f64::to_bits);
    Ok(if is_same { second } else { first })
}

/// Finds the element that an expression means, and explains it.
/// Errors: the expression is wrong; the message says what would be right.
fn asked(expression: &str, workspace: &mut Workspace) -> Result<ExplainedElement, Failure> {
    // Without the source of the expression itself, which says no more than its text.
    let names = workspace.names();
    let NamedElement { base, tensor, index, remarks } = element(expression, workspace)?;
    let what = element_name(&base, &index);
    Ok(ExplainedElement { why: why_of(what, &tensor, &index, &names), remarks })
}

/// The element that an expression means, with its whole index: of several, the one that the step works out, else the
/// largest. Errors: the expression is wrong; the message says what would be right.
pub(crate) fn element(expression: &str, workspace: &mut Workspace) -> Result<NamedElement, Failure> {
    let mut found = named(expression, workspace)?;
    let shape = found.tensor.shape();
    if shape.contains(&0) {
        let words = format!("{} has no element: its shape is {}", found.base, tuple_repr(shape));
        return Err(Failure::Usage(words));
    }
    if found.index.len() < shape.len() {
        let (whole, said) = chosen(&found, workspace);
        found.index = whole;
        found.remarks.extend(said);
    }
    Ok(found)
}

/// Chooses one of several elements: the one that the step works out, else the largest. The remark says which, and how to
/// ask for another.
fn chosen(found: &NamedElement, workspace: &Workspace) -> (Vec<usize>, Option<String>) {
    let (base, lead, shape) = (found.base.as_str(), found.index.as_slice(), found.tensor.shape());
    let count: usize = shape[lead.len()..].iter().product();
    let wanted = workspace.at.and_then(|(step, _)| step.why.as_deref()).and_then(|why| {
        let (named, index) = element_of(why)?;
        let is_inside = index.len() == shape.len() && index.iter().zip(shape).all(|(at, size)| at < size);
        (named == base && is_inside && index.starts_with(lead)).then_some(index)
    });
    let (index, which) = match wanted {
        Some(index) => (index, "the one this step works out"),
        None => {
            let values = found.part().to_f64_vec();
            // A nan is worth explaining; an infinity usually comes from a mask.
            let size = |at: usize| match values[at] {
                value if value.is_nan() => f64::INFINITY,
                value if value.is_infinite() => -1.0,
                value => value.abs(),
            };
            let largest = (0..values.len()).reduce(|best, at| if size(at) > size(best) { at } else { best });
            let tail = unravel(largest.unwrap_or(0), &shape[lead.len()..]);
            let has_negative = values.iter().any(|value| *value < 0.0 && value.is_finite());
            ([lead, &tail].concat(), if has_negative { "the largest in size" } else { "the largest" })
        }
    };
    let whole = element_name(base, lead);
    let tail = shape[lead.len()..].iter().map(|size| size - 1);
    let last: Vec<usize> = lead.iter().copied().chain(tail).collect();
    let said = format!(
        "{whole} has {count} elements: this is {which}, {}; ask for any other up to {}",
        element_name(base, &index),
        element_name(base, &last)
    );
    (index, (count > 1).then_some(said))
}

/// A number in JSON; nan and infinities are strings.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(figure(value)) }
}

/// An explanation and those below it, as `attn why --json` writes them.
fn node(why: &Why) -> Value {
    let (mut formula, mut figures, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for statement in &why.account.statements {
        match statement {
            Statement::Words(words) => formula.push(words),
            Statement::Figures(calc) => {
                figures.push(json!({"text": calc.text(), "value": number(calc.value())}));
            }
            Statement::Note(note) => notes.push(note),
        }
    }
    let position = |place: &AxisPlace| json!({"axis": place.axis, "index": place.at, "token": place.token});
    json!({
        "what": why.what,
        "place": why.place.iter().map(position).collect::<Vec<_>>(),
        "value": why.value.map(number),
        "shown": why.shown,
        "op": why.op,
        "cell": why.site.as_ref().map(|site| site.cell),
        "line": why.site.as_ref().map(|site| site.line),
        "formula": formula,
        "figures": figures,
        "combine": why.combine(),
        "terms": why.terms().into_iter().map(number).collect::<Vec<_>>(),
        "notes": notes,
        "end": why.account.end,
        "links": why.account.links.iter().map(|link| &link.what).collect::<Vec<_>>(),
        "below": why.below.iter().map(node).collect::<Vec<_>>(),
    })
}
