//! `exec`, `eval` and `compile` prepare source as cells do, and refuse source that nests too deeply, and code that does not run
//! to its end.

use ruff_python_parser::Mode;
use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyResult, TryFromBorrowedObject, VirtualMachine,
    builtins::{PyCode, PyList, PyStr},
    bytecode::CodeFlags,
    function::{ArgBytesLike, FuncArgs},
};

use super::cell::module_code;
use super::syntax_errors;
use crate::syntax::{self, Nesting};

/// `exec` and `eval` refuse the code of generators and coroutines, which returns in the middle. They and `compile` refuse
/// source that nests too deeply.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    for name in ["exec", "eval", "compile"] {
        let own = vm.builtins.get_attr(name, vm)?;
        let runs = move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            let suspends = CodeFlags::GENERATOR | CodeFlags::COROUTINE;
            let source = args.args.first().or_else(|| args.kwargs.get("source"));
            if let Some(source) = source {
                is_shallow(source, vm)?;
            }
            match args.args.first().and_then(|source| source.downcast_ref::<PyCode>()) {
                Some(code) if code.flags.intersects(suspends) => {
                    let text = format!(
                        "{name}() cannot run the code of a generator or coroutine: call the function"
                    );
                    Err(vm.new_type_error(text))
                }
                _ => {
                    let prepared =
                        source_of(name, &args).and_then(|(source, file)| module_code(&source, &file, vm));
                    match prepared {
                        Some(code) if name == "compile" => return Ok(code.into()),
                        Some(code) => args.args[0] = code.into(),
                        None => {}
                    }
                    own.call(args, vm).inspect_err(|exception| syntax_errors::reword(exception, vm))
                }
            }
        };
        vm.builtins.set_attr(name, vm.new_function(name, runs), vm)?;
    }
    Ok(())
}

/// The source and the file's name in a call of `compile(source, file, "exec")` or `exec(source)`; none for other forms.
fn source_of(function: &str, args: &FuncArgs) -> Option<(String, String)> {
    let text = |at: usize| Some(args.args.get(at)?.downcast_ref::<PyStr>()?.to_str()?.to_owned());
    let source = text(0)?;
    match (text(1), text(2), args.args.len()) {
        (Some(file), Some(mode), 3) if mode == "exec" && args.kwargs.is_empty() => Some((source, file)),
        // Of `exec`, the rest is names.
        (None, None, _) if function == "exec" => Some((source, "<string>".to_owned())),
        _ => None,
    }
}

/// Raises an exception if source, or a syntax tree, nests too deeply to be compiled.
fn is_shallow(source: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let checked = if let Some(source) = source.downcast_ref::<PyStr>() {
        syntax::check(&source.as_wtf8().to_string_lossy(), Mode::Module)
    } else if let Ok(source) = ArgBytesLike::try_from_borrowed_object(vm, source) {
        syntax::check(&String::from_utf8_lossy(&source.borrow_buf()), Mode::Module)
    } else {
        is_shallow_tree(source)
    };
    checked.map_err(|nesting| {
        let class = match nesting {
            Nesting::Brackets => vm.ctx.exceptions.syntax_error,
            Nesting::Indentation => vm.ctx.exceptions.indentation_error,
            Nesting::Levels => return vm.new_recursion_error(nesting.to_string()),
        };
        let exception = vm.new_exception_msg(class.to_owned(), nesting.to_string().into());
        let text = source.downcast_ref::<PyStr>().map(|text| text.as_wtf8().to_string_lossy());
        let line =
            text.map_or(1, |text| text[..syntax::place(&text, Mode::Module)].matches('\n').count() + 1);
        for (name, value) in [
            ("filename", vm.ctx.new_str("<string>").into()),
            ("lineno", PyObjectRef::from(vm.ctx.new_int(line))),
        ] {
            let set = exception.as_object().set_attr(name, value, vm);
            debug_assert!(set.is_ok(), "the attributes of an exception can be set");
        }
        exception
    })
}

/// The most levels of a tree of `ast`, and the most nodes and lists that are looked at.
const TREE: (usize, usize) = (1000, 10_000_000);

/// Whether a tree of `ast` has few enough levels. A tree that contains itself has too many.
fn is_shallow_tree(tree: &PyObject) -> Result<(), Nesting> {
    let mut open = vec![(tree.to_owned(), 0)];
    for _ in 0..TREE.1 {
        let Some((node, level)) = open.pop() else { return Ok(()) };
        if level > TREE.0 {
            break;
        }
        if let Some(list) = node.downcast_ref::<PyList>() {
            open.extend(list.borrow_vec().iter().map(|node| (node.clone(), level)));
        } else if let Some(fields) = node.dict() {
            open.extend(fields.into_iter().map(|(_, node)| (node, level + 1)));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(Nesting::Levels) }
}
