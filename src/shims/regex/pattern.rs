//! What a compiled pattern holds, and the text that `re.sub` puts in place of its matches.

use rustpython_sre_engine::{SreFlag, State};
use rustpython_vm::{
    PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyDictRef, PyStrRef},
    pyclass,
};

/// Runs an expression on the text of a string or of bytes, as the pattern asks for. Errors: not such a text.
macro_rules! with_text {
    ($pattern:expr, $object:expr, $vm:expr, |$text:ident| $body:expr) => {{
        let (pattern, object, vm): (&Pattern, &PyObject, &VirtualMachine) = (&$pattern, $object, $vm);
        match (object.downcast_ref::<PyStr>(), pattern.is_bytes) {
            (Some(string), false) if string.isascii() => {
                let $text = $crate::shims::regex::text::Ascii(string.as_wtf8());
                $body
            }
            (Some(string), false) => {
                let $text = $crate::shims::regex::text::Wide::new(string);
                $body
            }
            (Some(_), true) => Err(vm.new_type_error("cannot use a bytes pattern on a string-like object")),
            (None, is_bytes) => match PyBuffer::try_from_borrowed_object(vm, object) {
                Ok(buffer) if is_bytes => buffer.contiguous_or_collect(|$text: &[u8]| $body),
                Ok(_) => Err(vm.new_type_error("cannot use a string pattern on a bytes-like object")),
                Err(_) => {
                    let class = object.class();
                    let class = class.name();
                    Err(vm.new_type_error(format!("expected string or bytes-like object, got '{class}'")))
                }
            },
        }
    }};
}
pub(super) use with_text;

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
#[derive(Debug, PyPayload)]
pub(super) struct Template {
    pub(super) is_bytes: bool,
    pub(super) literal: PyObjectRef,
    pub(super) items: Vec<(usize, PyObjectRef)>,
}

#[pyclass]
impl Template {}

impl Template {
    /// The template of a text with escapes, as `re` reads it.
    pub(super) fn of(
        pattern: &PyRef<Pattern>,
        text: &PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<PyRef<Self>> {
        let reader = vm.import("re", 0)?.get_attr("_compile_template", vm)?;
        let template = reader.call((pattern.clone(), text.clone()), vm)?.downcast::<Template>();
        // The groups of another pattern may not be there.
        let own = template.ok().filter(|template| {
            template.is_bytes == pattern.is_bytes
                && template.items.iter().all(|(group, _)| *group <= pattern.groups)
        });
        own.ok_or_else(|| vm.new_runtime_error("invalid replacement template"))
    }

    /// Adds the template's parts, with what the groups matched.
    pub(super) fn fill(&self, parts: &mut Vec<PyObjectRef>, group: impl Fn(usize) -> Option<PyObjectRef>) {
        parts.push(self.literal.clone());
        for (index, literal) in &self.items {
            parts.extend(group(*index));
            parts.push(literal.clone());
        }
    }

    /// The template's text, with what the groups matched.
    pub(super) fn expand(
        &self,
        group: impl Fn(usize) -> Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let mut parts = Vec::new();
        self.fill(&mut parts, group);
        joined(parts, self.is_bytes, vm)
    }
}

/// The parts as one string, or as bytes.
pub(super) fn joined(parts: Vec<PyObjectRef>, is_bytes: bool, vm: &VirtualMachine) -> PyResult {
    let empty: PyObjectRef =
        if is_bytes { vm.ctx.new_bytes(Vec::new()).into() } else { vm.ctx.empty_str.to_owned().into() };
    vm.call_method(&empty, "join", (vm.ctx.new_list(parts),))
}
