//! NumPy's signatures: text to parameters, and calls to arguments by parameter.

use std::sync::OnceLock;

use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::foreign;

/// NumPy's signature of a function, without what attn refuses.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) text: &'static str,
    parsed: OnceLock<Parsed>,
}

#[derive(Debug)]
struct Parsed {
    params: Vec<Param>,
    /// How many arguments are required, and how many may be positional.
    least: usize,
    most: usize,
}

impl Parsed {
    fn of(text: &'static str) -> Parsed {
        let mut is_keyword_only = false;
        let mut params = Vec::new();
        for part in text.split(", ").filter(|part| !part.is_empty()) {
            let (name, default) = part.split_once('=').map_or((part, None), |it| (it.0, Some(it.1)));
            let rest = name.strip_prefix('*');
            if rest.is_some_and(|name| !name.is_empty()) || rest.is_none() {
                params.push(Param {
                    name: rest.unwrap_or(name),
                    is_required: default.is_none() && rest.is_none(),
                    is_keyword_only,
                    takes_rest: rest.is_some(),
                });
            }
            is_keyword_only |= rest.is_some();
        }
        let least = params.iter().filter(|param| param.is_required).count();
        let most = match params.iter().any(|param| param.takes_rest) {
            true => usize::MAX,
            false => params.iter().filter(|param| !param.is_keyword_only).count(),
        };
        Parsed { params, least, most }
    }
}

impl Signature {
    pub(super) const fn new(text: &'static str) -> Signature {
        Signature { text, parsed: OnceLock::new() }
    }

    fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| Parsed::of(self.text))
    }

    pub(super) fn params(&self) -> &[Param] {
        &self.parsed().params
    }

    /// The place of a parameter; no place where there is none.
    pub(super) fn place(&self, name: &str) -> usize {
        self.params().iter().position(|param| param.name == name).unwrap_or(usize::MAX)
    }

    /// The arguments by parameter. Errors: `TypeError` in Python's words; a keyword that attn refuses.
    pub(super) fn bind(
        &self,
        name: &str,
        given: &FuncArgs,
        vm: &VirtualMachine,
    ) -> PyResult<Vec<Option<PyObjectRef>>> {
        let &Parsed { ref params, least, most } = self.parsed();
        let mut bound: Vec<Option<PyObjectRef>> = Vec::with_capacity(params.len());
        for (at, param) in params.iter().enumerate() {
            bound.push(match param.takes_rest {
                true => Some(vm.ctx.new_tuple(given.args.get(at..).unwrap_or_default().to_vec()).into()),
                false if param.is_keyword_only => None,
                false => given.args.get(at).cloned(),
            });
        }
        if given.kwargs.is_empty() && (least..=most).contains(&given.args.len()) {
            return Ok(bound);
        }
        let mut fits = given.args.len() <= most;
        for (word, value) in &given.kwargs {
            match params.iter().position(|param| param.name == word && !param.takes_rest) {
                Some(at) if bound[at].is_none() => bound[at] = Some(value.clone()),
                None if REFUSED.contains(&word.as_str()) => {
                    return Err(
                        vm.new_not_implemented_error(format!("{name}({word}=) is not part of attn's numpy"))
                    );
                }
                _ => fits = false,
            }
        }
        fits &= params.iter().zip(&bound).all(|(param, object)| !param.is_required || object.is_some());
        if !fits {
            let mut args = given.clone();
            args.args.splice(0..0, [name, self.text].map(|text| vm.ctx.new_str(text).into()));
            foreign::call("numpy._exceptions", "misfit", args, vm)?;
        }
        Ok(bound)
    }
}

/// A parameter of a signature.
#[derive(Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    is_required: bool,
    is_keyword_only: bool,
    /// It takes all further positional arguments, as a tuple.
    takes_rest: bool,
}

/// Keywords that functions of NumPy have and attn refuses.
const REFUSED: [&str; 7] = ["where", "casting", "order", "subok", "like", "initial", "dtype"];
