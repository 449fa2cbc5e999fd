//! Python objects to arguments, by the signatures of an operation.
//! Errors are worded as PyTorch's argument parser words them.

use std::rc::Rc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyStr};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use super::classes::{PyDType, PyDevice};
use super::generator::PyGenerator;
use super::numbers::{element, int, ints, is_too_large, items, number, too_large};
use super::py_tensor::tensor_of;
use super::raise::attach;
use crate::ops::op::{FUNCTIONAL, Op};
use crate::ops::schema::{Param, Type, default_arg};
use crate::ops::state::State;
use crate::tensor::{Arg, ErrorFact, Tensor};

/// What a type is called in messages.
fn type_text(kind: Type) -> &'static str {
    match kind {
        Type::Tensor => "Tensor",
        Type::Operand | Type::Number => "Number",
        Type::Int => "int",
        Type::Float => "float",
        Type::Bool => "bool",
        Type::Str => "str",
        Type::Dtype => "torch.dtype",
        Type::Ints | Type::Sizes => "tuple of ints",
        Type::Tensors | Type::Several => "tuple of Tensors",
        Type::Generator => "Generator",
        Type::Device => "torch.device",
        Type::Layout => "torch.layout",
        Type::Format => "torch.memory_format",
        Type::Only | Type::Hint | Type::Out | Type::Index => "object",
    }
}

/// The object as this kind of argument; `None` where it is none.
fn convert(object: &PyObject, kind: Type, vm: &VirtualMachine) -> Option<Arg> {
    match kind {
        Type::Tensor => tensor_of(object).map(Arg::Tensor),
        Type::Operand => tensor_of(object).map(Arg::Tensor).or_else(|| number(object, vm)),
        Type::Number => number(object, vm).or_else(|| tensor_of(object).and_then(|tensor| element(&tensor))),
        Type::Int => int(object, vm).map(Arg::Int),
        Type::Float => match number(object, vm) {
            Some(arg) => arg.number().map(Arg::Float),
            None => element(&tensor_of(object)?)?.number().map(Arg::Float),
        },
        Type::Bool => match number(object, vm)? {
            Arg::Bool(value) => Some(Arg::Bool(value)),
            _ => None,
        },
        Type::Str => {
            object.downcast_ref::<PyStr>().map(|text| Arg::Str(Rc::from(text.to_string_lossy().as_ref())))
        }
        Type::Dtype => PyDType::of(object, vm).map(Arg::DType),
        Type::Ints => int(object, vm).map(Arg::Int).or_else(|| ints(object, vm).map(Arg::Ints)),
        Type::Sizes => ints(object, vm).or_else(|| int(object, vm).map(|int| vec![int])).map(Arg::Ints),
        Type::Tensors | Type::Several => {
            items(object)?.iter().map(|item| tensor_of(item)).collect::<Option<_>>().map(Arg::Tensors)
        }
        Type::Generator => {
            object.downcast_ref::<PyGenerator>().map(|it| Arg::Generator(it.generator.clone()))
        }
        Type::Hint => number(object, vm).map(|_| Arg::None),
        Type::Device | Type::Layout | Type::Format | Type::Only | Type::Out | Type::Index => None,
    }
}

/// Why a call does not fit a form.
enum Misfit {
    /// Another form may fit; this is what a `TypeError` would say.
    Form(String),
    /// The argument is of the right kind, and refused.
    Refused(PyBaseExceptionRef),
}

/// An argument that no other form could take: a number that is too large, or a setting that attn does not have.
/// `None` where the object is neither.
fn taken_or_refused(
    name: &str,
    param: &Param,
    object: &PyObject,
    state: &State,
    vm: &VirtualMachine,
) -> PyResult<Option<Arg>> {
    let refused = |what: &str| {
        vm.new_exception_msg(
            vm.ctx.exceptions.not_implemented_error.to_owned(),
            format!("{name}(): argument '{}': {what}", param.name).into(),
        )
    };
    // A named constant prints as its name, `torch.strided`.
    let word = || object.repr(vm).map(|text| text.to_string()).unwrap_or_default();
    match param.kind {
        Type::Operand | Type::Number => too_large(object, vm).map_or(Ok(None), Err),
        Type::Int | Type::Ints | Type::Sizes
            if is_too_large(object)
                || param.kind != Type::Int
                    && items(object).is_some_and(|items| items.iter().any(|item| is_too_large(item))) =>
        {
            Err(vm.new_runtime_error("Overflow when unpacking long"))
        }
        Type::Device => PyDevice::here(object, state, vm).map(|()| Some(Arg::None)),
        Type::Layout | Type::Format => match word().as_str() {
            "torch.strided" if param.kind == Type::Layout => Ok(Some(Arg::None)),
            "torch.contiguous_format" | "torch.preserve_format" if param.kind == Type::Format => {
                Ok(Some(Arg::None))
            }
            text if text.starts_with("torch.sparse") || text.starts_with("torch.channels_last") => {
                Err(refused(&format!("{text} is not part of attn; leave the argument out")))
            }
            _ => Ok(None),
        },
        Type::Only => {
            let is_default = match default_arg(param.default.unwrap_or("None")) {
                Arg::None => vm.is_none(object),
                Arg::Bool(default) => {
                    matches!(number(object, vm), Some(Arg::Bool(value)) if value == default)
                }
                Arg::Str(default) => {
                    object.downcast_ref::<PyStr>().is_some_and(|it| it.to_string_lossy() == *default)
                }
                _ => false,
            };
            match is_default {
                true => Ok(Some(Arg::None)),
                false => Err(refused("attn has only its default; leave the argument out")),
            }
        }
        Type::Out if vm.is_none(object) => Ok(Some(Arg::None)),
        Type::Out => Err(refused("not part of attn here; assign the result instead")),
        _ => Ok(None),
    }
}

/// Keywords PyTorch takes from NumPy's vocabulary.
const NUMPY_WORDS: [(&str, &str); 4] =
    [("axis", "dim"), ("keepdims", "keepdim"), ("x", "input"), ("x2", "other")];

/// What CPython calls a class: with its module, if it is written in C.
fn type_name(object: &PyObject) -> String {
    let name = object.class().slot_name().to_string();
    if name == "torch.Tensor" { "Tensor".to_owned() } else { name }
}

/// The arguments one form takes from a call, or why it does not fit.
fn fit(
    op: &Op,
    name: &str,
    method: bool,
    params: &[Param],
    call: &FuncArgs,
    state: &State,
    vm: &VirtualMachine,
) -> Result<Vec<Arg>, Misfit> {
    let mut args = Vec::with_capacity(params.len());
    let mut taken = 0;
    let mut used = 0;
    for (position, param) in params.iter().enumerate() {
        let by_position = !param.keyword_only && taken < call.args.len();
        let given = if !param.keyword_only && taken < call.args.len() {
            let rest = &call.args[taken..];
            // Sizes and tensors may come one after the other in place of a sequence.
            let spread = match param.kind {
                Type::Sizes => int(&rest[0], vm).is_some(),
                Type::Several => tensor_of(&rest[0]).is_some(),
                _ => false,
            };
            if spread {
                let (count, arg) = if param.kind == Type::Sizes {
                    let values: Vec<i64> = rest.iter().map_while(|item| int(item, vm)).collect();
                    (values.len(), Arg::Ints(values))
                } else {
                    let tensors: Vec<Tensor> = rest.iter().map_while(|item| tensor_of(item)).collect();
                    (tensors.len(), Arg::Tensors(tensors))
                };
                taken += count;
                args.push(arg);
                continue;
            }
            taken += 1;
            Some(rest[0].clone())
        } else if call.kwargs.is_empty() {
            None
        } else {
            let keyword = call.kwargs.get(param.name).or_else(|| {
                // What is only in `nn.functional` is Python in PyTorch, and takes its own words alone.
                let word = NUMPY_WORDS.iter().find(|word| word.1 == param.name)?.0;
                if op.places == FUNCTIONAL { None } else { call.kwargs.get(word) }
            });
            if keyword.is_some() {
                used += 1;
            }
            keyword.cloned()
        };
        let arg = match given {
            Some(object) if param.optional && vm.is_none(&object) => Arg::None,
            Some(object) => {
                match taken_or_refused(name, param, &object, state, vm).map_err(Misfit::Refused)? {
                    Some(arg) => arg,
                    None => convert(&object, param.kind, vm).ok_or_else(|| {
                        if param.kind == Type::Tensors
                            && let Some(items) = items(&object)
                            && let Some((at, other)) =
                                items.iter().enumerate().find(|(_, item)| tensor_of(item).is_none())
                        {
                            return Misfit::Form(format!(
                                "expected Tensor as element {at} in argument {}, but got {}",
                                position.saturating_sub(usize::from(method)),
                                type_name(other)
                            ));
                        }
                        let place = match by_position {
                            true => format!(" (position {})", position + 1 - usize::from(method)),
                            false => String::new(),
                        };
                        let given = match param.kind {
                            Type::Sizes if by_position && items(&object).is_none() => {
                                format!("but found element of type {} at pos 0", type_name(&object))
                            }
                            _ => format!("not {}", type_name(&object)),
                        };
                        Misfit::Form(format!(
                            "{name}(): argument '{}'{place} must be {}, {given}",
                            param.name,
                            type_text(param.kind)
                        ))
                    })?,
                }
            }
            None => match param.default {
                Some(text) => default_arg(text),
                // Tensors that may come one after the other may also be none at all.
                None if param.kind == Type::Several => Arg::Tensors(Vec::new()),
                None => {
                    let missing: Vec<String> = params[position..]
                        .iter()
                        .filter(|param| param.default.is_none() && !call.kwargs.contains_key(param.name))
                        .map(|param| format!("\"{}\"", param.name))
                        .collect();
                    return Err(Misfit::Form(format!(
                        "{name}() missing {} required positional arguments: {}",
                        missing.len(),
                        missing.join(", ")
                    )));
                }
            },
        };
        args.push(arg);
    }
    if taken < call.args.len() {
        let most = params.iter().filter(|param| !param.keyword_only).count();
        return Err(Misfit::Form(format!(
            "{name}() takes {most} positional argument{} but {} were given",
            if most == 1 { "" } else { "s" },
            call.args.len()
        )));
    }
    if used < call.kwargs.len() {
        let known = |word: &str| {
            params.iter().any(|param| {
                param.name == word
                    || NUMPY_WORDS.iter().any(|(numpy, torch)| *numpy == word && *torch == param.name)
            })
        };
        return Err(Misfit::Form(match call.kwargs.keys().find(|word| !known(word)) {
            Some(word) => format!("{name}() got an unexpected keyword argument '{word}'"),
            None => {
                let word = call.kwargs.keys().next().map_or("", String::as_str);
                format!("{name}() got multiple values for argument '{word}'")
            }
        }));
    }
    Ok(args)
}

/// The form a call fits, and its arguments. Errors: `TypeError` as PyTorch words it.
/// A method's positions are counted without the tensor it belongs to.
pub(crate) fn bind(
    op: &'static Op,
    name: &str,
    method: bool,
    call: &FuncArgs,
    state: &State,
    vm: &VirtualMachine,
) -> PyResult<(usize, Vec<Arg>)> {
    let forms = op.params();
    let mut first = None;
    for (form, params) in forms.iter().enumerate() {
        match fit(op, name, method, params, call, state, vm) {
            Ok(args) => return Ok((form, args)),
            Err(Misfit::Form(why)) => first = first.or(Some(why)),
            Err(Misfit::Refused(error)) => return Err(error),
        }
    }
    let why = first.unwrap_or_else(|| format!("{name}() takes no arguments"));
    let about_keyword = |error: PyBaseExceptionRef| {
        if let Some(fact) = unknown_keyword(name, method, forms, call) {
            attach(&error, fact, vm);
        }
        error
    };
    if forms.len() == 1 {
        return Err(about_keyword(vm.new_type_error(why)));
    }
    let given: Vec<String> = call
        .args
        .iter()
        .skip(usize::from(method))
        .map(|item| type_name(item))
        .chain(call.kwargs.iter().map(|(word, item)| format!("{word}={}", type_name(item))))
        .collect();
    let expected: Vec<String> =
        forms.iter().map(|params| format!(" * ({})\n", overload(params, method))).collect();
    Err(about_keyword(vm.new_type_error(format!(
        "{name}() received an invalid combination of arguments - got ({}), but expected one of:\n{}",
        given.join(", "),
        expected.concat()
    ))))
}

/// The first keyword of a call that no form takes, and those that a form takes.
fn unknown_keyword(name: &str, method: bool, forms: &[Vec<Param>], call: &FuncArgs) -> Option<ErrorFact> {
    let params = || forms.iter().flat_map(|params| params.iter().skip(usize::from(method)));
    let is_numpy = |word: &str| NUMPY_WORDS.iter().any(|(numpy, _)| *numpy == word);
    let is_unknown = |word: &&String| !params().any(|param| param.name == **word) && !is_numpy(word);
    let wanted = call.kwargs.keys().find(is_unknown)?.clone();
    let listed = params().filter(|param| !param.kind.is_unlisted()).map(|param| param.name);
    let mut known: Vec<String> = Vec::new();
    for name in listed {
        if !known.iter().any(|known| known == name) {
            known.push(name.to_owned());
        }
    }
    Some(ErrorFact::UnknownKeyword { function: name.to_owned(), wanted, known: known.into() })
}

/// A form as PyTorch lists it: `Tensor mask, Number value`.
fn overload(params: &[Param], method: bool) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut starred = false;
    for param in params.iter().skip(usize::from(method)).filter(|param| !param.kind.is_unlisted()) {
        if param.keyword_only && !starred {
            starred = true;
            texts.push("*".to_owned());
        }
        let default = param.default.map_or(String::new(), |text| format!(" = {text}"));
        texts.push(format!("{} {}{default}", type_text(param.kind), param.name));
    }
    texts.join(", ")
}
