//! The methods of `re.Pattern`: those that search, split and replace; and the scanner that finds one match after the other.

use std::cell::Cell;

use rustpython_sre_engine::{Request, SearchIter, SreFlag, State, StrDrive, StringCursor};
use rustpython_vm::{
    AsObject, FromArgs, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, TryFromBorrowedObject,
    TryFromObject, VirtualMachine,
    builtins::{PyCallableIterator, PyGenericAlias, PyMappingProxy, PyStr, PyTuple, PyTypeRef},
    common::hash::PyHash,
    function::{ArgCallable, PyComparisonValue},
    protocol::PyBuffer,
    pyclass,
    types::{Comparable, Hashable, PyComparisonOp, Representable},
};

use super::found::Match;
use super::pattern::{Pattern, Template, joined, span, with_text};
use super::text::{Place, Text, Watched};
use crate::kernel::stop;

#[derive(FromArgs)]
pub(super) struct SearchArgs {
    string: PyObjectRef,
    #[pyarg(any, default = 0)]
    pos: isize,
    #[pyarg(any, default = isize::MAX)]
    endpos: isize,
}

impl SearchArgs {
    /// Where the search begins and ends: both within the text, and the end not before the beginning.
    fn within(&self, length: usize) -> (usize, usize) {
        let end = usize::try_from(self.endpos).unwrap_or(0).min(length);
        (usize::try_from(self.pos).unwrap_or(0).min(end), end)
    }
}

#[derive(FromArgs)]
pub(super) struct SubArgs {
    repl: PyObjectRef,
    string: PyObjectRef,
    #[pyarg(any, default = 0)]
    count: isize,
}

#[derive(FromArgs)]
pub(super) struct SplitArgs {
    string: PyObjectRef,
    #[pyarg(any, default = 0)]
    maxsplit: isize,
}

/// How the engine is to look at the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Anywhere.
    Search,
    /// At the beginning.
    Match,
    /// From the beginning to the end.
    FullMatch,
}

impl Way {
    /// Whether the engine finds a match, which `state` then holds. Errors: the cell is to stop.
    fn run<D: StrDrive>(self, state: &mut State, request: Request<D>, vm: &VirtualMachine) -> PyResult<bool> {
        let run = || match self {
            Way::Search => state.search(request),
            Way::Match | Way::FullMatch => state.py_match(&request),
        };
        engine(run, vm)
    }
}

/// Runs the engine. Errors: the cell is to stop.
fn engine<T>(run: impl FnOnce() -> T, vm: &VirtualMachine) -> PyResult<T> {
    stop::leavable(run).map_err(|_stopped| match stop::from_native(|| vm.check_signals()) {
        Err(exception) => exception,
        Ok(()) => vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()),
    })
}

/// The matches of a text, one after the other.
struct Matches<'a, T: Text> {
    text: T,
    iterator: SearchIter<'a, Watched<T::Drive>>,
    /// A place before the next match.
    near: Place,
}

impl<'a, T: Text> Matches<'a, T> {
    fn new(pattern: &'a Pattern, text: T, start: usize, end: usize) -> Matches<'a, T> {
        let req = pattern.request(text, start, end, Way::Search);
        Matches { text, iterator: SearchIter { req, state: State::default() }, near: Place::default() }
    }

    fn advance(&mut self, vm: &VirtualMachine) -> PyResult<bool> {
        let found = engine(|| self.iterator.next().is_some(), vm)?;
        if found {
            self.near = self.text.place(self.iterator.state.start, self.near);
        }
        Ok(found)
    }

    fn start(&self) -> usize {
        self.iterator.state.start
    }

    fn end(&self) -> usize {
        self.iterator.state.cursor.position
    }

    /// What a group matched.
    fn group(&self, group: usize, vm: &VirtualMachine) -> Option<PyObjectRef> {
        let (start, end) = span(&self.iterator.state, group)?;
        Some(self.text.slice(start..end, self.near, &vm.ctx))
    }
}

impl Pattern {
    fn request<T: Text>(
        &self,
        text: T,
        start: usize,
        end: usize,
        way: Way,
    ) -> Request<'_, Watched<T::Drive>> {
        Request {
            string: text.drive(),
            start,
            end,
            pattern_codes: &self.code,
            match_all: way == Way::FullMatch,
            must_advance: false,
        }
    }

    fn find(zelf: &PyRef<Self>, args: SearchArgs, way: Way, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        with_text!(zelf, &args.string, vm, |text| {
            let (start, end) = args.within(text.length());
            let request = zelf.request(text, start, end, way);
            let mut state = State::default();
            let found = way.run(&mut state, request, vm)?;
            let near = Place::default();
            Ok(found
                .then(|| Match::new(&state, zelf, &args.string, (start, end), text.place(state.start, near))))
        })
    }

    fn replace(zelf: &PyRef<Self>, args: SubArgs, vm: &VirtualMachine) -> PyResult<(PyObjectRef, usize)> {
        let replacement = Replacement::of(zelf, &args.repl, vm)?;
        let most = usize::try_from(args.count).ok().filter(|count| *count > 0).unwrap_or(usize::MAX);
        if args.count < 0 {
            return Ok((args.string, 0));
        }
        with_text!(zelf, &args.string, vm, |text| {
            let length = text.length();
            let mut matches = Matches::new(zelf, text, 0, length);
            let mut parts: Vec<PyObjectRef> = Vec::new();
            let (mut done, mut last) = (0, Place::default());
            while done < most && matches.advance(vm)? {
                if last.position < matches.start() {
                    parts.push(text.object(last..matches.near, &vm.ctx));
                }
                match &replacement {
                    Replacement::Literal(literal) => parts.push(literal.clone()),
                    Replacement::Template(template) => {
                        template.fill(&mut parts, |group| matches.group(group, vm));
                    }
                    Replacement::Function(function) => {
                        let state = &matches.iterator.state;
                        let found = Match::new(state, zelf, &args.string, (0, length), matches.near);
                        let part = function.call((found.into_ref(&vm.ctx),), vm)?;
                        if !vm.is_none(&part) {
                            parts.push(part);
                        }
                    }
                }
                last = text.place(matches.end(), matches.near);
                done += 1;
            }
            if done == 0 && args.string.class().is(vm.ctx.types.str_type) {
                return Ok((args.string.clone(), 0));
            }
            parts.push(text.object(last..text.place(length, last), &vm.ctx));
            Ok((joined(parts, zelf.is_bytes, vm)?, done))
        })
    }
}

/// What a match is replaced by.
enum Replacement {
    Literal(PyObjectRef),
    Template(PyRef<Template>),
    Function(PyObjectRef),
}

impl Replacement {
    fn of(pattern: &PyRef<Pattern>, given: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Replacement> {
        if given.is_callable() {
            return Ok(Replacement::Function(given.clone()));
        }
        let has_escapes = match given.downcast_ref::<PyStr>() {
            Some(string) => string.as_bytes().contains(&b'\\'),
            None => PyBuffer::try_from_borrowed_object(vm, given)
                .is_ok_and(|buffer| buffer.contiguous_or_collect(|bytes| bytes.contains(&b'\\'))),
        };
        match has_escapes {
            true => Ok(Replacement::Template(Template::of(pattern, given, vm)?)),
            false => Ok(Replacement::Literal(given.clone())),
        }
    }
}

#[pyclass(with(Hashable, Comparable, Representable), flags(HAS_WEAKREF))]
impl Pattern {
    #[pymethod(name = "match")]
    fn match_(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        Pattern::find(&zelf, args, Way::Match, vm)
    }

    #[pymethod]
    fn fullmatch(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        Pattern::find(&zelf, args, Way::FullMatch, vm)
    }

    #[pymethod]
    fn search(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        Pattern::find(&zelf, args, Way::Search, vm)
    }

    #[pymethod]
    fn findall(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        with_text!(zelf, &args.string, vm, |text| {
            let (start, end) = args.within(text.length());
            let mut matches = Matches::new(&zelf, text, start, end);
            let mut found = Vec::new();
            while matches.advance(vm)? {
                let group = |group| {
                    matches.group(group, vm).unwrap_or_else(|| text.slice(0..0, Place::default(), &vm.ctx))
                };
                found.push(match zelf.groups {
                    0 | 1 => group(zelf.groups),
                    groups => vm.ctx.new_tuple((1..=groups).map(group).collect()).into(),
                });
            }
            Ok(found)
        })
    }

    #[pymethod]
    fn finditer(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<PyCallableIterator> {
        let scanner = Pattern::scanner(zelf, args, vm)?.into_ref(&vm.ctx);
        let search = scanner.as_object().get_attr("search", vm)?;
        Ok(PyCallableIterator::new(ArgCallable::try_from_object(vm, search)?, vm.ctx.none()))
    }

    #[pymethod]
    fn scanner(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Scanner> {
        let (start, end) = with_text!(zelf, &args.string, vm, |text| Ok(args.within(text.length())))?;
        Ok(Scanner {
            pattern: zelf,
            string: args.string,
            from: start,
            end,
            start: Cell::new(start),
            must_advance: Cell::new(false),
            cursor: Cell::default(),
            near: Cell::default(),
        })
    }

    #[pymethod]
    fn sub(zelf: PyRef<Self>, args: SubArgs, vm: &VirtualMachine) -> PyResult {
        Ok(Pattern::replace(&zelf, args, vm)?.0)
    }

    #[pymethod]
    fn subn(zelf: PyRef<Self>, args: SubArgs, vm: &VirtualMachine) -> PyResult<(PyObjectRef, usize)> {
        Pattern::replace(&zelf, args, vm)
    }

    #[pymethod]
    fn split(zelf: PyRef<Self>, args: SplitArgs, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        if args.maxsplit < 0 {
            return Ok(vec![args.string]);
        }
        let most = if args.maxsplit == 0 { isize::MAX } else { args.maxsplit };
        with_text!(zelf, &args.string, vm, |text| {
            let length = text.length();
            let mut matches = Matches::new(&zelf, text, 0, length);
            let mut parts = Vec::new();
            let (mut done, mut last) = (0, Place::default());
            while done < most && matches.advance(vm)? {
                parts.push(text.object(last..matches.near, &vm.ctx));
                parts.extend((1..=zelf.groups).map(|group| vm.unwrap_or_none(matches.group(group, vm))));
                last = text.place(matches.end(), matches.near);
                done += 1;
            }
            parts.push(text.object(last..text.place(length, last), &vm.ctx));
            Ok(parts)
        })
    }

    #[pygetset]
    fn flags(&self) -> u16 {
        self.flags.bits()
    }

    #[pygetset]
    fn groups(&self) -> usize {
        self.groups
    }

    #[pygetset]
    fn groupindex(&self) -> PyMappingProxy {
        PyMappingProxy::from(self.groupindex.clone())
    }

    #[pygetset]
    fn pattern(&self) -> PyObjectRef {
        self.pattern.clone()
    }

    #[pymethod]
    fn __copy__(zelf: PyRef<Self>) -> PyRef<Self> {
        zelf
    }

    #[pymethod]
    fn __deepcopy__(zelf: PyRef<Self>, _memo: PyObjectRef) -> PyRef<Self> {
        zelf
    }

    #[pyclassmethod]
    fn __class_getitem__(class: PyTypeRef, args: PyObjectRef, vm: &VirtualMachine) -> PyGenericAlias {
        PyGenericAlias::from_args(class, args, vm)
    }
}

impl Hashable for Pattern {
    fn hash(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyHash> {
        let flags = vm.ctx.new_int(zelf.flags.bits()).into();
        PyTuple::new_ref(vec![zelf.pattern.clone(), flags], &vm.ctx).as_object().hash(vm)
    }
}

impl Comparable for Pattern {
    fn cmp(
        zelf: &Py<Self>,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<PyComparisonValue> {
        op.eq_only(|| match other.downcast_ref::<Pattern>() {
            None => Ok(PyComparisonValue::NotImplemented),
            Some(other) => Ok(PyComparisonValue::Implemented(
                zelf.flags == other.flags
                    && zelf.is_bytes == other.is_bytes
                    && zelf.code == other.code
                    && vm.bool_eq(&zelf.pattern, &other.pattern)?,
            )),
        })
    }
}

impl Representable for Pattern {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let mut flags = zelf.flags;
        // Strings are Unicode unless they say otherwise.
        let alphabets = SreFlag::LOCALE | SreFlag::UNICODE | SreFlag::ASCII;
        if !zelf.is_bytes && flags & alphabets == SreFlag::UNICODE {
            flags -= SreFlag::UNICODE;
        }
        let names = [
            ("re.IGNORECASE", SreFlag::IGNORECASE),
            ("re.LOCALE", SreFlag::LOCALE),
            ("re.MULTILINE", SreFlag::MULTILINE),
            ("re.DOTALL", SreFlag::DOTALL),
            ("re.UNICODE", SreFlag::UNICODE),
            ("re.VERBOSE", SreFlag::VERBOSE),
            ("re.DEBUG", SreFlag::DEBUG),
            ("re.ASCII", SreFlag::ASCII),
        ];
        let set: Vec<&str> =
            names.iter().filter(|(_, flag)| flags.contains(*flag)).map(|(name, _)| *name).collect();
        let pattern: String = zelf.pattern.repr(vm)?.to_string_lossy().chars().take(200).collect();
        Ok(match set.is_empty() {
            true => format!("re.compile({pattern})"),
            false => format!("re.compile({pattern}, {})", set.join("|")),
        })
    }
}

/// Finds one match after the other, each when it is asked for.
#[pyclass(module = "_sre", name = "SRE_Scanner")]
#[derive(Debug, PyPayload)]
pub(super) struct Scanner {
    pattern: PyRef<Pattern>,
    string: PyObjectRef,
    from: usize,
    end: usize,
    /// Where the next match may begin; whether it must be longer than nothing.
    start: Cell<usize>,
    must_advance: Cell<bool>,
    /// The engine's cursor at the start. Strings do not change or move, and the scanner keeps its own alive.
    cursor: Cell<StringCursor>,
    near: Cell<Place>,
}

#[pyclass]
impl Scanner {
    #[pygetset]
    fn pattern(&self) -> PyRef<Pattern> {
        self.pattern.clone()
    }

    #[pymethod(name = "match")]
    fn match_(&self, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        self.next(Way::Match, vm)
    }

    #[pymethod]
    fn search(&self, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        self.next(Way::Search, vm)
    }
}

impl Scanner {
    fn next(&self, way: Way, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        with_text!(self.pattern, &self.string, vm, |text| {
            // A buffer of bytes may have become shorter, or lie elsewhere.
            let (start, end) = (self.start.get(), self.end.min(text.length()));
            if start > end {
                return Ok(None);
            }
            let mut request = self.pattern.request(text, start, end, way);
            request.must_advance = self.must_advance.get();
            let mut state = State::default();
            if !self.pattern.is_bytes {
                state.cursor = self.cursor.get();
            }
            let found = way.run(&mut state, request, vm)?;
            if !found {
                self.start.set(usize::MAX);
                return Ok(None);
            }
            let near = text.place(state.start, self.near.get());
            self.near.set(near);
            self.must_advance.set(state.cursor.position == state.start);
            self.start.set(state.cursor.position);
            self.cursor.set(state.cursor);
            Ok(Some(Match::new(&state, &self.pattern, &self.string, (self.from, self.end), near)))
        })
    }
}
