//! `_byte_pairs`: text as byte-level byte pairs, by the ranks of GPT-2 and GPT-4, or by the vocabulary and the merges of a file.
//! Source: Sennrich et al. 2016; `bytes_to_unicode` and `bpe` of GPT-2's encoder; `tiktoken`.

pub(crate) use native::module_def;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, LazyLock};

use super::pieces::{CL100K, Cut, GPT_2};
use crate::kernel::stop;

/// The tokens of GPT-2 and GPT-4 in the order of their numbers, each after the number of its bytes. They are those of the
/// files `r50k_base.tiktoken` and `cl100k_base.tiktoken` of OpenAI, under the MIT license.
const R50K_RANKS: &[u8] = include_bytes!("ranks/r50k_base.bin");
const CL100K_RANKS: &[u8] = include_bytes!("ranks/cl100k_base.bin");

static R50K: LazyLock<Arc<BytePairs>> = LazyLock::new(|| Arc::new(BytePairs::ranked(R50K_RANKS, GPT_2)));
static CL100K_PAIRS: LazyLock<Arc<BytePairs>> =
    LazyLock::new(|| Arc::new(BytePairs::ranked(CL100K_RANKS, CL100K)));

/// The tokens of a file of ranks.
fn ranked_tokens(mut ranks: &'static [u8]) -> impl Iterator<Item = &'static [u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = ranks.split_first()?;
        let (token, rest) = rest.split_at(usize::from(*length));
        ranks = rest;
        Some(token)
    })
}

#[derive(Debug)]
struct BytePairs {
    bytes: Vec<u32>,
    /// The token of each sequence of bytes.
    tokens: HashMap<Cow<'static, [u8]>, u32>,
    /// The rank of each pair, and the token that it becomes. Without merges, pairs become tokens in the order of their
    /// numbers.
    merges: Option<HashMap<(u32, u32), (u32, u32)>>,
    /// Whether a piece that is a token stays whole, whatever the merges.
    whole_first: bool,
    /// Each cuts the pieces of the one before it.
    cuts: Vec<Cut>,
}

impl BytePairs {
    fn ranked(ranks: &'static [u8], cut: Cut) -> BytePairs {
        let tokens: HashMap<_, _> = ranked_tokens(ranks).map(Cow::Borrowed).zip(0..).collect();
        let bytes = (0..=u8::MAX).map(|byte| tokens[[byte].as_slice()]).collect();
        BytePairs { bytes, tokens, merges: None, whole_first: true, cuts: vec![cut] }
    }

    /// Errors: a byte or a merge that the vocabulary does not have, or a pattern that is not known.
    fn new(
        letters: &[char],
        vocab: &HashMap<String, u32>,
        merges: &[String],
        whole_first: bool,
        patterns: &[String],
    ) -> Result<BytePairs, String> {
        let id = |token: &str| {
            vocab.get(token).copied().ok_or_else(|| format!("model: the vocabulary does not have `{token}`"))
        };
        let bytes: Vec<_> =
            letters.iter().map(|letter| id(letter.encode_utf8(&mut [0; 4]))).collect::<Result<_, _>>()?;
        assert_eq!(bytes.len(), 256, "each byte has a letter");
        let mut ranks = HashMap::with_capacity(merges.len());
        for (rank, merge) in (0..).zip(merges) {
            let (left, right) =
                merge.split_once(' ').ok_or_else(|| format!("model: merge {rank} is not a pair"))?;
            ranks.insert((id(left)?, id(right)?), (rank, id(&format!("{left}{right}"))?));
        }
        let cut = |pattern: &String| {
            Cut::written(pattern)
                .ok_or_else(|| format!("the pattern {pattern}; attn has those of GPT-2, Llama 3 and Qwen 2"))
        };
        let cuts = patterns.iter().map(cut).collect::<Result<_, _>>()?;
        let byte_of: HashMap<char, u8> = letters.iter().copied().zip(0..=u8::MAX).collect();
        let token = |(text, id): (&String, &u32)| {
            let bytes: Option<Vec<u8>> = text.chars().map(|letter| byte_of.get(&letter).copied()).collect();
            Some((Cow::Owned(bytes?), *id))
        };
        let tokens = vocab.iter().filter_map(token).collect();
        Ok(BytePairs { bytes, tokens, merges: Some(ranks), whole_first, cuts })
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        let mut pieces = vec![text];
        for cut in &self.cuts {
            pieces = pieces.into_iter().flat_map(|piece| cut.pieces(piece)).collect();
        }
        let mut ids = Vec::new();
        for piece in pieces {
            stop::check();
            match self.tokens.get(piece.as_bytes()).filter(|_| self.whole_first) {
                Some(&id) => ids.push(id),
                None => ids.extend(self.merged(piece.as_bytes())),
            }
        }
        ids
    }

    /// The rank of two tokens side by side, and the token that they become; `bytes` are those of both.
    fn joined(&self, left: u32, right: u32, bytes: &[u8]) -> Option<(u32, u32)> {
        match &self.merges {
            Some(merges) => merges.get(&(left, right)).copied(),
            None => self.tokens.get(bytes).map(|token| (*token, *token)),
        }
    }

    /// Joins the pair of the lowest rank, the first of equal ones, until no pair has a rank.
    fn merged(&self, piece: &[u8]) -> impl Iterator<Item = u32> {
        let count = piece.len();
        let mut ids: Vec<u32> = piece.iter().map(|byte| self.bytes[usize::from(*byte)]).collect();
        // Where the token before each byte begins, and where its own ends; both are kept up to date for tokens that are there.
        let mut before: Vec<usize> = (0..count).map(|at| at.saturating_sub(1)).collect();
        let mut end: Vec<usize> = (1..=count).collect();
        let mut there = vec![true; count];
        let mut waiting = BinaryHeap::new();
        let pair = |at: usize, ids: &[u32], end: &[usize]| {
            let next = end[at];
            let (rank, joined) = self.joined(ids[at], *ids.get(next)?, &piece[at..end[next]])?;
            Some(Reverse((rank, at, joined)))
        };
        waiting.extend((0..count).filter_map(|at| pair(at, &ids, &end)));
        while let Some(first) = waiting.pop() {
            stop::check();
            let Reverse((_, at, joined)) = first;
            // The pair may have changed since it was found.
            if !there[at] || pair(at, &ids, &end) != Some(first) {
                continue;
            }
            let next = end[at];
            ids[at] = joined;
            there[next] = false;
            end[at] = end[next];
            if let Some(before) = before.get_mut(end[at]) {
                *before = at;
            }
            waiting.extend((at > 0).then(|| pair(before[at], &ids, &end)).flatten());
            waiting.extend(pair(at, &ids, &end));
        }
        ids.into_iter().zip(there).filter(|(_, there)| *there).map(|(id, _)| id)
    }
}

#[rustpython_vm::pymodule(name = "_byte_pairs")]
mod native {
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock};

    use rustpython_vm::{
        Py, PyObjectRef, PyPayload, PyResult, VirtualMachine,
        builtins::{PyDictRef, PyStrRef, PyType, PyUtf8StrRef},
        function::ArgIterable,
        pyclass,
        types::Constructor,
    };

    use super::{BytePairs, CL100K_PAIRS, CL100K_RANKS, R50K, R50K_RANKS, ranked_tokens};
    use crate::kernel::stop;

    /// An encoding that attn has, and the file of its tokens. It is read when it is first asked for.
    fn encoding(
        name: &PyUtf8StrRef,
        vm: &VirtualMachine,
    ) -> PyResult<(&'static LazyLock<Arc<BytePairs>>, &'static [u8])> {
        match name.as_str() {
            "gpt2" | "r50k_base" => Ok((&R50K, R50K_RANKS)),
            "cl100k_base" => Ok((&CL100K_PAIRS, CL100K_RANKS)),
            other => Err(vm.new_value_error(format!("Unknown encoding {other}"))),
        }
    }

    /// The byte pairs of an encoding.
    #[pyfunction]
    fn ranked(name: PyUtf8StrRef, vm: &VirtualMachine) -> PyResult<PyBytePairs> {
        Ok(PyBytePairs { pairs: Arc::clone(encoding(&name, vm)?.0) })
    }

    /// The bytes of each token of an encoding, without the special ones.
    #[pyfunction]
    fn token_bytes(name: PyUtf8StrRef, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let tokens = ranked_tokens(encoding(&name, vm)?.1);
        Ok(tokens.map(|token| vm.ctx.new_bytes(token.to_vec()).into()).collect())
    }

    #[pyattr]
    #[pyclass(module = "_byte_pairs", name = "BytePairs")]
    #[derive(Debug, PyPayload)]
    struct PyBytePairs {
        pairs: Arc<BytePairs>,
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
            let texts = |texts: ArgIterable<PyStrRef>| -> PyResult<Vec<String>> {
                texts.iter(vm)?.map(|one| Ok(text(one?))).collect()
            };
            let letters: Vec<char> = text(letters).chars().collect();
            BytePairs::new(&letters, &ids, &texts(merges)?, whole_first, &texts(patterns)?)
                .map(|pairs| PyBytePairs { pairs: Arc::new(pairs) })
                .map_err(|error| vm.new_value_error(error))
        }
    }

    #[pyclass(with(Constructor))]
    impl PyBytePairs {
        /// The tokens of a text. Errors: the cell was interrupted.
        #[pymethod]
        fn tokens(&self, text: PyStrRef, vm: &VirtualMachine) -> PyResult {
            let text = text.as_wtf8().to_string_lossy();
            let Ok(ids) = stop::leavable(|| self.pairs.tokens(&text)) else {
                stop::from_native(|| vm.check_signals())?;
                return Err(vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()));
            };
            let ids: Vec<PyObjectRef> = ids.into_iter().map(|id| vm.ctx.new_int(id).into()).collect();
            Ok(vm.ctx.new_list(ids).into())
        }
    }
}
