//! `_sre`, the engine's side of Python's `re`: patterns and matches over the interpreter's engine.
//!
//! The interpreter has such a module of its own. This one finds the matches of a long text in a time that grows with its
//! length, not with its square; it can be stopped while it looks for one; and it runs no code that it has not checked.
//! Source: Python's library reference, `re`.

mod code;
mod found;
mod pattern;
mod search;
mod text;

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_sre")]
mod native {
    use rustpython_sre_engine::{SreFlag, string};
    use rustpython_vm::{
        PyObjectRef, PyResult, VirtualMachine,
        builtins::{PyDictRef, PyListRef, PyStr, PyTypeRef},
        class::PyClassImpl,
    };

    use super::code::is_valid;
    use super::found::Match;
    use super::pattern::Pattern;

    #[pyattr]
    use rustpython_sre_engine::{CODESIZE, MAXGROUPS, MAXREPEAT, SRE_MAGIC as MAGIC};

    #[pyattr(name = "Pattern")]
    fn pattern_class(_vm: &VirtualMachine) -> PyTypeRef {
        Pattern::make_static_type()
    }

    #[pyattr(name = "Match")]
    fn match_class(_vm: &VirtualMachine) -> PyTypeRef {
        Match::make_static_type()
    }

    #[pyfunction]
    fn getcodesize() -> usize {
        CODESIZE
    }

    #[pyfunction]
    fn ascii_iscased(character: u32) -> bool {
        u8::try_from(character).is_ok_and(|byte| byte.is_ascii_alphabetic())
    }

    #[pyfunction]
    fn unicode_iscased(character: u32) -> bool {
        character != unicode_tolower(character) || character != string::upper_unicode(character)
    }

    #[pyfunction]
    fn ascii_tolower(character: u32) -> u32 {
        string::lower_ascii(character)
    }

    #[pyfunction]
    fn unicode_tolower(character: u32) -> u32 {
        string::lower_unicode(character)
    }

    #[pyfunction]
    fn compile(
        pattern: PyObjectRef,
        flags: u16,
        code: PyObjectRef,
        groups: usize,
        groupindex: PyDictRef,
        indexgroup: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<Pattern> {
        let code: Vec<u32> = code.try_to_value(vm)?;
        if !is_valid(&code, groups) {
            return Err(vm.new_runtime_error("invalid SRE code"));
        }
        Ok(Pattern {
            // The pattern of a `re.Scanner` is `None`: it reads strings.
            is_bytes: !vm.is_none(&pattern) && !pattern.downcastable::<PyStr>(),
            pattern,
            flags: SreFlag::from_bits_truncate(flags),
            code,
            groups,
            groupindex,
            indexgroup: indexgroup.try_to_value(vm)?,
        })
    }

    /// The parts of a template as they are: `re.sub` checks them.
    #[pyfunction]
    fn template(_pattern: PyObjectRef, parts: PyListRef) -> PyListRef {
        parts
    }
}
