//! Python objects to arguments by an operation's signature, and values back to Python objects.
//! Errors are worded as PyTorch's argument parser words them.

use std::rc::Rc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::classes::{PyDType, PyGenerator, size_object};
use super::tensor_class::PyTensor;
use crate::ops::call::Value;
use crate::ops::schema::{Param, Type};
use crate::ops::state::State;
use crate::ops::table::{FUNCTIONAL, Op};
use crate::tensor::{Arg, Category, DType, Error, Kind, Site, Tensor};

/// The Python exception of a tensor error.
pub fn raise(error: Error, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let exceptions = &vm.ctx.exceptions;
    let class = match error.kind {
        Kind::Runtime => exceptions.runtime_error,
        Kind::Index => exceptions.index_error,
        Kind::Value => exceptions.value_error,
        Kind::Type => exceptions.type_error,
        Kind::NotImplemented => exceptions.not_implemented_error,
    };
    vm.new_exception_msg(class.to_owned(), error.message.into())
}

/// Turns a tensor result into a Python one.
pub trait OrRaise<T> {
    /// The value, or its error as a Python exception.
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T> {
        self.map_err(|error| raise(error, vm))
    }
}

/// Whether code of this file is library Python, and not a learner's.
pub fn is_library(path: &str) -> bool {
    path.starts_with("<attn>") || path.starts_with("<frozen")
}

/// The learner's line that is running: the innermost frame that is not our own Python.
pub fn site(vm: &VirtualMachine) -> Option<Site> {
    let mut frame = vm.current_frame()?;
    loop {
        let path = frame.code.source_path().as_str();
        // Code of attn's own, the modules of `torch` among it, is no place in what the learner wrote.
        if !is_library(path) {
            let line = frame.current_location().line.get();
            return Some(Site { cell: path, line });
        }
        frame = frame.f_back(vm)?;
    }
}

/// The tensor a Python object is.
pub fn tensor_of(object: &PyObject) -> Option<Tensor> {
    object.downcast_ref::<PyTensor>().map(|it| it.tensor())
}

/// A Python number as an argument; 0-d tensors count as numbers where numbers are asked for.
fn number_of(object: &PyObject, vm: &VirtualMachine) -> Option<Arg> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Some(Arg::Float(float.to_f64()));
    }
    if object.class().is(vm.ctx.types.bool_type) {
        return Some(Arg::Bool(object.is(&vm.ctx.true_value)));
    }
    let int = object.downcast_ref::<PyInt>()?;
    let big = int.as_bigint();
    Some(
        i64::try_from(big)
            .map_or_else(|_| Arg::Float(big.to_string().parse().unwrap_or(f64::INFINITY)), Arg::Int),
    )
}

fn element_of(tensor: &Tensor) -> Option<Arg> {
    (tensor.numel() == 1)
        .then(|| match tensor.dtype().category() {
            Category::Float => tensor.item().map(Arg::Float),
            Category::Integer => tensor.item_int().map(Arg::Int),
            Category::Bool => tensor.item_int().map(|value| Arg::Bool(value != 0)),
        })?
        .ok()
}

fn int_of(object: &PyObject, vm: &VirtualMachine) -> Option<i64> {
    match number_of(object, vm) {
        Some(Arg::Int(value)) => Some(value),
        Some(Arg::Bool(value)) => Some(i64::from(value)),
        Some(_) => None,
        None => {
            let tensor = tensor_of(object)?;
            (!tensor.dtype().is_float()).then(|| tensor.item_int().ok())?
        }
    }
}

/// The items of a list or tuple.
pub fn items(object: &PyObject) -> Option<Vec<PyObjectRef>> {
    if let Some(list) = object.downcast_ref::<PyList>() {
        return Some(list.borrow_vec().to_vec());
    }
    object.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice().to_vec())
}

fn ints_of(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<i64>> {
    items(object)?.iter().map(|item| int_of(item, vm)).collect()
}

/// What a type is called in messages.
fn type_text(kind: Type) -> &'static str {
    match kind {
        Type::Tensor => "Tensor",
        Type::Operand | Type::Number => "Number",
        Type::Int => "int",
        Type::Float => "float",
        Type::Bool => "bool",
        Type::Str => "str",
        Type::DType => "torch.dtype",
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
        Type::Operand => tensor_of(object).map(Arg::Tensor).or_else(|| number_of(object, vm)),
        Type::Number => {
            number_of(object, vm).or_else(|| tensor_of(object).and_then(|tensor| element_of(&tensor)))
        }
        Type::Int => int_of(object, vm).map(Arg::Int),
        Type::Float => match number_of(object, vm) {
            Some(arg) => arg.number().map(Arg::Float),
            None => element_of(&tensor_of(object)?)?.number().map(Arg::Float),
        },
        Type::Bool => match number_of(object, vm)? {
            Arg::Bool(value) => Some(Arg::Bool(value)),
            _ => None,
        },
        Type::Str => {
            object.downcast_ref::<PyStr>().map(|text| Arg::Str(Rc::from(text.to_string_lossy().as_ref())))
        }
        Type::DType => PyDType::of(object, vm).map(Arg::DType),
        Type::Ints => int_of(object, vm).map(Arg::Int).or_else(|| ints_of(object, vm).map(Arg::Ints)),
        Type::Sizes => ints_of(object, vm).or_else(|| int_of(object, vm).map(|int| vec![int])).map(Arg::Ints),
        Type::Floats => items(object)?
            .iter()
            .map(|item| number_of(item, vm).and_then(|arg| arg.number()))
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
                Type::Sizes => int_of(&rest[0], vm).is_some(),
                Type::Several => tensor_of(&rest[0]).is_some(),
                _ => false,
            };
            if spread {
                let (count, arg) = if param.kind == Type::Sizes {
                    let values: Vec<i64> = rest.iter().map_while(|item| int_of(item, vm)).collect();
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
pub fn bind(
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

/// The Python object of a tensor: the one that was handed in, where an operation gave it back.
fn tensor_object(
    tensor: Tensor,
    state: &Rc<State>,
    given: &[PyObjectRef],
    vm: &VirtualMachine,
) -> PyObjectRef {
    for object in given {
        if object.downcast_ref::<PyTensor>().is_some_and(|it| it.tensor().is(&tensor)) {
            return object.clone();
        }
    }
    PyTensor::new(tensor, state.clone()).into_pyobject(vm)
}

/// The Python object of a value.
pub fn object(value: Value, state: &Rc<State>, given: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
    let wrap = |tensor: Tensor| tensor_object(tensor, state, given, vm);
    Ok(match value {
        Value::Tensor(tensor) => wrap(tensor),
        Value::Tensors(tensors) => vm.ctx.new_tuple(tensors.into_iter().map(wrap).collect()).into(),
        Value::List(tensors) => vm.ctx.new_list(tensors.into_iter().map(wrap).collect()).into(),
        Value::Named(name, fields) => {
            let (names, tensors): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
            let names = names.into_iter().map(|name| vm.ctx.new_str(name).into()).collect();
            let tensors = tensors.into_iter().map(wrap).collect();
            let module = vm.import("torch.return_types", 0)?;
            let make = module.get_attr("return_types", vm)?.get_attr("_make", vm)?;
            make.call((vm.ctx.new_str(name), vm.ctx.new_tuple(names), vm.ctx.new_tuple(tensors)), vm)?
        }
        Value::Bool(value) => vm.ctx.new_bool(value).into(),
        Value::Int(value) => vm.ctx.new_int(value).into(),
        Value::Float(value) => vm.ctx.new_float(value).into(),
        Value::Text(text) => vm.ctx.new_str(text).into(),
        Value::Size(shape) => size_object(&shape, vm),
        Value::Ints(values) => {
            vm.ctx.new_tuple(values.into_iter().map(|value| vm.ctx.new_int(value).into()).collect()).into()
        }
        Value::DType(dtype) => PyDType::object(dtype, vm),
        Value::None => vm.ctx.none(),
    })
}

/// A Python number of a tensor's one element. As `Tensor.item`.
pub fn item_object(tensor: &Tensor, vm: &VirtualMachine) -> PyResult {
    Ok(match tensor.dtype().category() {
        Category::Float => vm.ctx.new_float(tensor.item().or_raise(vm)?).into(),
        Category::Integer => vm.ctx.new_int(tensor.item_int().or_raise(vm)?).into(),
        Category::Bool => vm.ctx.new_bool(tensor.item_int().or_raise(vm)? != 0).into(),
    })
}

/// The dtype Python numbers and nested lists of them become.
pub fn inferred_dtype(category: Category, default: DType) -> DType {
    match category {
        Category::Bool => DType::Bool,
        Category::Integer => DType::Int64,
        Category::Float => default,
    }
}

/// A number object as an argument; `None` where it is no number.
pub fn number(object: &PyObject, vm: &VirtualMachine) -> Option<Arg> {
    number_of(object, vm)
}

/// A whole number object; 0-d integer tensors count.
pub fn int(object: &PyObject, vm: &VirtualMachine) -> Option<i64> {
    int_of(object, vm)
}
