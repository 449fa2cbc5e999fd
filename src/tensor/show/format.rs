//! The format of the elements of a tensor: notation and width, which follow from the shown values.
//! Source: the formatter of `torch._tensor_str` in PyTorch 2.6.

use super::places::shown_places;
use super::{ElementValue, PrintOptions, PrintSource};
use crate::kernel::stop;

/// The notation of the floats of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `3`, `True`: not floats.
    Plain,
    /// `3.`: every finite value is an integer.
    Whole,
    /// `3.1416`.
    Fixed,
    /// `3.1416e+00`.
    Scientific,
}

/// The notation of one tensor and the width its elements are padded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementFormat {
    notation: Notation,
    precision: usize,
    width: usize,
}

impl ElementFormat {
    /// The format in which `source` prints under `options`; reads only the elements that are shown.
    pub(crate) fn of(source: &dyn PrintSource, options: &PrintOptions) -> ElementFormat {
        let shape = source.shape();
        let values: Vec<ElementValue> =
            shown_places(shape, options.edge_of(shape)).into_iter().map(|place| source.at(place)).collect();
        ElementFormat::of_values(&values, options)
    }

    /// The same from the shown values themselves.
    pub(crate) fn of_values(shown: &[ElementValue], options: &PrintOptions) -> ElementFormat {
        let mut format = ElementFormat { notation: Notation::Plain, precision: options.precision, width: 1 };
        if let Some(ElementValue::Bool(_) | ElementValue::Int(_)) = shown.first() {
            format.widen(shown.iter().copied());
            return format;
        }
        // Zeros, infinities and nan affect neither the notation nor the width.
        let significant: Vec<f64> = shown
            .iter()
            .filter_map(|&value| match value {
                ElementValue::Float(x) if x.is_finite() && x != 0.0 => Some(x),
                _ => None,
            })
            .collect();
        format.notation = Notation::Whole;
        if significant.is_empty() {
            return format;
        }
        let (least, most) = significant
            .iter()
            .map(|x| x.abs())
            .fold((f64::INFINITY, 0.0_f64), |(least, most), x| (least.min(x), most.max(x)));
        let whole = significant.iter().all(|x| x.fract() == 0.0);
        let far_apart = most / least > 1000.0 || most > 1e8 || (!whole && least < 1e-4);
        let asked = match (far_apart, whole) {
            (true, _) => Notation::Scientific,
            (false, true) => Notation::Whole,
            (false, false) => Notation::Fixed,
        };
        format.notation = asked;
        format.widen(significant.into_iter().map(ElementValue::Float));
        // The option overrides the notation, but not the width.
        format.notation = match options.sci_mode {
            Some(true) => Notation::Scientific,
            Some(false) if whole => Notation::Whole,
            Some(false) => Notation::Fixed,
            None => asked,
        };
        format
    }

    /// The width that elements are padded to on the left.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// One element, unpadded.
    pub(crate) fn text(&self, value: ElementValue) -> String {
        stop::check();
        match value {
            ElementValue::Bool(true) => "True".to_owned(),
            ElementValue::Bool(false) => "False".to_owned(),
            ElementValue::Int(n) => n.to_string(),
            ElementValue::Float(x) if x.is_nan() => "nan".to_owned(),
            ElementValue::Float(x) if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
            ElementValue::Float(x) => match self.notation {
                Notation::Scientific => scientific(x, self.precision),
                Notation::Fixed => format!("{x:.*}", self.precision),
                Notation::Whole | Notation::Plain => format!("{x:.0}."),
            },
        }
    }

    /// One element padded on the left to the width.
    pub(crate) fn padded(&self, value: ElementValue) -> String {
        format!("{:>width$}", self.text(value), width = self.width)
    }

    fn widen(&mut self, values: impl Iterator<Item = ElementValue>) {
        for value in values {
            self.width = self.width.max(self.text(value).len());
        }
    }
}

/// `x` in scientific notation, if it is finite; the exponent has a sign and at least two digits, as in C and Python.
pub(crate) fn scientific(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}
