//! How arrays print: `str`, `repr` and `numpy.array2string`.
//! Source: NumPy 1.26's documentation of `numpy.set_printoptions`, and its output: one format for all elements, with
//! the points below each other.

use super::digits::{Style, Trim, positional, scientific};
use crate::tensor::show::{PrintOptions, shown_along, tuple_repr};
use crate::tensor::{Buffer, Category, DType, Tensor};

/// How arrays are printed before the program says otherwise. With precision `usize::MAX` numbers have all their digits;
/// `sci_mode` is `Some(false)` where small numbers have no exponent.
pub(super) fn default_options() -> PrintOptions {
    PrintOptions { precision: 8, linewidth: 75, ..PrintOptions::default() }
}

/// How one element is written.
enum Format {
    /// A truth value or a whole number, of this width.
    Whole(usize),
    Float(FloatFormat),
    /// Real and imaginary parts, and the distance between them.
    Complex([FloatFormat; 2], usize),
    /// The elements are the places of words.
    Words(Vec<String>),
}

struct FloatFormat {
    left: usize,
    right: usize,
    /// The digits of the exponent, if there is one.
    exponent: Option<usize>,
    style: Style,
    dtype: DType,
}

/// `x` padded on the left of its point and on the right of it.
fn padded(text: &str, left: usize, right: usize) -> String {
    let (whole, rest) = match text.find('.') {
        Some(point) => (&text[..point], &text[point..]),
        None => (text, ""),
    };
    let after = rest.len().saturating_sub(1);
    format!("{whole:>left$}{rest}{}", " ".repeat(right.saturating_sub(after)))
}

impl FloatFormat {
    fn new(values: &[f64], dtype: DType, options: &PrintOptions) -> FloatFormat {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let sizes = finite.iter().map(|value| value.abs()).filter(|&size| size != 0.0);
        let (largest, smallest) = (sizes.clone().fold(0.0, f64::max), sizes.fold(f64::INFINITY, f64::min));
        let ratio = match dtype {
            DType::Float64 => largest / smallest,
            _ => f64::from(dtype.round_f32(largest as f32 / smallest as f32)),
        };
        let has_exponent = largest > 0.0
            && (largest >= 1e8 || (options.sci_mode.is_none() && (smallest < 0.0001 || ratio > 1000.0)));
        let mut style = Style { precision: Some(options.precision), trim: Trim::Point };
        let (mut left, mut right, mut digits) = (0, 0, 0);
        for &value in &finite {
            let text = match has_exponent {
                true => scientific(value, dtype, &style, 2),
                false => positional(value, dtype, &style),
            };
            let (mantissa, power) = text.split_once('e').unwrap_or((&text, "+"));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            digits = digits.max(power.len() - 1);
            left = left.max(whole.len());
            right = right.max(fraction.len());
        }
        let exponent = has_exponent.then_some(digits);
        if has_exponent {
            style = Style { trim: Trim::Keep, precision: Some(right) };
            // `e`, its sign and its digits: what is not finite is as wide.
            right += 2 + digits;
        }
        if finite.len() < values.len() {
            let has_sign = values.contains(&f64::NEG_INFINITY);
            left = left.max((3 + usize::from(has_sign)).saturating_sub(right + 1));
        }
        FloatFormat { left, right, exponent, style, dtype }
    }

    fn word(&self, value: f64) -> String {
        if !value.is_finite() {
            let text = match value {
                _ if value.is_nan() => "nan",
                _ if value < 0.0 => "-inf",
                _ => "inf",
            };
            let width = self.left + self.right + 1;
            return format!("{text:>width$}");
        }
        let text = match self.exponent {
            Some(digits) => scientific(value, self.dtype, &self.style, digits),
            None => positional(value, self.dtype, &self.style),
        };
        padded(&text, self.left, self.right)
    }
}

/// The elements of a tensor that printing shows, and where they are.
struct Printer<'a> {
    tensor: &'a Tensor,
    data: &'a Buffer,
    format: Format,
    separator: &'a str,
    edge: Option<usize>,
}

/// Storage positions of the elements that are shown: all, or those at the edges.
fn shown(tensor: &Tensor, edge: Option<usize>) -> Vec<usize> {
    let layout = tensor.layout();
    let mut places = vec![layout.offset];
    for (axis, &size) in layout.shape.iter().enumerate() {
        let at =
            |from: usize| shown_along(size, edge).flatten().map(move |i| from + i * layout.strides[axis]);
        places = places.into_iter().flat_map(at).collect();
    }
    places
}

impl Printer<'_> {
    fn word(&self, at: usize) -> String {
        match &self.format {
            Format::Whole(width) => match (&self.data, self.data.int(at)) {
                (Buffer::Bool(_), 0) => format!("{:>width$}", "False"),
                (Buffer::Bool(_), _) => format!("{:>width$}", "True"),
                (_, number) => format!("{number:>width$}"),
            },
            Format::Float(format) => format.word(self.data.float(at)),
            Format::Complex([real, imag], distance) => {
                let part = self.data.float(at + distance);
                let sign = if part.is_sign_negative() && !part.is_nan() { '-' } else { '+' };
                let size = imag.word(part.abs());
                let (digits, end) = (size.trim(), &size[size.trim_end().len()..]);
                let width = size.len() + 2;
                real.word(self.data.float(at)) + &format!("{:>width$}", format!("{sign}{digits}j{end}"))
            }
            Format::Words(words) => {
                let at = usize::try_from(self.data.int(at)).ok();
                at.and_then(|at| words.get(at)).cloned().unwrap_or_default()
            }
        }
    }

    fn block(&self, axis: usize, from: usize, indent: &str, width: isize) -> String {
        let layout = self.tensor.layout();
        let left = layout.ndim() - axis;
        if left == 0 {
            return self.word(from);
        }
        let indices: Vec<_> = shown_along(self.tensor.shape()[axis], self.edge).collect();
        let place = |at: usize| from + at * layout.strides[axis];
        let bare = self.separator.trim_end();
        let mut text = String::new();
        if left == 1 {
            let width = width - bare.len().max(1) as isize;
            let mut line = indent.to_owned();
            for (number, at) in indices.iter().enumerate() {
                let word = at.map_or_else(|| "...".to_owned(), |at| self.word(place(at)));
                let too_long = (line.chars().count() + word.chars().count()) as isize > width;
                if too_long && line.len() > indent.len() {
                    text += line.trim_end();
                    text.push('\n');
                    line = indent.to_owned();
                }
                line += &word;
                if number + 1 < indices.len() {
                    line += self.separator;
                }
            }
            text += &line;
        } else {
            let between = format!("{bare}{}", "\n".repeat(left - 1));
            for (number, at) in indices.iter().enumerate() {
                text += indent;
                text += &at.map_or_else(
                    || "...".to_owned(),
                    |at| self.block(axis + 1, place(at), &format!("{indent} "), width - 1),
                );
                if number + 1 < indices.len() {
                    text += &between;
                }
            }
        }
        format!("[{}]", text.get(indent.len()..).unwrap_or_default())
    }
}

/// The separator, and the room for a prefix on the first line and for a suffix on the last.
pub(super) type Place<'a> = (&'a str, usize, usize);

/// Elements in brackets, in the format that their positions in memory have.
fn laid_out(
    tensor: &Tensor,
    options: &PrintOptions,
    (separator, prefix, suffix): Place,
    format: impl FnOnce(&Buffer, &[usize]) -> Format,
) -> String {
    if tensor.numel() == 0 {
        return "[]".to_owned();
    }
    let edge = options.edge_of(tensor.shape());
    let data = tensor.storage().read();
    let format = format(&data, &shown(tensor, edge));
    let printer = Printer { tensor, data: &data, format, separator, edge };
    let width = options.linewidth as isize - suffix as isize;
    printer.block(0, tensor.layout().offset, &" ".repeat(prefix + 1), width)
}

/// `numpy.array2string`
pub(super) fn array(tensor: &Tensor, options: &PrintOptions, place: Place) -> String {
    let dtype = tensor.dtype();
    laid_out(tensor, options, place, |data, places| match dtype.category() {
        Category::Bool => Format::Whole(if tensor.ndim() > 0 { 5 } else { 0 }),
        Category::Integer => {
            let width = |value: i64| value.to_string().len();
            let values = places.iter().map(|&at| data.int(at));
            let (low, high) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
            Format::Whole(width(low).max(width(high)))
        }
        Category::Float => {
            let values: Vec<f64> = places.iter().map(|&at| data.float(at)).collect();
            Format::Float(FloatFormat::new(&values, dtype, options))
        }
    })
}

/// The same of complex numbers, which are pairs in the last dimension.
pub(super) fn complex(pairs: &Tensor, options: &PrintOptions, place: Place) -> String {
    let (layout, last) = (pairs.layout(), pairs.ndim() - 1);
    let distance = layout.strides[last];
    laid_out(&pairs.with_layout(layout.select(last, 0)), options, place, |data, places| {
        let part = |from: usize, of: fn(f64) -> f64| {
            let values: Vec<f64> = places.iter().map(|&at| of(data.float(at + from))).collect();
            FloatFormat::new(&values, pairs.dtype(), options)
        };
        Format::Complex([part(0, |x| x), part(distance, f64::abs)], distance)
    })
}

/// `str` of words, laid out as the array of their places; with a dtype their `repr`, which leaves an empty one out.
pub(super) fn words(
    places: &Tensor,
    words: Vec<String>,
    dtype: Option<String>,
    options: &PrintOptions,
    place: Place,
) -> String {
    let elements = |place| laid_out(places, options, place, |_, _| Format::Words(words));
    match dtype {
        None => elements(place),
        Some(dtype) => framed(places.shape(), elements(IN_REPR), (&dtype, dtype.is_empty()), options),
    }
}

/// Where the elements are in `array(..)`.
pub(super) const IN_REPR: Place = (", ", 6, 1);

/// `repr(array)`
pub(super) fn repr(tensor: &Tensor, options: &PrintOptions) -> String {
    let dtype = tensor.dtype();
    let is_implied = matches!(dtype, DType::Bool | DType::Int64 | DType::Float64);
    framed(tensor.shape(), array(tensor, options, IN_REPR), (dtype.name(), is_implied), options)
}

/// `array(..)` around elements, with the dtype where they do not imply it.
pub(super) fn framed(
    shape: &[usize],
    elements: String,
    (dtype, is_implied): (&str, bool),
    options: &PrintOptions,
) -> String {
    let is_empty = shape.contains(&0);
    if is_implied && !is_empty {
        return format!("array({elements})");
    }
    let of_shape =
        if is_empty && *shape != [0] { format!(", shape={}", tuple_repr(shape)) } else { String::new() };
    let text = format!("array({elements}{of_shape},");
    let dtype = format!("dtype={dtype})");
    let last = text.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let space = if last + dtype.len() + 1 > options.linewidth { "\n      " } else { " " };
    format!("{text}{space}{dtype}")
}

/// `(2,3)`, as in errors of elementwise functions.
pub(super) fn tight(shape: &[usize]) -> String {
    tuple_repr(shape).replace(' ', "")
}
