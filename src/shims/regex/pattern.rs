//! What a compiled pattern holds, and the text that `re.sub` puts in place of its matches.

use rustpython_sre_engine::{SreFlag, State};
use rustpython_vm::{
    PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyBytes, PyDictRef, PyInt, PyList, PyStr, PyStrRef},
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
pub(super) struct Template {
    literal: PyObjectRef,
    items: Vec<(usize, PyObjectRef)>,
}

impl Template {
    /// The template of a text, as `re` reads its escapes.
    pub(super) fn of(
        pattern: &PyRef<Pattern>,
        text: &PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<Template> {
        if text.downcast_ref::<PyStr>().is_some_and(|text| !text.as_bytes().contains(&b'\\')) {
            return Ok(Template { literal: text.clone(), items: Vec::new() });
        }
        let reader = vm.import("re", 0)?.get_attr("_compile_template", vm)?;
        let parts = reader.call((pattern.clone(), text.clone()), vm)?;
        let parts = parts.downcast_ref::<PyList>().map(|parts| parts.borrow_vec().to_vec());
        parts
            .and_then(|parts| Template::checked(pattern, &parts))
            .ok_or_else(|| vm.new_runtime_error("invalid replacement template"))
    }

    /// The template of text, and of numbers of groups with the text after each.
    fn checked(pattern: &Pattern, parts: &[PyObjectRef]) -> Option<Template> {
        let is_text = |part: &PyObjectRef| match pattern.is_bytes {
            true => part.downcastable::<PyBytes>(),
            false => part.downcastable::<PyStr>(),
        };
        let (literal, rest) = parts.split_first().filter(|(literal, _)| is_text(literal))?;
        let (pairs, []) = rest.as_chunks::<2>() else { return None };
        let pair = |[group, text]: &[PyObjectRef; 2]| {
            let group = usize::try_from(group.downcast_ref::<PyInt>()?.as_bigint()).ok()?;
            (group <= pattern.groups && is_text(text)).then(|| (group, text.clone()))
        };
        Some(Template { literal: literal.clone(), items: pairs.iter().map(pair).collect::<Option<_>>()? })
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
