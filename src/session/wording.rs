//! The text of the interpreter's own exceptions, in CPython's words where they differ: the words that are found in books,
//! answers and recorded notebooks. Source: CPython 3.11.
//!
//! An exception that Python code raised keeps its text: the instruction at which it was raised tells the two apart.

use rustpython_vm::{
    AsObject, Py, PyResult, VirtualMachine,
    builtins::{PyBaseException, PyStr},
    bytecode::{BinaryOperator, Instruction},
    function::FuncArgs,
};

use super::guards::{Own, around};

/// Replaces `str` of exceptions, for the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let text = |own: &Own, args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let exception = args.args.first().cloned();
        let text = own.call(args, vm)?;
        let reworded = exception.as_ref().and_then(|exception| {
            let exception = exception.downcast_ref::<PyBaseException>()?;
            let text = text.downcast_ref::<PyStr>()?.to_str()?;
            reworded(exception, text, vm)
        });
        Ok(reworded.map_or(text, |reworded| vm.ctx.new_str(reworded).into()))
    };
    around(vm.ctx.exceptions.base_exception_type, "__str__", text, vm);
}

/// What a cell's code did when native code raised an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Operator(BinaryOperator),
    Contains,
    Else,
}

/// `None` if Python code raised the exception, and if it was not raised yet.
fn raised_at(exception: &Py<PyBaseException>) -> Option<Doing> {
    let entry = exception.__traceback__()?.iter().last()?;
    // The traceback counts in bytes; an instruction has two.
    let unit = entry.frame.code.instructions.get(entry.lasti as usize / 2)?;
    match unit.op.deoptimize() {
        Instruction::RaiseVarargs { .. } | Instruction::Reraise { .. } => None,
        Instruction::BinaryOp { .. } => {
            Some(BinaryOperator::try_from(u8::from(unit.arg)).map_or(Doing::Else, Doing::Operator))
        }
        Instruction::ContainsOp { .. } => Some(Doing::Contains),
        _ => Some(Doing::Else),
    }
}

fn reworded(exception: &Py<PyBaseException>, text: &str, vm: &VirtualMachine) -> Option<String> {
    use BinaryOperator as Op;
    let (class, types) = (exception.class(), &vm.ctx.exceptions);
    if class.is(types.type_error) {
        type_error(text, raised_at(exception)?)
    } else if class.is(types.value_error) {
        raised_at(exception).and_then(|_| value_error(text))
    } else if class.is(types.recursion_error) {
        Some(text.trim_end().to_owned())
    } else if class.is(types.index_error) || class.is(types.zero_division_error) {
        let reworded = match (text, raised_at(exception)?) {
            ("index out of range", Doing::Operator(Op::Subscr)) => "string index out of range",
            ("assignment index out of range", _) => "list assignment index out of range",
            ("division by zero", Doing::Operator(Op::FloorDivide | Op::InplaceFloorDivide)) => {
                "integer division or modulo by zero"
            }
            ("division by zero", Doing::Operator(Op::Remainder | Op::InplaceRemainder)) => {
                "integer modulo by zero"
            }
            ("zero to a negative power", _) => "0.0 cannot be raised to a negative power",
            _ => return None,
        };
        Some(reworded.to_owned())
    } else {
        None
    }
}

fn type_error(text: &str, doing: Doing) -> Option<String> {
    let indices = "be integers or slices or classes that override __index__ operator, not ";
    if let Some((what, given)) = text.split_once(indices) {
        let given = given.trim_matches('\'');
        return Some(match what {
            "str indices must " => format!("string indices must be integers, not '{given}'"),
            "sequence indices " => format!("range indices must be integers or slices, not {given}"),
            what => format!("{what}be integers or slices, not {given}"),
        });
    }
    for change in ["assignment", "deletion"] {
        if let Some(class) = text.strip_suffix(&format!(" does not support item {change}")) {
            let is_class = class.starts_with('\'') && class.ends_with('\'');
            return is_class.then(|| format!("{class} object does not support item {change}"));
        }
    }
    if let Some(class) = text.strip_suffix(" object is not an iterator") {
        return (!class.starts_with('\'')).then(|| format!("'{class}' object is not an iterator"));
    }
    if let (Some(class), Doing::Contains) = (text.strip_suffix(" object is not iterable"), doing) {
        return Some(format!("argument of type {class} is not iterable"));
    }
    if let Some(class) = text.strip_suffix(" object cannot be interpreted as an integer") {
        use BinaryOperator::{InplaceMultiply, Multiply};
        let multiplies = matches!(doing, Doing::Operator(Multiply | InplaceMultiply));
        return multiplies.then(|| format!("can't multiply sequence by non-int of type {class}"));
    }
    if let Some(given) = text.strip_prefix("float() argument must be a string or a number, not ") {
        return Some(format!("float() argument must be a string or a real number, not {given}"));
    }
    if let Some((format, given)) = text.split_once(" format: a number is required, not ") {
        return Some(format!("{format} format: a real number is required, not {given}"));
    }
    if text.ends_with(" doesn't define __round__") {
        return Some(format!("{text} method"));
    }
    let abstract_class = text.strip_prefix("class ");
    if let Some((class, methods)) =
        abstract_class.and_then(|text| text.split_once(" without an implementation for abstract method"))
    {
        let mut names: Vec<&str> = methods.split('\'').skip(1).step_by(2).collect();
        names.sort_unstable();
        let methods = if names.len() == 1 { "method" } else { "methods" };
        let names = names.join(", ");
        return Some(format!("Can't instantiate abstract class {class} with abstract {methods} {names}"));
    }
    for told in [
        "isinstance() arg 2 must be a type, a tuple of types, or a union",
        "issubclass() arg 1 must be a class",
    ] {
        if text.strip_prefix(told).is_some_and(|rest| rest.starts_with(", not ")) {
            return Some(told.to_owned());
        }
    }
    None
}

fn value_error(text: &str) -> Option<String> {
    if let Some((told, rest)) = text.split_once(", got ") {
        let counts = told.starts_with("too many values to unpack (expected ") && rest.ends_with(')');
        return counts.then(|| format!("{told})"));
    }
    if let Some(function) = text.strip_suffix("() iterable argument is empty") {
        return matches!(function, "max" | "min").then(|| format!("{function}() arg is an empty sequence"));
    }
    if text == "byte must be in range(0, 256)" {
        return Some("bytes must be in range(0, 256)".to_owned());
    }
    // The interpreter quotes whatever is missing; CPython shows its repr.
    let missing = text.strip_suffix("' is not in list")?.strip_prefix('\'')?;
    missing.parse::<f64>().ok().map(|_| format!("{missing} is not in list"))
}
