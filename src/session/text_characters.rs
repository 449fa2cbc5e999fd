//! What the characters of a text are (`isdigit`, `isupper`) and `swapcase`. The interpreter computes them for ASCII; for
//! other alphabets they are computed here, by the Unicode properties that CPython reads.
//! Source: CPython's `unicodectype.c` and `unicode_isupper_impl`; the tables are those of Unicode 14.

use rustpython_vm::{PyResult, VirtualMachine, builtins::PyStr, function::FuncArgs};
use unic_ucd_category::GeneralCategory;

use super::guards::{Own, around_native};
use super::text_methods::small_sigma;

/// Digits that are no decimal digits: superscripts, digits in circles.
const DIGITS: &[(u32, u32)] = &[
    (0xb2, 0xb3),
    (0xb9, 0xb9),
    (0x1369, 0x1371),
    (0x19da, 0x19da),
    (0x2070, 0x2070),
    (0x2074, 0x2079),
    (0x2080, 0x2089),
    (0x2460, 0x2468),
    (0x2474, 0x247c),
    (0x2488, 0x2490),
    (0x24ea, 0x24ea),
    (0x24f5, 0x24fd),
    (0x24ff, 0x24ff),
    (0x2776, 0x277e),
    (0x2780, 0x2788),
    (0x278a, 0x2792),
    (0x10a40, 0x10a43),
    (0x10e60, 0x10e68),
    (0x11052, 0x1105a),
    (0x1f100, 0x1f10a),
];

/// Letters that are numbers: ideographs.
const NUMBERS: &[(u32, u32)] = &[
    (0x3405, 0x3405),
    (0x3483, 0x3483),
    (0x382a, 0x382a),
    (0x3b4d, 0x3b4d),
    (0x4e00, 0x4e00),
    (0x4e03, 0x4e03),
    (0x4e07, 0x4e07),
    (0x4e09, 0x4e09),
    (0x4e5d, 0x4e5d),
    (0x4e8c, 0x4e8c),
    (0x4e94, 0x4e94),
    (0x4e96, 0x4e96),
    (0x4ebf, 0x4ec0),
    (0x4edf, 0x4edf),
    (0x4ee8, 0x4ee8),
    (0x4f0d, 0x4f0d),
    (0x4f70, 0x4f70),
    (0x5104, 0x5104),
    (0x5146, 0x5146),
    (0x5169, 0x5169),
    (0x516b, 0x516b),
    (0x516d, 0x516d),
    (0x5341, 0x5341),
    (0x5343, 0x5345),
    (0x534c, 0x534c),
    (0x53c1, 0x53c4),
    (0x56db, 0x56db),
    (0x58f1, 0x58f1),
    (0x58f9, 0x58f9),
    (0x5e7a, 0x5e7a),
    (0x5efe, 0x5eff),
    (0x5f0c, 0x5f0e),
    (0x5f10, 0x5f10),
    (0x62fe, 0x62fe),
    (0x634c, 0x634c),
    (0x67d2, 0x67d2),
    (0x6f06, 0x6f06),
    (0x7396, 0x7396),
    (0x767e, 0x767e),
    (0x8086, 0x8086),
    (0x842c, 0x842c),
    (0x8cae, 0x8cae),
    (0x8cb3, 0x8cb3),
    (0x8d30, 0x8d30),
    (0x9621, 0x9621),
    (0x9646, 0x9646),
    (0x964c, 0x964c),
    (0x9678, 0x9678),
    (0x96f6, 0x96f6),
    (0xf96b, 0xf96b),
    (0xf973, 0xf973),
    (0xf978, 0xf978),
    (0xf9b2, 0xf9b2),
    (0xf9d1, 0xf9d1),
    (0xf9d3, 0xf9d3),
    (0xf9fd, 0xf9fd),
    (0x20001, 0x20001),
    (0x20064, 0x20064),
    (0x200e2, 0x200e2),
    (0x20121, 0x20121),
    (0x2092a, 0x2092a),
    (0x20983, 0x20983),
    (0x2098c, 0x2098c),
    (0x2099c, 0x2099c),
    (0x20aea, 0x20aea),
    (0x20afd, 0x20afd),
    (0x20b19, 0x20b19),
    (0x22390, 0x22390),
    (0x22998, 0x22998),
    (0x23b1b, 0x23b1b),
    (0x2626d, 0x2626d),
    (0x2f890, 0x2f890),
];

fn is_in(ranges: &[(u32, u32)], c: char) -> bool {
    let c = u32::from(c);
    let at = ranges.partition_point(|&(_, last)| last < c);
    ranges.get(at).is_some_and(|&(first, _)| first <= c)
}

fn is_decimal(c: char) -> bool {
    GeneralCategory::of(c) == GeneralCategory::DecimalNumber
}

fn is_digit(c: char) -> bool {
    is_decimal(c) || is_in(DIGITS, c)
}

fn is_numeric(c: char) -> bool {
    c.is_numeric() || is_in(NUMBERS, c)
}

/// A letter. Characters of later versions than the table's are taken for letters as Rust takes them.
fn is_letter(c: char) -> bool {
    match GeneralCategory::of(c) {
        GeneralCategory::Unassigned => c.is_alphabetic(),
        category => category.is_letter(),
    }
}

fn is_title(c: char) -> bool {
    GeneralCategory::of(c) == GeneralCategory::TitlecaseLetter
}

/// Installs the methods on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let class = vm.ctx.types.str_type;
    for (name, test) in [
        ("isalpha", is_letter as fn(char) -> bool),
        ("isalnum", |c| is_letter(c) || is_numeric(c)),
        ("isdecimal", is_decimal),
        ("isdigit", is_digit),
        ("isnumeric", is_numeric),
    ] {
        around_native(class, name, move |own, args, vm| all(own, args, test, vm), vm);
    }
    around_native(
        class,
        "islower",
        |own, args, vm| cased(own, args, char::is_lowercase, char::is_uppercase, vm),
        vm,
    );
    around_native(
        class,
        "isupper",
        |own, args, vm| cased(own, args, char::is_uppercase, char::is_lowercase, vm),
        vm,
    );
    around_native(class, "swapcase", swapcase, vm);
}

/// The text that a method without arguments is called on, if it is not ASCII.
fn taken(args: &FuncArgs) -> Option<&str> {
    let [object] = &args.args[..] else { return None };
    let text = object.downcast_ref::<PyStr>()?.to_str()?;
    (args.kwargs.is_empty() && !text.is_ascii()).then_some(text)
}

/// Whether the test is true of each character of a text that has some.
fn all(own: &Own, args: FuncArgs, test: fn(char) -> bool, vm: &VirtualMachine) -> PyResult {
    match taken(&args) {
        Some(text) => Ok(vm.ctx.new_bool(text.chars().all(test)).into()),
        None => own.call(args, vm),
    }
}

/// Whether there is a letter of one case and none of the other or in title case.
fn cased(
    own: &Own,
    args: FuncArgs,
    wanted: fn(char) -> bool,
    other: fn(char) -> bool,
    vm: &VirtualMachine,
) -> PyResult {
    let Some(text) = taken(&args) else { return own.call(args, vm) };
    let has_other = text.chars().any(|c| other(c) || (!c.is_ascii() && is_title(c)));
    Ok(vm.ctx.new_bool(!has_other && text.chars().any(wanted)).into())
}

/// `text.swapcase()`.
fn swapcase(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some(text) = taken(&args) else { return own.call(args, vm) };
    let mut swapped = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '\u{3a3}' => swapped.push(small_sigma(text, at)),
            _ if c.is_uppercase() => swapped.extend(c.to_lowercase()),
            _ if c.is_lowercase() => swapped.extend(c.to_uppercase()),
            _ => swapped.push(c),
        }
    }
    Ok(vm.ctx.new_str(swapped).into())
}
