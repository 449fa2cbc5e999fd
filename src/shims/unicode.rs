//! `unicodedata`: normal forms and general categories of characters.
//! Classes and normal forms come from the crates that the interpreter uses; categories follow Unicode 10.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "unicodedata")]
mod native {
    use rustpython_vm::{PyResult, VirtualMachine, builtins::PyStrRef};
    use unic_char_property::EnumeratedCharProperty;
    use unic_ucd_category::GeneralCategory;
    use unicode_normalization::{UnicodeNormalization, char::canonical_combining_class};

    /// The version of the table of categories.
    #[pyattr]
    fn unidata_version(_vm: &VirtualMachine) -> &'static str {
        "10.0.0"
    }

    fn text(value: &PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
        match value.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(vm.new_value_error("surrogates are not part of attn's unicodedata")),
        }
    }

    fn character(value: &PyStrRef, function: &str, vm: &VirtualMachine) -> PyResult<char> {
        let text = text(value, vm)?;
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(letter),
            _ => {
                Err(vm.new_type_error(format!("{function}() argument must be a unicode character, not str")))
            }
        }
    }

    /// The text in a normal form: NFC, NFD, NFKC or NFKD.
    #[pyfunction]
    fn normalize(form: PyStrRef, unistr: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
        let text = text(&unistr, vm)?;
        match form.to_str() {
            Some("NFC") => Ok(text.nfc().collect()),
            Some("NFD") => Ok(text.nfd().collect()),
            Some("NFKC") => Ok(text.nfkc().collect()),
            Some("NFKD") => Ok(text.nfkd().collect()),
            _ => Err(vm.new_value_error("invalid normalization form")),
        }
    }

    /// The general category: `Lu`, `Mn`.
    #[pyfunction]
    fn category(chr: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
        let letter = character(&chr, "category", vm)?;
        match GeneralCategory::of(letter) {
            // Characters of later versions are not in the table.
            GeneralCategory::Unassigned if unicode_names2::name(letter).is_some() => {
                Err(vm.new_not_implemented_error(format!("the category of {letter:?} is not part of attn")))
            }
            known => Ok(known.abbr_name().to_owned()),
        }
    }

    #[pyfunction]
    fn combining(chr: PyStrRef, vm: &VirtualMachine) -> PyResult<u8> {
        Ok(canonical_combining_class(character(&chr, "combining", vm)?))
    }
}
