//! The text of a value as Jupyter shows it under a cell: containers as IPython lays them out, `repr` of the rest.
//! Source: the behaviour of `IPython.lib.pretty`, version 8.

use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyFunction, PyStr, PyType},
};

use super::pretty::PrettyPrinter;

/// The elements of one container that are shown; `...` replaces the rest.
const MAX_ELEMENTS: usize = 1000;

/// The text of `value` as Jupyter shows it.
pub(super) fn display_text(value: &PyObject, vm: &VirtualMachine) -> PyResult<String> {
    let mut display = ValueDisplay { printer: PrettyPrinter::new(), ancestors: Vec::new(), vm };
    display.value(value)?;
    Ok(display.printer.finish())
}

struct ValueDisplay<'vm> {
    printer: PrettyPrinter,
    /// The ids of the containers around the current object.
    ancestors: Vec<usize>,
    vm: &'vm VirtualMachine,
}

impl ValueDisplay<'_> {
    fn value(&mut self, value: &PyObject) -> PyResult<()> {
        let vm = self.vm;
        vm.with_recursion("while showing a value", || {
            let cycle = self.ancestors.contains(&value.get_id());
            self.ancestors.push(value.get_id());
            self.printer.begin_group(0, "");
            let done = self.dispatch(value, cycle);
            self.printer.end_group(0, "");
            self.ancestors.pop();
            done
        })
    }

    /// The first class in the method resolution order that is known here or defines `__repr__` decides.
    fn dispatch(&mut self, value: &PyObject, cycle: bool) -> PyResult<()> {
        let vm = self.vm;
        let types = &vm.ctx.types;
        for class in value.class().mro_collect() {
            if class.is(types.list_type) {
                return self.sequence(value, "[", "]", cycle);
            } else if class.is(types.tuple_type) {
                return self.sequence(value, "(", ")", cycle);
            } else if class.is(types.dict_type) {
                return self.dict(value, cycle);
            } else if class.is(types.set_type) {
                return self.set(value, "{", "}", cycle);
            } else if class.is(types.frozenset_type) {
                return self.set(value, "frozenset({", "})", cycle);
            } else if class.is(types.type_type) {
                return self.class(value);
            } else if class.is(types.function_type) || class.is(types.builtin_function_or_method_type) {
                return self.function(value);
            } else if class.is(vm.ctx.exceptions.base_exception_type) {
                return self.exception(value);
            }
            if let Some(kind) = CollectionClass::of(&class, vm) {
                return self.collection(kind, value, cycle);
            }
            if class.is(types.object_type) {
                break;
            }
            let name = vm.ctx.intern_str("_repr_pretty_");
            if class.get_direct_attr(name).is_some() && value.get_attr(name, vm)?.is_callable() {
                return self.repr(value);
            }
            if class.get_direct_attr(vm.ctx.intern_str("__repr__")).is_some_and(|own| own.is_callable()) {
                return self.repr(value);
            }
        }
        self.plain_object(value, cycle)
    }

    fn repr(&mut self, value: &PyObject) -> PyResult<()> {
        let text = value.repr(self.vm)?.as_wtf8().to_string_lossy().into_owned();
        self.printer.begin_group(0, "");
        for (index, line) in text.lines().enumerate() {
            if index > 0 {
                self.printer.line_break();
            }
            self.printer.text(line);
        }
        self.printer.end_group(0, "");
        Ok(())
    }

    fn plain_object(&mut self, value: &PyObject, cycle: bool) -> PyResult<()> {
        let class: PyObjectRef = value.class().to_owned().into();
        self.printer.begin_group(1, "<");
        self.value(&class)?;
        self.printer.text(&format!(" at 0x{:x}{}", value.get_id(), if cycle { " ..." } else { "" }));
        self.printer.end_group(1, ">");
        Ok(())
    }

    fn sequence(&mut self, value: &PyObject, open: &str, close: &str, cycle: bool) -> PyResult<()> {
        if cycle {
            self.printer.text(&format!("{open}...{close}"));
            return Ok(());
        }
        let elements = elements(value, self.vm)?;
        self.printer.begin_group(open.len(), open);
        self.elements(&elements)?;
        if elements.len() == 1 && open == "(" {
            self.printer.text(",");
        }
        self.printer.end_group(open.len(), close);
        Ok(())
    }

    fn elements(&mut self, elements: &[PyObjectRef]) -> PyResult<()> {
        for (index, element) in elements.iter().enumerate() {
            if !self.begin_element(index) {
                break;
            }
            self.value(element)?;
        }
        Ok(())
    }

    /// Writes what precedes the element at `index`. Returns false if this element and the rest are left out.
    fn begin_element(&mut self, index: usize) -> bool {
        if index > 0 {
            self.printer.text(",");
            self.printer.space_or_break();
        }
        if index >= MAX_ELEMENTS {
            self.printer.text("...");
        }
        index < MAX_ELEMENTS
    }

    fn set(&mut self, value: &PyObject, open: &str, close: &str, cycle: bool) -> PyResult<()> {
        if cycle {
            self.printer.text(&format!("{open}...{close}"));
            return Ok(());
        }
        let mut elements = elements(value, self.vm)?;
        if elements.is_empty() {
            self.printer.text(&format!("{}()", value.class().name()));
            return Ok(());
        }
        if elements.len() < MAX_ELEMENTS {
            elements = sorted(elements, self.vm)?;
        }
        self.printer.begin_group(open.len(), open);
        self.elements(&elements)?;
        self.printer.end_group(open.len(), close);
        Ok(())
    }

    fn dict(&mut self, value: &PyObject, cycle: bool) -> PyResult<()> {
        if cycle {
            self.printer.text("{...}");
            return Ok(());
        }
        let keys = elements(&*self.vm.call_method(value, "keys", ())?, self.vm)?;
        self.printer.begin_group(1, "{");
        for (index, key) in keys.iter().enumerate() {
            if !self.begin_element(index) {
                break;
            }
            self.value(key)?;
            self.printer.text(": ");
            let element = value.get_item(&**key, self.vm)?;
            self.value(&element)?;
        }
        self.printer.end_group(1, "}");
        Ok(())
    }

    /// The qualified name of a class, unless its metaclass defines `__repr__`.
    fn class(&mut self, value: &PyObject) -> PyResult<()> {
        let vm = self.vm;
        let own_repr = value
            .class()
            .mro_collect()
            .iter()
            .take_while(|class| !class.is(vm.ctx.types.type_type))
            .any(|class| class.get_direct_attr(vm.ctx.intern_str("__repr__")).is_some());
        if own_repr {
            return self.repr(value);
        }
        let name = qualified_name(value, vm)?;
        self.printer.text(&name);
        Ok(())
    }

    fn function(&mut self, value: &PyObject) -> PyResult<()> {
        let name = qualified_name(value, self.vm)?;
        let signature = signature(value, self.vm)?;
        self.printer.text(&format!("<function {name}{signature}>"));
        Ok(())
    }

    fn exception(&mut self, value: &PyObject) -> PyResult<()> {
        let class: PyObjectRef = value.class().to_owned().into();
        let name = qualified_name(&class, self.vm)?;
        let arguments = elements(&*value.get_attr("args", self.vm)?, self.vm)?;
        self.call(&name, &arguments, None)
    }

    fn collection(&mut self, kind: CollectionClass, value: &PyObject, cycle: bool) -> PyResult<()> {
        let vm = self.vm;
        let name = value.class().name().to_owned();
        if cycle {
            self.printer.text(&format!("{name}(...)"));
            return Ok(());
        }
        let dict = || -> PyResult<PyObjectRef> {
            let pairs = elements(&*vm.call_method(value, "items", ())?, vm)?;
            vm.ctx.types.dict_type.as_object().call((vm.ctx.new_list(pairs),), vm)
        };
        match kind {
            CollectionClass::Deque => {
                let list = vm.ctx.new_list(elements(value, vm)?).into();
                let maxlen = value.get_attr("maxlen", vm)?;
                let maxlen = (!vm.is_none(&maxlen)).then_some(("maxlen=", maxlen));
                self.call(&name, &[list], maxlen)
            }
            CollectionClass::DefaultDict => {
                let factory = value.get_attr("default_factory", vm)?;
                self.call(&name, &[factory, dict()?], None)
            }
            CollectionClass::Counter if value.length(vm)? == 0 => self.call(&name, &[], None),
            CollectionClass::Counter => {
                let pairs = vm.call_method(value, "most_common", ())?;
                let sorted = vm.ctx.types.dict_type.as_object().call((pairs,), vm)?;
                self.call(&name, &[sorted], None)
            }
            CollectionClass::OrderedDict if value.length(vm)? == 0 => self.call(&name, &[], None),
            CollectionClass::OrderedDict => {
                let pairs = elements(&*vm.call_method(value, "items", ())?, vm)?;
                self.call(&name, &[vm.ctx.new_list(pairs).into()], None)
            }
        }
    }

    /// `name(arguments)`, laid out as a call.
    fn call(
        &mut self,
        name: &str,
        arguments: &[PyObjectRef],
        keyword: Option<(&str, PyObjectRef)>,
    ) -> PyResult<()> {
        let open = format!("{name}(");
        let width = open.chars().count();
        self.printer.begin_group(width, &open);
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.printer.text(",");
                self.printer.space_or_break();
            }
            self.value(argument)?;
        }
        if let Some((prefix, argument)) = keyword {
            self.printer.text(",");
            self.printer.space_or_break();
            self.printer.begin_group(prefix.len(), prefix);
            self.value(&argument)?;
            self.printer.end_group(prefix.len(), "");
        }
        self.printer.end_group(width, ")");
        Ok(())
    }
}

/// The classes of `collections` that IPython lays out as calls.
enum CollectionClass {
    Deque,
    DefaultDict,
    Counter,
    OrderedDict,
}

impl CollectionClass {
    fn of(class: &PyType, vm: &VirtualMachine) -> Option<CollectionClass> {
        let kind = match &*class.name() {
            "deque" => CollectionClass::Deque,
            "defaultdict" => CollectionClass::DefaultDict,
            "Counter" => CollectionClass::Counter,
            "OrderedDict" => CollectionClass::OrderedDict,
            _ => return None,
        };
        let module = class.get_direct_attr(vm.ctx.intern_str("__module__"))?;
        let module = module.downcast_ref::<PyStr>()?.as_wtf8().to_string_lossy().into_owned();
        matches!(&*module, "collections" | "_collections").then_some(kind)
    }
}

fn elements(value: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let mut found = Vec::new();
    for element in value.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
        found.push(element?);
        if found.len() > MAX_ELEMENTS {
            break;
        }
    }
    Ok(found)
}

/// Sorts the elements, or their texts if they cannot be compared.
fn sorted(elements: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let list = vm.ctx.new_list(elements.clone());
    if vm.call_method(list.as_object(), "sort", ()).is_ok() {
        return Ok(list.borrow_vec().to_vec());
    }
    let mut keyed = Vec::with_capacity(elements.len());
    for element in elements {
        keyed.push((element.str(vm)?.as_wtf8().to_owned(), element));
    }
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(keyed.into_iter().map(|(_, element)| element).collect())
}

fn text_of(value: PyResult<PyObjectRef>) -> Option<String> {
    let value = value.ok()?;
    Some(value.downcast_ref::<PyStr>()?.as_wtf8().to_string_lossy().into_owned())
}

/// `module.name`, without the module for builtins.
fn qualified_name(value: &PyObject, vm: &VirtualMachine) -> PyResult<String> {
    let name = match text_of(value.get_attr("__qualname__", vm)) {
        Some(name) => name,
        None => value.get_attr("__name__", vm)?.str(vm)?.as_wtf8().to_string_lossy().into_owned(),
    };
    Ok(match text_of(value.get_attr("__module__", vm)) {
        Some(module) if module != "builtins" => format!("{module}.{name}"),
        _ => name,
    })
}

/// The signature of a function that is written in Python, as IPython reads it: `(a, b=1, *rest, c: int = 2)`. Empty for
/// native ones.
fn signature(value: &PyObject, vm: &VirtualMachine) -> PyResult<String> {
    if value.downcast_ref::<PyFunction>().is_none() {
        return Ok(String::new());
    }
    let signature = vm.import("inspect", 0)?.get_attr("signature", vm)?.call((value.to_owned(),), vm)?;
    Ok(signature.str(vm)?.as_wtf8().to_string_lossy().into_owned())
}
