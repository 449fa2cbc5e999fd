//! `_byte_pairs`: text as byte-level byte pairs, by the vocabulary and the merges of a file.
//! Source: Sennrich et al. 2016; `bytes_to_unicode` and `bpe` of GPT-2's encoder.

pub(crate) use native::module_def;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use fancy_regex::Regex;

use crate::kernel::stop;

/// The rank of each pair, and the token that it becomes.
type Merges = HashMap<(u32, u32), (u32, u32)>;

#[derive(Debug)]
struct BytePairs {
    /// The character that the vocabulary writes for each byte, and its token.
    bytes: Vec<(char, u32)>,
    merges: Merges,
    /// The vocabulary, if whole pieces come before merges.
    whole: HashMap<String, u32>,
    /// Each cuts the pieces of the one before it.
    patterns: Vec<Regex>,
}

impl BytePairs {
    /// Errors: a byte or a merge that the vocabulary does not have, or a pattern that is none.
    fn new(
        letters: Vec<char>,
        vocab: HashMap<String, u32>,
        merges: &[String],
        whole_first: bool,
        patterns: &[String],
    ) -> Result<BytePairs, String> {
        let id = |token: &str| {
            vocab.get(token).copied().ok_or_else(|| format!("model: the vocabulary does not have `{token}`"))
        };
        let bytes = letters.into_iter().map(|letter| Ok((letter, id(letter.encode_utf8(&mut [0; 4]))?)));
        let bytes: Vec<_> = bytes.collect::<Result<_, String>>()?;
        assert_eq!(bytes.len(), 256, "each byte has a letter");
        let mut ranks = HashMap::with_capacity(merges.len());
        for (rank, merge) in (0..).zip(merges) {
            let (left, right) =
                merge.split_once(' ').ok_or_else(|| format!("model: merge {rank} is not a pair"))?;
            ranks.insert((id(left)?, id(right)?), (rank, id(&format!("{left}{right}"))?));
        }
        let pattern =
            |text: &String| Regex::new(text).map_err(|error| format!("the pattern {text}: {error}"));
        let patterns = patterns.iter().map(pattern).collect::<Result<_, _>>()?;
        let whole = if whole_first { vocab } else { HashMap::new() };
        Ok(BytePairs { bytes, merges: ranks, whole, patterns })
    }

    /// The tokens of a text. Errors: a pattern takes too many steps.
    fn tokens(&self, text: &str) -> Result<Vec<u32>, String> {
        let mut pieces = vec![text];
        for pattern in &self.patterns {
            let mut cut = Vec::new();
            for piece in pieces {
                let mut end = 0;
                for found in pattern.find_iter(piece) {
                    stop::check();
                    let found = found.map_err(|error| error.to_string())?;
                    cut.extend([&piece[end..found.start()], found.as_str()]);
                    end = found.end();
                }
                cut.push(&piece[end..]);
            }
            cut.retain(|piece| !piece.is_empty());
            pieces = cut;
        }
        let mut ids = Vec::new();
        for piece in pieces {
            stop::check();
            let letters = || piece.bytes().map(|byte| self.bytes[usize::from(byte)]);
            let name: String = letters().map(|(letter, _)| letter).collect();
            match self.whole.get(&name) {
                Some(&id) => ids.push(id),
                None => ids.extend(self.merged(letters().map(|(_, id)| id).collect())),
            }
        }
        Ok(ids)
    }

    /// Joins the pair of the lowest rank, the first of equal ones, until no pair has a rank.
    fn merged(&self, mut ids: Vec<u32>) -> impl Iterator<Item = u32> {
        const NONE: usize = usize::MAX;
        let count = ids.len();
        let mut before: Vec<usize> = (0..count).map(|at| at.wrapping_sub(1)).collect();
        let mut after: Vec<usize> = (0..count).map(|at| if at + 1 < count { at + 1 } else { NONE }).collect();
        let mut there = vec![true; count];
        let mut waiting = BinaryHeap::new();
        for at in 1..count {
            if let Some((rank, joined)) = self.merges.get(&(ids[at - 1], ids[at])) {
                waiting.push(Reverse((*rank, at - 1, *joined)));
            }
        }
        while let Some(Reverse((rank, at, joined))) = waiting.pop() {
            stop::check();
            let next = after[at];
            // The pair may have changed since it was found.
            if !there[at] || next == NONE || self.merges.get(&(ids[at], ids[next])) != Some(&(rank, joined)) {
                continue;
            }
            ids[at] = joined;
            there[next] = false;
            after[at] = after[next];
            if after[at] != NONE {
                before[after[at]] = at;
            }
            for (left, right) in [(before[at], at), (at, after[at])] {
                if left != NONE
                    && right != NONE
                    && let Some((rank, joined)) = self.merges.get(&(ids[left], ids[right]))
                {
                    waiting.push(Reverse((*rank, left, *joined)));
                }
            }
        }
        ids.into_iter().zip(there).filter(|(_, there)| *there).map(|(id, _)| id)
    }
}

#[rustpython_vm::pymodule(name = "_byte_pairs")]
mod native {
    use std::collections::HashMap;

    use rustpython_vm::{
        Py, PyObjectRef, PyPayload, PyResult, VirtualMachine,
        builtins::{PyDictRef, PyStrRef, PyType},
        function::ArgIterable,
        pyclass,
        types::Constructor,
    };

    use super::BytePairs;
    use crate::kernel::stop;

    #[pyattr]
    #[pyclass(module = "_byte_pairs", name = "BytePairs")]
    #[derive(Debug, PyPayload)]
    struct PyBytePairs {
        pairs: BytePairs,
    }

    impl Constructor for PyBytePairs {
        /// The letter of each byte, the vocabulary, merges as `left right`, whether whole pieces come first, patterns.
        type Args = (PyStrRef, PyDictRef, ArgIterable<PyStrRef>, bool, ArgIterable<PyStrRef>);

        fn py_new(
            _cls: &Py<PyType>,
            (letters, vocab, merges, whole_first, patterns): Self::Args,
            vm: &VirtualMachine,
        ) -> PyResult<Self> {
            let text = |text: PyStrRef| text.as_wtf8().to_string_lossy().into_owned();
            let mut ids = HashMap::new();
            for (token, id) in vocab {
                ids.insert(text(token.try_into_value(vm)?), id.try_into_value::<u32>(vm)?);
            }
            let mut ranks = Vec::new();
            for merge in merges.iter(vm)? {
                ranks.push(text(merge?));
            }
            let letters: Vec<char> = text(letters).chars().collect();
            let mut compiled = Vec::new();
            for pattern in patterns.iter(vm)? {
                compiled.push(text(pattern?));
            }
            BytePairs::new(letters, ids, &ranks, whole_first, &compiled)
                .map(|pairs| PyBytePairs { pairs })
                .map_err(|error| vm.new_value_error(error))
        }
    }

    #[pyclass(with(Constructor))]
    impl PyBytePairs {
        /// The tokens of a text. Errors: a pattern takes too many steps, or the cell was interrupted.
        #[pymethod]
        fn tokens(&self, text: PyStrRef, vm: &VirtualMachine) -> PyResult {
            let text = text.as_wtf8().to_string_lossy();
            let ids = match stop::leavable(|| self.pairs.tokens(&text)) {
                Ok(found) => found.map_err(|error| vm.new_value_error(error))?,
                Err(_stopped) => {
                    stop::from_native(|| vm.check_signals())?;
                    return Err(vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()));
                }
            };
            let ids: Vec<PyObjectRef> = ids.into_iter().map(|id| vm.ctx.new_int(id).into()).collect();
            Ok(vm.ctx.new_list(ids).into())
        }
    }
}
