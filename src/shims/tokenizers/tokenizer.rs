//! `_tokenizers.Tokenizer`: what `transformers`, in Python, asks of a tokenizer.

use std::cell::RefCell;

use rustpython_vm::{
    FromArgs, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine,
    builtins::{PyDictRef, PyStrRef, PyType},
    function::ArgIterable,
    pyclass,
    types::Constructor,
};

use super::added::{AddedToken, Part};
use super::file::{Pipeline, Unread, read};
use super::frame::{Encoding, Frame, Strategy, fit};
use crate::kernel::stop;

#[pyclass(module = "_tokenizers", name = "Tokenizer")]
#[derive(Debug, PyPayload)]
pub(super) struct PyTokenizer {
    pipeline: RefCell<Pipeline>,
}

/// What is to be encoded.
#[derive(FromArgs)]
struct EncodeArgs {
    #[pyarg(positional)]
    first: PyStrRef,
    #[pyarg(positional)]
    second: Option<PyStrRef>,
    /// Whether special tokens are put around.
    #[pyarg(positional)]
    special: bool,
    /// How many tokens are kept, if they are cut.
    #[pyarg(positional)]
    room: Option<usize>,
    #[pyarg(positional)]
    strategy: PyStrRef,
    #[pyarg(positional)]
    from_left: bool,
}

/// A new token.
#[derive(FromArgs)]
struct AddArgs {
    #[pyarg(positional)]
    content: PyStrRef,
    #[pyarg(positional)]
    rstrip: bool,
    #[pyarg(positional)]
    lstrip: bool,
    #[pyarg(positional)]
    single_word: bool,
    #[pyarg(positional)]
    normalized: bool,
    #[pyarg(positional)]
    special: bool,
}

fn text(value: &PyStrRef) -> String {
    value.as_wtf8().to_string_lossy().into_owned()
}

impl Constructor for PyTokenizer {
    type Args = (PyStrRef, Option<PyStrRef>, Option<PyStrRef>);

    fn py_new(_cls: &Py<PyType>, (file, vocab, merges): Self::Args, vm: &VirtualMachine) -> PyResult<Self> {
        let (vocab, merges) = (vocab.as_ref().map(text), merges.as_ref().map(text));
        match read(&text(&file), vocab.as_deref(), merges.as_deref()) {
            Ok(pipeline) => Ok(PyTokenizer { pipeline: RefCell::new(pipeline) }),
            Err(Unread::Json(error)) => Err(vm.new_value_error(error)),
            Err(Unread::Absent(error)) => Err(vm.new_not_implemented_error(format!(
                "attn's tokenizers do not have what the file asks for: {error}"
            ))),
        }
    }
}

impl Pipeline {
    /// The tokens of one text, without special ones around.
    fn tokens(&self, text: &str) -> Result<Encoding, String> {
        let mut encoding = Encoding::default();
        for part in self.added.parts(text, self.normalizer.as_ref()) {
            let text = match part {
                Part::Token(id, text) => {
                    encoding.push(id, text);
                    continue;
                }
                Part::Text(text) => vec![text],
            };
            let pieces = match &self.cutter {
                Some(cutter) => cutter.apply(text)?,
                None => text,
            };
            for piece in pieces {
                for id in self.model.tokens(&piece)? {
                    encoding.push(id, self.model.vocabulary.text(id).unwrap_or_default().to_owned());
                }
            }
        }
        Ok(encoding)
    }

    fn id(&self, token: &str) -> Option<u32> {
        self.added.by_text(token).map(|added| added.id).or_else(|| self.model.vocabulary.id(token))
    }

    fn token(&self, id: u32) -> Option<&str> {
        let added = self.added.by_id(id).map(|added| added.content.as_str());
        added.or_else(|| self.model.vocabulary.text(id))
    }

    /// The number of the next new token.
    fn next_id(&self) -> u32 {
        let size = u32::try_from(self.model.vocabulary.len()).unwrap_or(u32::MAX);
        let after = self.added.tokens.last().map_or(0, |token| token.id.saturating_add(1));
        after.max(size)
    }
}

/// Runs what may take long. Errors: the cell is to stop, or what `work` says.
fn watched<T>(work: impl FnOnce() -> Result<T, String>, vm: &VirtualMachine) -> PyResult<T> {
    match stop::leavable(work) {
        Ok(done) => done.map_err(|error| vm.new_value_error(error)),
        Err(_stopped) => Err(match stop::from_native(|| vm.check_signals()) {
            Err(exception) => exception,
            Ok(()) => vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()),
        }),
    }
}

#[pyclass(with(Constructor))]
impl PyTokenizer {
    /// Numbers, types, whether a frame put it there, and texts: of the tokens of one text or two.
    #[pymethod]
    fn encode(&self, args: EncodeArgs, vm: &VirtualMachine) -> PyResult {
        let pipeline = self.pipeline.borrow();
        let texts: Vec<String> =
            [Some(&args.first), args.second.as_ref()].into_iter().flatten().map(text).collect();
        let encoding = watched(
            || {
                let frame = Frame::new(pipeline.frame.as_ref(), texts.len() > 1, args.special)?;
                let mut texts =
                    texts.iter().map(|text| pipeline.tokens(text)).collect::<Result<Vec<_>, String>>()?;
                // Where the frame alone is too long, nothing is cut, as in the crate.
                if let Some(room) = args.room.and_then(|room| room.checked_sub(frame.size())) {
                    let strategy = match args.strategy.to_str() {
                        Some("only_first") => Strategy::OnlyFirst,
                        Some("only_second") => Strategy::OnlySecond,
                        _ => Strategy::LongestFirst,
                    };
                    fit(&mut texts, room, strategy, args.from_left)?;
                }
                Ok(frame.around(&texts))
            },
            vm,
        )?;
        let numbers = |numbers: Vec<u32>| -> PyObjectRef {
            vm.ctx.new_list(numbers.into_iter().map(|number| vm.ctx.new_int(number).into()).collect()).into()
        };
        let tokens = encoding.tokens.into_iter().map(|token| vm.ctx.new_str(token).into()).collect();
        let parts = vec![
            numbers(encoding.ids),
            numbers(encoding.type_ids),
            numbers(encoding.special),
            vm.ctx.new_list(tokens).into(),
        ];
        Ok(vm.ctx.new_tuple(parts).into())
    }

    /// The text of some tokens. Numbers that are no token are left out.
    #[pymethod]
    fn decode(&self, ids: ArgIterable<u32>, skip_special: bool, vm: &VirtualMachine) -> PyResult<String> {
        let pipeline = self.pipeline.borrow();
        let mut tokens = Vec::new();
        for id in ids.iter(vm)? {
            let id: u32 = id?;
            let is_special = pipeline.added.by_id(id).is_some_and(|added| added.special);
            if let Some(token) = pipeline.token(id)
                && !(skip_special && is_special)
            {
                tokens.push(token.to_owned());
            }
        }
        Ok(decoded(&pipeline, &tokens))
    }

    /// The text of tokens that are given by their own texts.
    #[pymethod]
    fn join(&self, tokens: ArgIterable<PyStrRef>, vm: &VirtualMachine) -> PyResult<String> {
        let tokens: Vec<String> = tokens
            .iter(vm)?
            .map(|token| token.map(|token: PyStrRef| text(&token)))
            .collect::<PyResult<_>>()?;
        Ok(decoded(&self.pipeline.borrow(), &tokens))
    }

    #[pymethod]
    fn token_to_id(&self, token: PyStrRef) -> Option<u32> {
        self.pipeline.borrow().id(&text(&token))
    }

    #[pymethod]
    fn id_to_token(&self, id: u32) -> Option<String> {
        self.pipeline.borrow().token(id).map(str::to_owned)
    }

    /// How many tokens the vocabulary has; without the added ones, if they are not in it themselves.
    #[pymethod]
    fn vocab_size(&self, with_added: bool) -> usize {
        let pipeline = self.pipeline.borrow();
        let vocabulary = &pipeline.model.vocabulary;
        let is_new = |added: &&AddedToken| with_added && vocabulary.id(&added.content).is_none();
        vocabulary.len() + pipeline.added.tokens.iter().filter(is_new).count()
    }

    /// Each token and its number, by number.
    #[pymethod]
    fn vocabulary(&self, vm: &VirtualMachine) -> PyResult<PyDictRef> {
        let pipeline = self.pipeline.borrow();
        let added = pipeline.added.tokens.iter().map(|added| (added.content.as_str(), added.id));
        let mut all: Vec<(&str, u32)> = pipeline.model.vocabulary.iter().chain(added).collect();
        all.sort_unstable_by_key(|(_, id)| *id);
        let made = vm.ctx.new_dict();
        for (token, id) in all {
            made.set_item(token, vm.ctx.new_int(id).into(), vm)?;
        }
        Ok(made)
    }

    /// The added tokens by number: number, text, `rstrip`, `lstrip`, `single_word`, `normalized`, `special`.
    #[pymethod]
    fn added(&self, vm: &VirtualMachine) -> PyObjectRef {
        let pipeline = self.pipeline.borrow();
        let rows = pipeline.added.tokens.iter().map(|token| {
            let flags = [token.rstrip, token.lstrip, token.single_word, token.normalized, token.special];
            let mut row: Vec<PyObjectRef> =
                vec![vm.ctx.new_int(token.id).into(), vm.ctx.new_str(token.content.clone()).into()];
            row.extend(flags.map(|flag| PyObjectRef::from(vm.ctx.new_bool(flag))));
            vm.ctx.new_tuple(row).into()
        });
        vm.ctx.new_list(rows.collect()).into()
    }

    /// Adds a token. Returns whether it was not there; one that was there may become a special one.
    #[pymethod]
    fn add(&self, args: AddArgs) -> bool {
        let AddArgs { content, rstrip, lstrip, single_word, normalized, special } = args;
        let content = text(&content);
        let mut pipeline = self.pipeline.borrow_mut();
        if let Some(there) = pipeline.added.tokens.iter_mut().find(|token| token.content == content) {
            there.special |= special;
            return false;
        }
        if content.is_empty() {
            return false;
        }
        let id = pipeline.id(&content).unwrap_or_else(|| pipeline.next_id());
        let Pipeline { added, normalizer, .. } = &mut *pipeline;
        let token = AddedToken { id, content, single_word, lstrip, rstrip, normalized, special };
        added.add(token, normalizer.as_ref());
        true
    }

    /// Sets whether a space is put in front of the text, as classes of `transformers` do.
    #[pymethod]
    fn set_prefix_space(&self, space: bool) {
        if let Some(cutter) = &mut self.pipeline.borrow_mut().cutter {
            cutter.set_prefix_space(space);
        }
    }

    /// Sets case, accents and Chinese characters, as BERT's class does.
    #[pymethod]
    fn set_bert(&self, lower: bool, accents: Option<bool>, chinese: bool) {
        let mut pipeline = self.pipeline.borrow_mut();
        let Pipeline { added, normalizer, .. } = &mut *pipeline;
        if let Some(normalizer) = normalizer {
            normalizer.set_bert(lower, accents, chinese);
        }
        added.index(normalizer.as_ref());
    }

    /// How many tokens are put around one text, or two.
    #[pymethod]
    fn frame_size(&self, pair: bool, vm: &VirtualMachine) -> PyResult<usize> {
        let pipeline = self.pipeline.borrow();
        let frame = Frame::new(pipeline.frame.as_ref(), pair, true);
        frame.map(|frame| frame.size()).map_err(|error| vm.new_not_implemented_error(error))
    }

    /// What the file says of cutting and padding: from which side it is cut, the token of padding and its side.
    #[pymethod]
    fn settings(&self, vm: &VirtualMachine) -> PyObjectRef {
        let pipeline = self.pipeline.borrow();
        let cut = pipeline.truncation.as_ref().and_then(|truncation| truncation.direction.clone());
        let token = pipeline.padding.as_ref().map(|padding| padding.pad_token.clone());
        let side = pipeline.padding.as_ref().map(|padding| padding.direction.clone());
        let word =
            |word: Option<String>| word.map_or_else(|| vm.ctx.none(), |word| vm.ctx.new_str(word).into());
        vm.ctx.new_tuple(vec![word(cut), word(token), word(side)]).into()
    }
}

fn decoded(pipeline: &Pipeline, tokens: &[String]) -> String {
    pipeline.decoder.as_ref().map_or_else(|| tokens.join(" "), |decoder| decoder.text(tokens))
}
