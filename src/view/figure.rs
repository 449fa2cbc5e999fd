//! A tensor as it is shown: its values with the names of axes and positions, and its summary line.
//! Source: how much of a tensor is printed, and with how many digits: PyTorch's `_tensor_str` (threshold 1000,
//! edge items 3, precision 4).

use crate::tensor::show::{ElementFormat, ElementValue, PrintOptions, PrintSource, shown_along};
use crate::view::quantity::mean;
use crate::view::statistics::{Statistics, block};
use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, escape_controls, unbroken};
use crate::view::wrap::wrap;

/// Of tensors with more elements than this only the edges are shown.
pub(crate) const THRESHOLD: usize = 1000;
/// How many items are shown at each edge of an axis.
pub(crate) const EDGE_ITEMS: usize = 3;

/// A tensor, its name and the names of its axes and positions.
#[derive(Clone, Default, PartialEq)]
pub struct Figure {
    /// The variable's name.
    pub name: String,
    /// The dtype without `torch.`: "float32".
    pub dtype: String,
    /// Sizes of the axes.
    pub shape: Vec<usize>,
    /// The elements, row-major; empty if there are too many of them.
    pub values: Vec<f64>,
    /// Each element as PyTorch prints it in this tensor; may be empty beyond 1000 elements.
    pub texts: Vec<String>,
    /// Names of the axes; may be fewer than there are axes.
    pub axes: Vec<String>,
    /// For each axis the names of its positions (tokens); may be fewer than there are axes.
    pub labels: Vec<Option<Vec<String>>>,
}

impl Figure {
    /// The number of elements, by the shape.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Rows and columns of its slices: its last two axes.
    pub(crate) fn rows_and_columns(&self) -> (usize, usize) {
        match self.shape.as_slice() {
            [.., rows, columns] => (*rows, *columns),
            _ => (1, self.count()),
        }
    }

    /// Whether there is a value for each element.
    pub(crate) fn has_values(&self) -> bool {
        self.values.len() == self.count()
    }

    /// Whether the dtype is bool.
    pub(crate) fn is_bool(&self) -> bool {
        self.dtype == "bool"
    }

    /// Whether the dtype is an integer type.
    pub(crate) fn is_whole(&self) -> bool {
        self.dtype.contains("int")
    }

    /// Whether only the edges are shown, as PyTorch summarizes large tensors.
    pub(crate) fn is_summarized(&self) -> bool {
        self.count() > THRESHOLD
    }

    /// The name of an axis, if it has one, without control characters.
    pub(crate) fn axis(&self, axis: usize) -> Option<String> {
        let name = self.axes.get(axis).filter(|name| !name.is_empty())?;
        Some(escape_controls(name, &[]).into_owned())
    }

    /// The name of a position on an axis, if it has one, without control characters.
    pub(crate) fn label(&self, axis: usize, at: usize) -> Option<String> {
        let names = self.labels.get(axis)?.as_ref()?;
        names.get(at).map(|name| escape_controls(name, &[]).into_owned())
    }

    /// The name of a position on an axis, or its number.
    pub(crate) fn position(&self, axis: usize, at: usize) -> String {
        self.label(axis, at).unwrap_or_else(|| at.to_string())
    }

    /// The positions of an axis that are shown; `None` where others are left out.
    pub(crate) fn shown(&self, axis: usize) -> Vec<Option<usize>> {
        shown_along(self.shape[axis], self.is_summarized().then_some(EDGE_ITEMS)).collect()
    }

    /// The shape with the names of the axes: `(query 6, key 6)`.
    pub(crate) fn named_shape(&self) -> String {
        let axis = |(at, size): (usize, &usize)| match self.axis(at) {
            Some(name) => format!("{name} {size}"),
            None => size.to_string(),
        };
        let axes: Vec<String> = self.shape.iter().enumerate().map(axis).collect();
        format!("({})", axes.join(", "))
    }

    /// Extremes, mean and special values of the elements.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics::of(self.values.iter().copied())
    }

    /// The elements at these row-major offsets, as PyTorch prints them.
    pub(crate) fn numbers(&self, offsets: &[usize]) -> Vec<String> {
        if self.texts.len() == self.count() {
            return offsets.iter().map(|&at| self.texts[at].trim().to_string()).collect();
        }
        let format = ElementFormat::of(self, &PrintOptions::default());
        let text = |at: &usize| match (format.text(self.at(*at)), self.values[*at]) {
            // Those that PyTorch shows are whole, this one is not.
            (text, value) if text.ends_with('.') && value.fract() != 0.0 => format!("{value:.4}"),
            (text, _) => text,
        };
        offsets.iter().map(text).collect()
    }

    /// The element at an offset as the end of a scale: as PyTorch prints it in this tensor, but not in scientific notation
    /// if four decimals say as much.
    pub(crate) fn end(&self, offset: usize) -> String {
        let (text, size) = (self.numbers(&[offset]).remove(0), self.values[offset].abs());
        match !self.is_bool() && text.contains("e") && (size == 0.0 || (1e-3..1e4).contains(&size)) {
            true => format!("{:.4}", self.values[offset]),
            false => text,
        }
    }
}

/// How PyTorch prints a tensor without texts depends on the elements that it shows.
impl PrintSource for Figure {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn at(&self, place: usize) -> ElementValue {
        let value = self.values[place];
        match () {
            () if self.is_bool() => ElementValue::Bool(value != 0.0),
            () if self.is_whole() => ElementValue::Int(value as i64),
            () => ElementValue::Float(value),
        }
    }
}

/// The line above a tensor's table: name, dtype, shape and statistics.
pub(crate) fn summary(figure: &Figure, look: Look) -> Text {
    if look.plain {
        return plain_summary(figure);
    }
    let mut left = Line::new().with(Role::Name, &figure.name).with(Role::Prose, "   ");
    left.push(Role::Dim, format!("{} ", figure.dtype));
    left.push(Role::Prose, figure.named_shape());
    let facts = facts(figure);
    // The blocks at the ends of the scale are shown if there is space for them.
    let width = look.text_width();
    for right in [fact_line(&facts, true), fact_line(&facts, false)] {
        if let Some(line) = left.ending_in(right, width) {
            return Text { lines: vec![line.with_plain_spaces()] };
        }
    }
    let (none, shift) = (Line::new(), Line::spaces(2));
    let mut text = wrap(&left, look.width, &none, &shift);
    text.append(wrap(fact_line(&facts, true), look.width, &shift, &shift));
    text
}

struct Fact {
    /// What the value is: "min"; empty if the value says it.
    label: &'static str,
    value: String,
    role: Role,
    /// Its place on the scale, for an end of it.
    level: Option<f32>,
}

impl Fact {
    fn new(label: &'static str, value: impl Into<String>) -> Fact {
        Fact { label, value: value.into(), role: Role::Prose, level: None }
    }
}

/// The facts on one line, each unbroken; with the blocks at the ends of the scale or without.
fn fact_line(facts: &[Fact], scale: bool) -> Line {
    let mut line = Line::new();
    for (at, fact) in facts.iter().enumerate() {
        line.push(Role::Prose, if at == 0 { "" } else { "  " });
        if !fact.label.is_empty() {
            line.push(Role::Dim, unbroken(&format!("{} ", fact.label)));
        }
        line.push(fact.role, unbroken(&fact.value));
        if let Some(level) = fact.level.filter(|_| scale) {
            line.push(Role::Heat(level), format!("{NO_BREAK_SPACE}{}", block(level)));
        }
    }
    line
}

/// The facts of a tensor's values.
fn facts(figure: &Figure) -> Vec<Fact> {
    if figure.count() == 0 {
        return vec![Fact::new("", "empty")];
    }
    if !figure.has_values() {
        return vec![Fact::new("", "too many elements to show; a part of it has a table")];
    }
    if figure.shape.is_empty() {
        return vec![Fact::new("=", figure.numbers(&[0]).remove(0))];
    }
    let all = figure.statistics();
    if figure.is_bool() {
        let count = figure.count();
        return vec![Fact::new("True", format!("{} of {count}", count - all.zero))];
    }
    let mut facts = Vec::new();
    if let (Some((low, _)), Some((high, _))) = (all.least, all.greatest) {
        let ends = figure.numbers(&[low, high]);
        let finite = all.not_finite() == 0;
        if all.is_constant() && ends[0] == ends[1] && figure.count() > 1 {
            facts.push(Fact::new(if finite { "all" } else { "the rest" }, &ends[0]));
        } else {
            facts.push(Fact { level: Some(0.0), ..Fact::new("min", &ends[0]) });
            facts.push(Fact { level: Some(1.0), ..Fact::new("max", &ends[1]) });
            if !figure.is_whole() {
                facts.push(Fact::new(if finite { "mean" } else { "finite mean" }, mean(all.mean)));
            }
        }
    }
    if all.minus_inf > 0 {
        facts.push(Fact::new("-inf", all.minus_inf.to_string()));
    }
    if all.inf > 0 {
        facts.push(Fact::new("inf", all.inf.to_string()));
    }
    if all.nan > 0 {
        facts.push(Fact { role: Role::Bad, ..Fact::new("", format!("NaN! {}", all.nan)) });
    }
    facts
}

/// The summary without alignment: the tensor on one line, its facts on the next.
fn plain_summary(figure: &Figure) -> Text {
    let mut text = Text::new();
    let head = format!("{}: {} {}", figure.name, figure.dtype, figure.named_shape());
    text.say(Role::Prose, head);
    let facts: Vec<String> = facts(figure)
        .into_iter()
        .map(|fact| match fact.label {
            "" => fact.value,
            "=" => format!("value {}", fact.value),
            label => format!("{label} {}", fact.value),
        })
        .collect();
    if !facts.is_empty() {
        text.say(Role::Prose, facts.join(", "));
    }
    text
}
