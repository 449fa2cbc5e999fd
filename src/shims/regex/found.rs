//! `re.Match`: what a pattern matched, and where.

use rustpython_sre_engine::State;
use rustpython_vm::{
    Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyDictRef, PyGenericAlias, PyInt, PyStrRef, PyTuple, PyTupleRef, PyTypeRef},
    function::{OptionalArg, PosArgs},
    protocol::PyMappingMethods,
    pyclass,
    types::{AsMapping, Representable},
};

use super::pattern::{Pattern, span};
use super::text::{Place, Text};

#[pyclass(module = "re", name = "Match")]
#[derive(Debug, PyPayload)]
pub(super) struct Match {
    string: PyObjectRef,
    pattern: PyRef<Pattern>,
    last_index: Option<usize>,
    /// Where the match and its groups begin and end.
    spans: Vec<Option<(usize, usize)>>,
    /// The place where the match begins.
    place: Place,
}

impl Match {
    pub(super) fn new(state: &State, pattern: &PyRef<Pattern>, string: &PyObjectRef, place: Place) -> Match {
        Match {
            string: string.clone(),
            pattern: pattern.clone(),
            last_index: usize::try_from(state.marks.last_index()).ok(),
            spans: (0..=pattern.groups).map(|group| span(state, group)).collect(),
            place,
        }
    }

    /// The number of a group that is given by its number or its name.
    fn index(&self, group: &PyObject, vm: &VirtualMachine) -> PyResult<usize> {
        let missing = || vm.new_index_error("no such group");
        let number = match group.try_index_opt(vm) {
            Some(number) => number?,
            None => {
                let named = self.pattern.groupindex.get_item_opt(group, vm)?;
                named.and_then(|number| number.downcast::<PyInt>().ok()).ok_or_else(missing)?
            }
        };
        let number: Option<usize> = number.as_bigint().try_into().ok();
        number.filter(|number| *number < self.spans.len()).ok_or_else(missing)
    }

    /// What a group matched.
    fn text_or(&self, group: usize, default: &PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let Some((start, end)) = self.spans[group] else { return Ok(default.clone()) };
        let text = Text::of(&self.string, self.pattern.is_bytes, vm)?;
        // A buffer of bytes may have become shorter.
        let end = end.min(text.length);
        Ok(text.slice(start.min(end)..end, self.place, &vm.ctx))
    }
}

/// Where a group matched, as Python says it: -1 where it did not.
fn numbers(span: Option<(usize, usize)>) -> (isize, isize) {
    span.map_or((-1, -1), |(start, end)| (start as isize, end as isize))
}

#[pyclass(with(AsMapping, Representable))]
impl Match {
    #[pygetset]
    fn lastindex(&self) -> Option<usize> {
        self.last_index
    }

    #[pygetset]
    fn lastgroup(&self) -> Option<PyStrRef> {
        self.pattern.indexgroup.get(self.last_index?)?.clone()
    }

    #[pygetset]
    fn re(&self) -> PyRef<Pattern> {
        self.pattern.clone()
    }

    #[pygetset]
    fn string(&self) -> PyObjectRef {
        self.string.clone()
    }

    #[pymethod]
    fn start(&self, group: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<isize> {
        Ok(self.span(group, vm)?.0)
    }

    #[pymethod]
    fn end(&self, group: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<isize> {
        Ok(self.span(group, vm)?.1)
    }

    #[pymethod]
    fn span(&self, group: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<(isize, isize)> {
        let group = group.map_or(Ok(0), |group| self.index(&group, vm))?;
        Ok(numbers(self.spans[group]))
    }

    #[pymethod]
    fn group(&self, groups: PosArgs<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let text = |group: usize| self.text_or(group, &vm.ctx.none(), vm);
        match groups.into_vec().as_slice() {
            [] => text(0),
            [group] => text(self.index(group, vm)?),
            several => {
                let texts = several.iter().map(|group| text(self.index(group, vm)?));
                Ok(vm.ctx.new_tuple(texts.collect::<PyResult<_>>()?).into())
            }
        }
    }

    #[pymethod]
    fn groups(&self, default: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<PyTupleRef> {
        let default = default.unwrap_or_else(|| vm.ctx.none());
        let texts = (1..self.spans.len()).map(|group| self.text_or(group, &default, vm));
        Ok(PyTuple::new_ref(texts.collect::<PyResult<_>>()?, &vm.ctx))
    }

    #[pymethod]
    fn groupdict(&self, default: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<PyDictRef> {
        let default = default.unwrap_or_else(|| vm.ctx.none());
        let texts = vm.ctx.new_dict();
        for (name, group) in self.pattern.groupindex.clone() {
            texts.set_item(&*name, self.text_or(self.index(&group, vm)?, &default, vm)?, vm)?;
        }
        Ok(texts)
    }

    #[pyclassmethod]
    fn __class_getitem__(class: PyTypeRef, args: PyObjectRef, vm: &VirtualMachine) -> PyGenericAlias {
        PyGenericAlias::from_args(class, args, vm)
    }
}

impl AsMapping for Match {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: PyMappingMethods = PyMappingMethods {
            length: None,
            subscript: Some(|mapping, group, vm| {
                let zelf = Match::mapping_downcast(mapping);
                zelf.text_or(zelf.index(group, vm)?, &vm.ctx.none(), vm)
            }),
            ass_subscript: None,
        };
        &METHODS
    }
}

impl Representable for Match {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let (start, end) = numbers(zelf.spans[0]);
        let text = zelf.text_or(0, &vm.ctx.none(), vm)?.repr(vm)?;
        Ok(format!("<re.Match object; span=({start}, {end}), match={text}>"))
    }
}
