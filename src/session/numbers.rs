//! Makes numbers round, divide and format as in CPython where RustPython's own functions differ, by replacing methods
//! of `float` and `bool`. Source: CPython's `float_round`, `float_divmod` and format specification mini-language.
//!
//! RustPython differs in `round(0.05, 1)` and `round(2.675, 2)` (it scales by a power of ten first), `1.3 // 0.1` (a
//! rounded quotient), `6.0 % -2.0` (it returns -2.0), `f"{True:>6}"`, `f"{2.0:.3}"`, and in separators together with
//! an exponent, a percent sign, an infinity or padding by zeros.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine,
    builtins::{PyFloat, PyInt, PyIntRef, PyStr, PyStrRef},
    common::format::FormatSpec,
    convert::{IntoPyException, ToPyObject},
    function::{OptionalArg, PyMethodDef, PyMethodFlags},
};

use super::guards::{KEPT, replace_slot};
use crate::tensor::show::{self, scientific};

const FLOAT: &[PyMethodDef] = &[
    PyMethodDef::new_const("__round__", round, PyMethodFlags::METHOD, None),
    PyMethodDef::new_const("__format__", format_float, PyMethodFlags::METHOD, None),
    PyMethodDef::new_const("__repr__", repr_float, PyMethodFlags::METHOD, None),
];
const BOOL: &[PyMethodDef] =
    &[PyMethodDef::new_const("__format__", format_bool, PyMethodFlags::METHOD, None)];

/// Replaces the methods in the interpreter's types, which all sessions of a process share.
pub(super) fn install(vm: &VirtualMachine) {
    let (float, bool) = (vm.ctx.types.float_type, vm.ctx.types.bool_type);
    for (class, methods) in [(float, FLOAT), (bool, BOOL)] {
        for method in methods {
            let name = vm.ctx.intern_str(method.name);
            class.set_attr(name, method.to_proper_method(class, &vm.ctx));
        }
    }
    float.slots.repr.store(Some(repr_slot));
    let slots = &float.slots.as_number;
    replace_slot!(slots.power, POWER, power);
    slots.right_power.store(Some(power));
    slots.true_divide.store(Some(true_divide));
    slots.right_true_divide.store(Some(true_divide));
    slots.floor_divide.store(Some(floor_divide));
    slots.right_floor_divide.store(Some(floor_divide));
    slots.remainder.store(Some(remainder));
    slots.right_remainder.store(Some(remainder));
    slots.divmod.store(Some(divmod));
    slots.right_divmod.store(Some(divmod));
}

fn repr_float(x: PyRef<PyFloat>) -> String {
    shortest_text(x.to_f64())
}

fn repr_slot(x: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    let text = x.downcast_ref::<PyFloat>().map(|x| shortest_text(x.to_f64())).unwrap_or_default();
    Ok(vm.ctx.new_str(text))
}

/// A number as Python writes it: with the digits of [`show::shortest`].
fn shortest_text(x: f64) -> String {
    let text = rustpython_vm::literal::float::to_string(x);
    // Shorter texts are near no other.
    if text.len() < 17 {
        return text;
    }
    let even = show::shortest(x);
    let even: Vec<char> =
        even.chars().take_while(|letter| *letter != 'e').filter(char::is_ascii_digit).collect();
    let Some(first) = text.find(|letter: char| letter.is_ascii_digit() && letter != '0') else { return text };
    let mut digits = even.into_iter();
    let end = text.find('e').unwrap_or(text.len());
    let digit = |letter: char| if letter == '.' { letter } else { digits.next().unwrap_or(letter) };
    format!("{}{}{}", &text[..first], text[first..end].chars().map(digit).collect::<String>(), &text[end..])
}

fn round(x: PyRef<PyFloat>, ndigits: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    let x = x.to_f64();
    let ndigits = ndigits.into_option().filter(|given| !vm.is_none(given));
    let Some(ndigits) = ndigits else {
        let whole: PyObjectRef = vm.ctx.new_float(x.round_ties_even()).into();
        return Ok(whole.try_int(vm)?.into());
    };
    let ndigits = ndigits.try_index(vm)?;
    let digits = ndigits.try_to_primitive::<i32>(vm).unwrap_or(i32::MAX);
    let rounded = rounded(x, digits);
    if rounded.is_infinite() && x.is_finite() {
        return Err(vm.new_overflow_error("rounded value too large to represent"));
    }
    Ok(vm.ctx.new_float(rounded).into())
}

/// `x` rounded half to even to `digits` decimals, computed from its exact decimal expansion.
fn rounded(x: f64, digits: i32) -> f64 {
    // No float64 has more than 1,100 decimals or more than 309 digits before the point.
    if !x.is_finite() || x == 0.0 || digits > 1100 {
        return x;
    }
    if digits < -310 {
        return 0.0_f64.copysign(x);
    }
    let text = if digits >= 0 {
        format!("{x:.*}", digits as usize)
    } else {
        let exponent = exponent(&format!("{x:e}"));
        match exponent + digits {
            kept if kept >= 0 => format!("{x:.*e}", kept as usize),
            // The first digit is one place below the last kept one: round up if the value is more than a half.
            -1 if x.abs() > 5.0 * 10f64.powi(exponent) => format!("{}e{}", x.signum(), -digits),
            _ => "0".to_owned(),
        }
    };
    text.parse::<f64>().expect("a number that was just formatted").abs().copysign(x)
}

/// The quotient rounded down, and the remainder, which has the sign of `b`.
fn float_divmod(a: f64, b: f64) -> (f64, f64) {
    let mut remainder = a % b;
    let mut whole = (a - remainder) / b;
    if remainder == 0.0 {
        remainder = 0.0_f64.copysign(b);
    } else if (b < 0.0) != (remainder < 0.0) {
        remainder += b;
        whole -= 1.0;
    }
    if whole == 0.0 {
        return (0.0_f64.copysign(a / b), remainder);
    }
    let floor = whole.floor();
    (if whole - floor > 0.5 { floor + 1.0 } else { floor }, remainder)
}

fn operand(object: &PyObject) -> Option<f64> {
    match object.downcast_ref::<PyFloat>() {
        Some(float) => Some(float.to_f64()),
        None => object.downcast_ref::<PyInt>().and_then(|int| {
            use rustpython_vm::common::int::bigint_to_finite_float;
            bigint_to_finite_float(int.as_bigint())
        }),
    }
}

type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;

static POWER: OnceLock<Ternary> = OnceLock::new();

fn power(a: &PyObject, b: &PyObject, modulus: &PyObject, vm: &VirtualMachine) -> PyResult {
    let own = POWER.get().expect(KEPT);
    let result = own(a, b, modulus, vm)?;
    let is_infinite = result.downcast_ref::<PyFloat>().is_some_and(|result| result.to_f64().is_infinite());
    let is_finite = |x| operand(x).is_some_and(f64::is_finite);
    if is_infinite && is_finite(a) && is_finite(b) {
        let args = vec![vm.ctx.new_int(34).into(), vm.ctx.new_str("Numerical result out of range").into()];
        return Err(vm.new_exception(vm.ctx.exceptions.overflow_error.to_owned(), args));
    }
    Ok(result)
}

fn true_divide(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    divided(a, b, "float division by zero", |a, b| a / b, vm)
}

/// What `quotient` computes of two operands. Errors: a division by zero, with `message`.
fn divided<T: ToPyObject>(
    a: &PyObject,
    b: &PyObject,
    message: &str,
    quotient: fn(f64, f64) -> T,
    vm: &VirtualMachine,
) -> PyResult {
    match (operand(a), operand(b)) {
        (Some(_), Some(0.0)) => Err(vm.new_zero_division_error(message)),
        (Some(a), Some(b)) => Ok(quotient(a, b).to_pyobject(vm)),
        _ => Ok(vm.ctx.not_implemented()),
    }
}

fn floor_divide(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    divided(a, b, "float floor division by zero", |a, b| float_divmod(a, b).0, vm)
}

fn remainder(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    divided(a, b, "float modulo", |a, b| float_divmod(a, b).1, vm)
}

fn divmod(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    divided(a, b, "float divmod()", float_divmod, vm)
}

fn format_bool(x: PyIntRef, spec: PyStrRef, vm: &VirtualMachine) -> PyResult<PyStrRef> {
    if spec.as_wtf8().is_empty() {
        return x.as_object().str(vm);
    }
    let number = i32::from(x.as_object().to_owned().try_to_bool(vm)?);
    vm.format(vm.ctx.new_int(number).as_object(), spec)
}

fn format_float(x: PyRef<PyFloat>, spec: PyStrRef, vm: &VirtualMachine) -> PyResult<PyStrRef> {
    let text = spec.as_wtf8().to_string_lossy();
    if text.is_empty() {
        return x.as_object().str(vm);
    }
    if let Some(text) = Specification::parse(&text, "eEfFgG%").and_then(|spec| spec.number(x.to_f64())) {
        return Ok(vm.ctx.new_str(text));
    }
    // RustPython handles the other specifications and reports the errors.
    FormatSpec::parse(spec.as_wtf8())
        .and_then(|spec| spec.format_float(x.to_f64()))
        .map(|text| vm.ctx.new_str(text))
        .map_err(|error| error.into_pyexception(vm))
}

/// The digits after which every float64 has only zeros: it has at most 1,074 decimals, and 309 digits before them.
const MOST_DIGITS: usize = 1500;

/// A format specification of a float or a text: `[[fill]align][sign][0][width][grouping][.precision][type]`.
#[derive(Default, PartialEq)]
pub(super) struct Specification {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    zeros: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Specification {
    /// Returns `None` for an invalid specification, for another type than those of `kinds`, and for those that are left to
    /// RustPython (`#`, `z`, `n`).
    pub(super) fn parse(text: &str, kinds: &str) -> Option<Specification> {
        let chars: Vec<char> = text.chars().collect();
        let mut spec = Specification::default();
        let mut at = 0;
        let aligns = |c: Option<&char>| c.copied().filter(|c| "<>=^".contains(*c));
        if aligns(chars.get(1)).is_some() {
            (spec.fill, spec.align, at) = (Some(chars[0]), aligns(chars.get(1)), 2);
        } else if aligns(chars.first()).is_some() {
            (spec.align, at) = (aligns(chars.first()), 1);
        }
        let take = |at: &mut usize, of: &str| {
            let found = chars.get(*at).copied().filter(|c| of.contains(*c));
            *at += usize::from(found.is_some());
            found
        };
        let number = |at: &mut usize| {
            let start = *at;
            while chars.get(*at).is_some_and(char::is_ascii_digit) {
                *at += 1;
            }
            let digits: String = chars[start..*at].iter().collect();
            (start < *at).then(|| digits.parse::<usize>().ok())
        };
        spec.sign = take(&mut at, "+- ");
        spec.zeros = take(&mut at, "0").is_some();
        spec.width = number(&mut at).unwrap_or(Some(0))?;
        spec.grouping = take(&mut at, ",_");
        if take(&mut at, ".").is_some() {
            spec.precision = Some(number(&mut at)??);
        }
        spec.kind = take(&mut at, kinds);
        // Larger numbers are refused before.
        let in_range = spec.width.max(spec.precision.unwrap_or(0)) <= i32::MAX as usize;
        (at == chars.len() && in_range).then_some(spec)
    }

    /// As many characters of a text as the precision says, padded; or what is wrong with the specification of a text.
    pub(super) fn text(&self, text: &str) -> Result<String, String> {
        let part = match (self.sign, self.align, self.grouping) {
            (Some(' '), ..) => "Space",
            (Some(_), ..) => "Sign",
            (_, _, Some(separator)) => return Err(format!("Cannot specify '{separator}' with 's'.")),
            (_, Some('='), _) => "'=' alignment",
            (_, align, _) => {
                let shown: String = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
                return Ok(self.padded("", &shown, align.unwrap_or('<')));
            }
        };
        Err(format!("{part} not allowed in string format specifier"))
    }

    fn number(&self, x: f64) -> Option<String> {
        let sign = match self.sign {
            _ if x.is_sign_negative() && !x.is_nan() => "-",
            Some('+') => "+",
            Some(' ') => " ",
            _ => "",
        };
        let align = self.align.unwrap_or(if self.zeros { '=' } else { '>' });
        let mut body = self.magnitude(x.abs())?;
        if let Some(separator) = self.grouping.filter(|_| x.is_finite()) {
            let digits = body.bytes().take_while(u8::is_ascii_digit).count();
            let rest = body.split_off(digits);
            let around = sign.len() + rest.len();
            let least = match (self.filling(), align) {
                ('0', '=') => self.width.saturating_sub(around),
                _ => 0,
            };
            body = grouped(&body, separator, least) + &rest;
        }
        Some(self.padded(sign, &body, align))
    }

    fn filling(&self) -> char {
        self.fill.unwrap_or(if self.zeros { '0' } else { ' ' })
    }

    fn padded(&self, sign: &str, body: &str, align: char) -> String {
        let missing = self.width.saturating_sub(sign.len() + body.chars().count());
        let pad = |n: usize| self.filling().to_string().repeat(n);
        match align {
            '<' => format!("{sign}{body}{}", pad(missing)),
            '=' => format!("{sign}{}{body}", pad(missing)),
            '^' => format!("{}{sign}{body}{}", pad(missing / 2), pad(missing - missing / 2)),
            _ => format!("{}{sign}{body}", pad(missing)),
        }
    }

    /// The text of `x`, which is not negative, without padding.
    fn magnitude(&self, x: f64) -> Option<String> {
        let percent = if self.kind == Some('%') { "%" } else { "" };
        if !x.is_finite() {
            let name = if x.is_nan() { "nan" } else { "inf" };
            let upper = self.kind.is_some_and(|kind| kind.is_ascii_uppercase());
            let name = if upper { name.to_uppercase() } else { name.to_owned() };
            return Some(name + percent);
        }
        let wanted = self.precision.unwrap_or(6);
        let precision = wanted.min(MOST_DIGITS);
        let zeros = "0".repeat(wanted - precision);
        let long = |text: String| match text.split_once('e') {
            Some((digits, exponent)) => format!("{digits}{zeros}e{exponent}"),
            None => text,
        };
        Some(match self.kind {
            Some('f' | 'F') => format!("{x:.precision$}{zeros}"),
            Some('%') => format!("{:.precision$}{zeros}%", x * 100.0),
            Some('e') => long(scientific(x, precision)),
            Some('E') => long(scientific(x, precision)).to_uppercase(),
            Some('g') => general(x, precision.max(1), 0),
            Some('G') => general(x, precision.max(1), 0).to_uppercase(),
            None => match self.precision {
                Some(_) => general(x, precision.max(1), 1),
                None => shortest_text(x),
            },
            Some(_) => return None,
        })
    }
}

/// `digits` in groups of three, padded with leading zeros to at least `least` characters.
fn grouped(digits: &str, separator: char, least: usize) -> String {
    let characters = |count: usize| count + (count - 1) / 3;
    let count = (digits.len()..).find(|count| characters(*count) >= least).expect("numbers do not end");
    let digits = format!("{digits:0>count$}");
    let threes = digits.as_bytes().rchunks(3).rev();
    let threes: Vec<&str> = threes.map(|it| std::str::from_utf8(it).expect("digits are ASCII")).collect();
    threes.join(&separator.to_string())
}

fn exponent(scientific: &str) -> i32 {
    let (_, exponent) = scientific.split_once('e').expect("scientific notation has an exponent");
    exponent.parse().expect("the exponent of a float64 is a small number")
}

/// `x` with `precision` significant digits and without trailing zeros, in the shorter of both notations. Without an
/// exponent it has at least `decimals` digits after the point.
fn general(x: f64, precision: usize, decimals: usize) -> String {
    let text = scientific(x, precision - 1);
    let power = exponent(&text);
    let without_zeros = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    if power < -4 || power >= (precision - decimals.min(precision)) as i32 {
        let (digits, rest) = text.split_at(text.find('e').expect("scientific notation has an exponent"));
        return without_zeros(digits) + rest;
    }
    let places = (precision as i32 - 1 - power).max(0) as usize;
    let digits = without_zeros(&format!("{x:.places$}"));
    if decimals > 0 && !digits.contains('.') { digits + ".0" } else { digits }
}
