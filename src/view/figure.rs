//! A tensor as a figure: its facts, which of its elements are shown, and how its numbers read.
//! Plain values in; nothing of the tensor is computed but least, greatest and mean.
//! Source: what is cut and how many digits: PyTorch's `_tensor_str` (threshold 1000, edge items 3, precision 4).

use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// Tensors with more elements than this are cut, as PyTorch cuts them.
pub const THRESHOLD: usize = 1000;
/// How many items at each end of an axis a cut leaves.
pub const EDGE: usize = 3;
/// The scale that reads without colour, least to greatest.
pub const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A tensor as it is to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The variable's name.
    pub name: String,
    /// The dtype without `torch.`: "float32".
    pub dtype: String,
    /// Sizes of the axes.
    pub shape: Vec<usize>,
    /// Elements, row-major. May be empty when there are too many to hand over.
    pub values: Vec<f64>,
    /// Each element as PyTorch prints it in this tensor; may be empty beyond 1000 elements.
    pub texts: Vec<String>,
    /// Names of the axes; may be fewer than there are axes.
    pub axes: Vec<String>,
    /// Per axis the names of its positions (tokens); may be fewer than there are axes.
    pub labels: Vec<Option<Vec<String>>>,
}

/// What the whole tensor's values are like: finite extremes by place, and what is not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Place and value of the least finite element.
    pub least: Option<(usize, f64)>,
    /// Place and value of the greatest finite element.
    pub greatest: Option<(usize, f64)>,
    /// Mean of the finite elements.
    pub mean: f64,
    /// How many are nan.
    pub nan: usize,
    /// How many are inf.
    pub inf: usize,
    /// How many are -inf.
    pub minus_inf: usize,
    /// How many are zero.
    pub zero: usize,
}

impl Figure {
    /// Number of elements that the shape calls for.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the values are there, one for each element.
    pub fn has_values(&self) -> bool {
        self.values.len() == self.count()
    }

    /// Whether it is a tensor of truth values.
    pub fn is_bool(&self) -> bool {
        self.dtype == "bool"
    }

    /// Whether its elements are whole numbers by dtype.
    pub fn is_whole(&self) -> bool {
        self.dtype.contains("int")
    }

    /// Whether only its edges are shown.
    pub fn is_cut(&self) -> bool {
        self.count() > THRESHOLD
    }

    /// The name of an axis, if it has one.
    pub fn axis(&self, axis: usize) -> Option<String> {
        let name = self.axes.get(axis).filter(|name| !name.is_empty())?;
        Some(shown_name(name))
    }

    /// The name of a position on an axis, if it has one; safe to show.
    pub fn label(&self, axis: usize, at: usize) -> Option<String> {
        let names = self.labels.get(axis)?.as_ref()?;
        names.get(at).map(|name| shown_name(name))
    }

    /// The position's name, or its number.
    pub fn place(&self, axis: usize, at: usize) -> String {
        self.label(axis, at).unwrap_or_else(|| at.to_string())
    }

    /// Which positions of an axis are shown; `None` stands for those left out.
    pub fn shown(&self, axis: usize) -> Vec<Option<usize>> {
        let size = self.shape[axis];
        if !self.is_cut() || size <= 2 * EDGE {
            return (0..size).map(Some).collect();
        }
        let head = (0..EDGE).map(Some);
        let tail = (size - EDGE..size).map(Some);
        head.chain([None]).chain(tail).collect()
    }

    /// The shape with the axes' names: `(query 6, key 6)`.
    pub fn shape_words(&self) -> String {
        let axis = |(at, size): (usize, &usize)| match self.axis(at) {
            Some(name) => format!("{name} {size}"),
            None => size.to_string(),
        };
        let axes: Vec<String> = self.shape.iter().enumerate().map(axis).collect();
        format!("({})", axes.join(", "))
    }

    /// Extremes, mean and what is not finite.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        let (mut sum, mut finite) = (0.0, 0usize);
        for (at, &v) in self.values.iter().enumerate() {
            if v.is_nan() {
                facts.nan += 1;
            } else if v == f64::INFINITY {
                facts.inf += 1;
            } else if v == f64::NEG_INFINITY {
                facts.minus_inf += 1;
            } else {
                facts.zero += usize::from(v == 0.0);
                sum += v;
                finite += 1;
                if facts.least.is_none_or(|(_, least)| v < least) {
                    facts.least = Some((at, v));
                }
                if facts.greatest.is_none_or(|(_, greatest)| v > greatest) {
                    facts.greatest = Some((at, v));
                }
            }
        }
        facts.mean = sum / finite.max(1) as f64;
        facts
    }

    /// The numbers of the elements at `places`, as PyTorch prints them.
    pub fn numbers(&self, places: &[usize]) -> Vec<String> {
        if self.texts.len() == self.count() {
            return places.iter().map(|&p| self.texts[p].trim().to_string()).collect();
        }
        let form = Form::of(self);
        places.iter().map(|&p| form.number(self.values[p])).collect()
    }

    /// The places of the elements that PyTorch would print: all of them, or the edges.
    fn printed(&self) -> Vec<usize> {
        let mut places = vec![0];
        for (axis, size) in self.shape.iter().enumerate() {
            let shown: Vec<usize> = self.shown(axis).into_iter().flatten().collect();
            let step = |place: usize| shown.iter().map(move |at| place * size + at);
            places = places.into_iter().flat_map(step).collect();
        }
        places
    }
}

impl Facts {
    /// Whether least and greatest are the same, but for what rounding leaves: row sums of 1 lie within 2e-7.
    pub fn alike(&self) -> bool {
        let (Some((_, least)), Some((_, greatest))) = (self.least, self.greatest) else {
            return false;
        };
        let span = greatest - least;
        // Whole numbers differ by 1 at least, however large they are.
        span == 0.0 || (span <= 1e-6 * least.abs().max(greatest.abs()) && span < 0.5)
    }

    /// Where a value lies between least and greatest, 0 to 1; `None` when there is nothing to compare.
    pub fn level(&self, value: f64) -> Option<f32> {
        let ((_, least), (_, greatest)) = (self.least?, self.greatest?);
        let span = greatest - least;
        (value.is_finite() && !self.alike() && span.is_finite()).then(|| ((value - least) / span) as f32)
    }

    /// Whether a value is "nothing" here: minus infinity, or the zero that all others exceed.
    pub fn is_nothing(&self, value: f64) -> bool {
        value == f64::NEG_INFINITY || (value == 0.0 && self.least.is_some_and(|(_, l)| l == 0.0))
    }

    /// The mark that shows a value without colour, and what it means. Nothing (a masked or dropped
    /// weight) is a dot, nan an exclamation mark; `None` when all values are the same.
    pub fn mark(&self, value: f64) -> Option<(char, Role)> {
        if value.is_nan() {
            return Some(('!', Role::Bad));
        }
        if self.alike() {
            let differs = self.nan + self.inf + self.minus_inf > 0;
            return differs.then(|| match value.is_finite() {
                true => ('█', Role::Number),
                false => ('·', Role::Dim),
            });
        }
        if self.is_nothing(value) {
            return Some(('·', Role::Dim));
        }
        let level = if value == f64::INFINITY { 1.0 } else { self.level(value)? };
        Some((block(level), Role::Heat(level)))
    }
}

/// The block character of a level between 0 and 1.
pub fn block(level: f32) -> char {
    BLOCKS[(level.clamp(0.0, 1.0) * 7.0).round() as usize]
}

/// A token's name as it can be shown: control characters and the signs that tables are tagged by are spelt out.
pub fn shown_name(name: &str) -> String {
    let spelt = |c: char| match c {
        '\n' => "\\n".to_string(),
        '\t' => "\\t".to_string(),
        c if c.is_control() || ('\u{E000}'..='\u{E002}').contains(&c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    name.chars().map(spelt).collect()
}

/// How PyTorch would write the numbers of a tensor that came without its texts.
enum Form {
    Bool,
    Whole,
    Integral,
    Fixed,
    Scientific,
}

impl Form {
    /// The form that fits all numbers PyTorch would print of this tensor.
    fn of(figure: &Figure) -> Form {
        if figure.is_bool() {
            return Form::Bool;
        }
        if figure.is_whole() {
            return Form::Whole;
        }
        let printed = figure.printed();
        let values = printed.iter().map(|&p| figure.values[p]);
        let finite: Vec<f64> = values.filter(|v| v.is_finite() && *v != 0.0).map(f64::abs).collect();
        let greatest = finite.iter().copied().fold(0.0, f64::max);
        let least = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let integral = finite.iter().all(|v| v.fract() == 0.0);
        let wide = greatest > 0.0 && (greatest / least > 1000.0 || greatest > 1e8);
        match integral {
            _ if wide => Form::Scientific,
            true => Form::Integral,
            false if least < 1e-4 => Form::Scientific,
            false => Form::Fixed,
        }
    }

    fn number(&self, value: f64) -> String {
        match self {
            Form::Bool if value != 0.0 => "True".to_string(),
            Form::Bool => "False".to_string(),
            Form::Whole => format!("{value:.0}"),
            _ if value.is_nan() => "nan".to_string(),
            _ if value.is_infinite() && value > 0.0 => "inf".to_string(),
            _ if value.is_infinite() => "-inf".to_string(),
            Form::Integral if value.fract() == 0.0 => format!("{value:.0}."),
            Form::Integral | Form::Fixed => format!("{value:.4}"),
            Form::Scientific => exponent(value),
        }
    }
}

/// A number with an exponent of two digits at least, as Python writes it.
fn exponent(value: f64) -> String {
    let text = format!("{value:.4e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = match power.strip_prefix('-') {
                Some(power) => ('-', power),
                None => ('+', power),
            };
            format!("{digits}e{sign}{power:0>2}")
        }
        None => text,
    }
}

/// A mean with the four digits that PyTorch's printing would give it alone.
pub fn mean_text(mean: f64) -> String {
    match mean != 0.0 && (mean.abs() < 1e-4 || mean.abs() > 1e8) {
        true => exponent(mean),
        false => format!("{mean:.4}"),
    }
}

/// What is above a tensor's table: name, dtype, shape in words, and the facts of its values.
pub fn summary(figure: &Figure, look: Look) -> Text {
    if look.plain {
        return plain_summary(figure);
    }
    let mut left = Line::new().with(Role::Name, &figure.name).with(Role::Prose, "   ");
    left.push(Role::Dim, format!("{} ", figure.dtype));
    left.push(Role::Prose, figure.shape_words());
    let facts = facts_of(figure);
    // The ends of the scale stand by their numbers where there is room for them.
    let width = look.text_width();
    for right in [fact_line(&facts, true), fact_line(&facts, false)] {
        if left.width() + 2 + right.width() <= width {
            left.fill(width - right.width());
            left.join(right);
            return Text { lines: vec![left.with_plain_spaces()] };
        }
    }
    let (none, shift) = (Line::new(), Line::spaces(2));
    let mut text = wrap(&left, look.width, &none, &shift);
    text.append(wrap(&fact_line(&facts, true), look.width, &shift, &shift));
    text
}

/// Facts side by side, each held together; with the ends of the scale or without.
fn fact_line(facts: &[(&'static str, String, Role)], scale: bool) -> Line {
    let mut line = Line::new();
    for (at, (word, value, role)) in facts.iter().enumerate() {
        line.push(Role::Prose, if at == 0 { "" } else { "  " });
        if !word.is_empty() {
            line.push(Role::Dim, unbroken(&format!("{word} ")));
        }
        line.push(*role, unbroken(&value));
        match *word {
            "min" if scale => line.push(Role::Heat(0.0), format!("{NO_BREAK_SPACE}{}", BLOCKS[0])),
            "max" if scale => line.push(Role::Heat(1.0), format!("{NO_BREAK_SPACE}{}", BLOCKS[7])),
            _ => {}
        }
    }
    line
}

/// The facts of a figure's values, each a word and what it is.
fn facts_of(figure: &Figure) -> Vec<(&'static str, String, Role)> {
    let mut facts = Vec::new();
    if figure.count() == 0 {
        return vec![("", "empty".to_string(), Role::Prose)];
    }
    if !figure.has_values() {
        return facts;
    }
    if figure.shape.is_empty() {
        return vec![("=", figure.numbers(&[0])[0].clone(), Role::Prose)];
    }
    let all = figure.facts();
    if figure.is_bool() {
        let truths = figure.count() - all.zero;
        return vec![("True", format!("{truths} of {}", figure.count()), Role::Prose)];
    }
    if let (Some((low, _)), Some((high, _))) = (all.least, all.greatest) {
        let ends = figure.numbers(&[low, high]);
        let finite = all.nan + all.inf + all.minus_inf == 0;
        if all.alike() && ends[0] == ends[1] && figure.count() > 1 {
            let word = if finite { "all" } else { "the rest" };
            facts.push((word, ends[0].clone(), Role::Prose));
            return with_odd(facts, &all);
        }
        facts.push(("min", ends[0].clone(), Role::Prose));
        facts.push(("max", ends[1].clone(), Role::Prose));
        if !figure.is_whole() {
            let word = if finite { "mean" } else { "finite mean" };
            facts.push((word, mean_text(all.mean), Role::Prose));
        }
    }
    with_odd(facts, &all)
}

/// The facts and after them how much is not finite.
fn with_odd(mut facts: Vec<(&'static str, String, Role)>, all: &Facts) -> Vec<(&'static str, String, Role)> {
    if all.minus_inf > 0 {
        facts.push(("-inf", all.minus_inf.to_string(), Role::Prose));
    }
    if all.inf > 0 {
        facts.push(("inf", all.inf.to_string(), Role::Prose));
    }
    if all.nan > 0 {
        facts.push(("", format!("NaN! {}", all.nan), Role::Bad));
    }
    facts
}

/// The summary without alignment: the tensor on one line, its facts on the next.
fn plain_summary(figure: &Figure) -> Text {
    let mut text = Text::new();
    let head = format!("{}: {} {}", figure.name, figure.dtype, figure.shape_words());
    text.say(Role::Prose, head);
    let facts: Vec<String> = facts_of(figure)
        .into_iter()
        .map(|(word, value, _)| match word {
            "" => value,
            "=" => format!("value {value}"),
            word => format!("{word} {value}"),
        })
        .collect();
    if !facts.is_empty() {
        text.say(Role::Prose, facts.join(", "));
    }
    text
}
