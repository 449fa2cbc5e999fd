//! Python objects to arguments, by the signatures of an operation.
//! Errors are worded as PyTorch's argument parser words them.

use std::rc::Rc;

use rustpython_vm::builtins::PyStr;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use super::classes::PyDType;
use super::generator::PyGenerator;
use super::numbers::{element, int, ints, items, number};
use super::py_tensor::tensor_of;
use crate::ops::op::{FUNCTIONAL, Op};
use crate::ops::schema::{Param, Type};
use crate::tensor::{Arg, Tensor};

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
        Type::Floats => "tuple of floats",
        Type::Tensors | Type::Several => "tuple of Tensors",
        Type::Generator => "Generator",
        Type::Any => "object",
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
        Type::Floats => items(object)?
            .iter()
            .map(|item| number(item, vm).and_then(|arg| arg.number()))
            .collect::<Option<Vec<f64>>>()
            .map(Arg::Floats),
        Type::Tensors | Type::Several => {
            items(object)?.iter().map(|item| tensor_of(item)).collect::<Option<_>>().map(Arg::Tensors)
        }
        Type::Generator => {
            object.downcast_ref::<PyGenerator>().map(|it| Arg::Generator(it.generator.clone()))
        }
        Type::Any => Some(Arg::None),
    }
}

/// The argument a default's text means.
fn default_arg(text: &'static str) -> Arg {
    match text {
        "None" => Arg::None,
        "True" => Arg::Bool(true),
        "False" => Arg::Bool(false),
        "()" => Arg::Ints(Vec::new()),
        _ => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(int), _) => Arg::Int(int),
            (_, Ok(float)) => Arg::Float(float),
            _ => Arg::Str(Rc::from(text.trim_matches('\''))),
        },
    }
}

/// Keywords PyTorch takes from NumPy's vocabulary.
const NUMPY_WORDS: [(&str, &str); 4] =
    [("axis", "dim"), ("keepdims", "keepdim"), ("x", "input"), ("x2", "other")];

fn type_name(object: &PyObject) -> String {
    object.class().name().to_string()
}

/// The arguments one form takes from a call, or why it does not fit.
fn fit(
    op: &Op,
    name: &str,
    method: bool,
    params: &[Param],
    call: &FuncArgs,
    vm: &VirtualMachine,
) -> Result<Vec<Arg>, String> {
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
            Some(object) => convert(&object, param.kind, vm).ok_or_else(|| {
                if param.kind == Type::Tensors
                    && let Some(items) = items(&object)
                    && let Some((at, other)) =
                        items.iter().enumerate().find(|(_, item)| tensor_of(item).is_none())
                {
                    return format!(
                        "expected Tensor as element {at} in argument {}, but got {}",
                        position.saturating_sub(usize::from(method)),
                        type_name(other)
                    );
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
                format!(
                    "{name}(): argument '{}'{place} must be {}, {given}",
                    param.name,
                    type_text(param.kind)
                )
            })?,
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
                    return Err(format!(
                        "{name}() missing {} required positional arguments: {}",
                        missing.len(),
                        missing.join(", ")
                    ));
                }
            },
        };
        args.push(arg);
    }
    if taken < call.args.len() {
        let most = params.iter().filter(|param| !param.keyword_only).count();
        return Err(format!(
            "{name}() takes {most} positional argument{} but {} were given",
            if most == 1 { "" } else { "s" },
            call.args.len()
        ));
    }
    if used < call.kwargs.len() {
        let known = |word: &str| {
            params.iter().any(|param| {
                param.name == word
                    || NUMPY_WORDS.iter().any(|(numpy, torch)| *numpy == word && *torch == param.name)
            })
        };
        return Err(match call.kwargs.keys().find(|word| !known(word)) {
            Some(word) => format!("{name}() got an unexpected keyword argument '{word}'"),
            None => {
                let word = call.kwargs.keys().next().map_or("", String::as_str);
                format!("{name}() got multiple values for argument '{word}'")
            }
        });
    }
    Ok(args)
}

/// The name given for a dimension, where an operation takes just one: PyTorch looks it up and finds none.
fn named_dim(forms: &[Vec<Param>], call: &FuncArgs) -> Option<String> {
    let given = |params: &Vec<Param>| {
        let position = params.iter().position(|param| param.name == "dim")?;
        let object = call.args.get(position).or_else(|| call.kwargs.get("dim"))?;
        object.downcast_ref::<PyStr>().map(|text| text.to_string_lossy().into_owned())
    };
    forms.iter().find_map(given)
}

/// The form a call fits, and its arguments. Errors: `TypeError` as PyTorch words it.
/// A method's positions are counted without the tensor it belongs to.
pub(crate) fn bind(
    op: &'static Op,
    name: &str,
    method: bool,
    call: &FuncArgs,
    vm: &VirtualMachine,
) -> PyResult<(usize, Vec<Arg>)> {
    let forms = op.params();
    let mut first = None;
    for (form, params) in forms.iter().enumerate() {
        match fit(op, name, method, params, call, vm) {
            Ok(args) => return Ok((form, args)),
            Err(why) => first = first.or(Some(why)),
        }
    }
    if let Some(text) = named_dim(forms, call) {
        let shape = call.args.first().and_then(|object| tensor_of(object)).map_or(0, |tensor| tensor.ndim());
        let names = vec!["None"; shape].join(", ");
        return Err(vm.new_runtime_error(format!("Name '{text}' not found in Tensor[{names}].")));
    }
    let why = first.unwrap_or_else(|| format!("{name}() takes no arguments"));
    if forms.len() == 1 {
        return Err(vm.new_type_error(why));
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
    Err(vm.new_type_error(format!(
        "{name}() received an invalid combination of arguments - got ({}), but expected one of:\n{}",
        given.join(", "),
        expected.concat()
    )))
}

/// A form as PyTorch lists it: `Tensor mask, Number value`.
fn overload(params: &[Param], method: bool) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut starred = false;
    for param in params.iter().skip(usize::from(method)).filter(|param| param.kind != Type::Any) {
        if param.keyword_only && !starred {
            starred = true;
            texts.push("*".to_owned());
        }
        let default = param.default.map_or(String::new(), |text| format!(" = {text}"));
        texts.push(format!("{} {}{default}", type_text(param.kind), param.name));
    }
    texts.join(", ")
}
