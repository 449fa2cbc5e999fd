//! What a compiled pattern holds, and the text that `re.sub` puts in place of its matches.

use rustpython_sre_engine::{SreFlag, State};
use rustpython_vm::{
    PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyDictRef, PyStr, PyStrRef},
    pyclass,
};

#[pyclass(module = "re", name = "Pattern")]
#[derive(Debug, PyPayload)]
pub(super) struct Pattern {
    pub(super) pattern: PyObjectRef,
    pub(super) flags: SreFlag,
    pub(super) code: Vec<u32>,
    pub(super) groups: usize,
    pub(super) groupindex: PyDictRef,
    pub(super) indexgroup: Vec<Option<PyStrRef>>,
    pub(super) is_bytes: bool,
}

/// Where a group matched; group 0 is the whole match.
pub(super) fn span(state: &State, group: usize) -> Option<(usize, usize)> {
    match group.checked_sub(1) {
        None => Some((state.start, state.cursor.position)),
        Some(index) => {
            let (start, end) = state.marks.get(index);
            (start.is_some() && end.is_some()).then(|| (start.unpack(), end.unpack()))
        }
    }
}

/// What `re.sub` puts in place of a match: text with the places of groups.
#[pyclass(module = "_sre", name = "SRE_Template")]
#[derive(Clone, Debug, PyPayload)]
pub(super) struct Template {
    pub(super) is_bytes: bool,
    pub(super) literal: PyObjectRef,
    pub(super) items: Vec<(usize, PyObjectRef)>,
}

#[pyclass]
impl Template {}

impl Template {
    /// The template of a text, as `re` reads its escapes.
    pub(super) fn of(
        pattern: &PyRef<Pattern>,
        text: &PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<Template> {
        if text.downcast_ref::<PyStr>().is_some_and(|text| !text.as_bytes().contains(&b'\\')) {
            return Ok(Template { is_bytes: pattern.is_bytes, literal: text.clone(), items: Vec::new() });
        }
        let reader = vm.import("re", 0)?.get_attr("_compile_template", vm)?;
        let template = reader.call((pattern.clone(), text.clone()), vm)?.downcast::<Template>();
        // The groups of another pattern may not be there.
        let own = template.ok().filter(|template| {
            template.is_bytes == pattern.is_bytes
                && template.items.iter().all(|(group, _)| *group <= pattern.groups)
        });
        own.map(|own| (*own).clone()).ok_or_else(|| vm.new_runtime_error("invalid replacement template"))
    }

    /// Adds the template's parts, with what the groups matched.
    pub(super) fn fill(&self, parts: &mut Vec<PyObjectRef>, group: impl Fn(usize) -> Option<PyObjectRef>) {
        parts.push(self.literal.clone());
        for (index, literal) in &self.items {
            parts.extend(group(*index));
            parts.push(literal.clone());
        }
    }
}
