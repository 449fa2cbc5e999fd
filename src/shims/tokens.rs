//! `_tiktoken`: text as tokens, by the ranks that `tiktoken-rs` carries.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_tiktoken")]
mod native {
    use std::collections::HashSet;

    use rustpython_vm::{
        PyObjectRef, PyResult, VirtualMachine, builtins::PyUtf8StrRef, function::ArgIterable,
    };
    use tiktoken_rs::{CoreBPE, cl100k_base_singleton, r50k_base_singleton};

    /// The encoding of this name; it is built when it is first asked for.
    fn encoding(name: &PyUtf8StrRef, vm: &VirtualMachine) -> PyResult<&'static CoreBPE> {
        match name.as_str() {
            "gpt2" | "r50k_base" => Ok(r50k_base_singleton()),
            "cl100k_base" => Ok(cl100k_base_singleton()),
            other => Err(vm.new_value_error(format!("Unknown encoding {other}"))),
        }
    }

    /// The tokens of a text; only these special tokens are read as such, all others as text.
    #[pyfunction]
    fn encode(
        name: PyUtf8StrRef,
        text: PyUtf8StrRef,
        allowed_special: ArgIterable<PyUtf8StrRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let allowed = allowed_special.iter(vm)?.collect::<PyResult<Vec<_>>>()?;
        let allowed: HashSet<&str> = allowed.iter().map(|token| token.as_str()).collect();
        let (tokens, _) = encoding(&name, vm)?
            .encode(text.as_str(), &allowed)
            .map_err(|error| vm.new_value_error(error.to_string()))?;
        let tokens: Vec<PyObjectRef> = tokens.into_iter().map(|token| vm.ctx.new_int(token).into()).collect();
        Ok(vm.ctx.new_list(tokens).into())
    }

    /// The bytes of some tokens, or `KeyError` with the first that is none.
    #[pyfunction]
    fn decode(name: PyUtf8StrRef, tokens: ArgIterable, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        let encoding = encoding(&name, vm)?;
        let mut bytes = Vec::new();
        for token in tokens.iter(vm)? {
            let token: PyObjectRef = token?;
            let token: u32 = token
                .try_index(vm)?
                .as_bigint()
                .try_into()
                .map_err(|_| vm.new_overflow_error("out of range integral type conversion attempted"))?;
            let known = encoding.decode_bytes(&[token]).map_err(|_| {
                vm.new_key_error(vm.ctx.new_str(format!("Invalid token for decoding: {token}")).into())
            })?;
            bytes.extend(known);
        }
        Ok(bytes)
    }

    /// The special tokens of an encoding.
    #[pyfunction]
    fn special_tokens(name: PyUtf8StrRef, vm: &VirtualMachine) -> PyResult {
        let mut tokens: Vec<&str> = encoding(&name, vm)?.special_tokens().into_iter().collect();
        tokens.sort_unstable();
        Ok(vm.ctx.new_list(tokens.into_iter().map(|token| vm.ctx.new_str(token).into()).collect()).into())
    }

    /// The bytes of each of the first `count` tokens, by number or in the order of the bytes.
    #[pyfunction]
    fn token_bytes(name: PyUtf8StrRef, count: u32, by_bytes: bool, vm: &VirtualMachine) -> PyResult {
        let encoding = encoding(&name, vm)?;
        let mut all: Vec<_> =
            (0..count).map(|token| encoding.decode_bytes(&[token]).unwrap_or_default()).collect();
        if by_bytes {
            all.sort_unstable();
        }
        Ok(vm.ctx.new_list(all.into_iter().map(|bytes| vm.ctx.new_bytes(bytes).into()).collect()).into())
    }
}
