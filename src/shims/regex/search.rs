//! The methods of `re.Pattern`: those that search, split and replace.

use rustpython_sre_engine::{Request, SearchIter, SreFlag, State};
use rustpython_vm::{
    AsObject, FromArgs, Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
    builtins::{PyGenericAlias, PyMappingProxy, PyTypeRef},
    pyclass,
    types::Representable,
};

use super::found::Match;
use super::pattern::{Pattern, Template, span};
use super::text::{Place, Text, Watched};
use crate::kernel::stop;

#[derive(FromArgs)]
struct SearchArgs {
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
struct SubArgs {
    repl: PyObjectRef,
    string: PyObjectRef,
    #[pyarg(any, default = 0)]
    count: isize,
}

#[derive(FromArgs)]
struct SplitArgs {
    string: PyObjectRef,
    #[pyarg(any, default = 0)]
    maxsplit: isize,
}

/// How many matches are wanted; 0 means all of them.
fn most(count: isize) -> usize {
    usize::try_from(count).ok().filter(|count| *count > 0).unwrap_or(usize::MAX)
}

/// Runs the engine. Errors: the cell is to stop.
fn engine<T>(run: impl FnOnce() -> T, vm: &VirtualMachine) -> PyResult<T> {
    stop::leavable(run).map_err(|_stopped| match stop::from_native(|| vm.check_signals()) {
        Err(exception) => exception,
        Ok(()) => vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()),
    })
}

/// The matches of a text, one after the other.
struct Matches<'a> {
    text: &'a Text<'a>,
    iterator: SearchIter<'a, Watched<'a>>,
    /// A place before the next match.
    near: Place,
}

impl<'a> Matches<'a> {
    fn new(pattern: &'a Pattern, text: &'a Text<'a>, part: (usize, usize)) -> Matches<'a> {
        let req = text.request(&pattern.code, part, false);
        Matches { text, iterator: SearchIter { req, state: State::default() }, near: Place::default() }
    }

    fn advance(&mut self, vm: &VirtualMachine) -> PyResult<bool> {
        let found = engine(|| self.iterator.next().is_some(), vm)?;
        if found {
            self.near = self.text.place(self.iterator.state.start, self.near);
        }
        Ok(found)
    }

    /// Where the match ends.
    fn end(&self) -> Place {
        self.text.place(self.iterator.state.cursor.position, self.near)
    }

    /// What a group matched.
    fn group(&self, group: usize, vm: &VirtualMachine) -> Option<PyObjectRef> {
        let (start, end) = span(&self.iterator.state, group)?;
        Some(self.text.slice(start..end, self.near, &vm.ctx))
    }
}

impl Pattern {
    /// The match that `run` finds.
    fn find(
        zelf: &PyRef<Self>,
        args: &SearchArgs,
        match_all: bool,
        run: fn(&mut State, Request<Watched>) -> bool,
        vm: &VirtualMachine,
    ) -> PyResult<Option<Match>> {
        let text = Text::of(&args.string, zelf.is_bytes, vm)?;
        let request = text.request(&zelf.code, args.within(text.length), match_all);
        let mut state = State::default();
        let found = engine(|| run(&mut state, request), vm)?;
        let place = || text.place(state.start, Place::default());
        Ok(found.then(|| Match::new(&state, zelf, &args.string, place())))
    }

    fn replace(zelf: &PyRef<Self>, args: SubArgs, vm: &VirtualMachine) -> PyResult<(PyObjectRef, usize)> {
        let template = match args.repl.is_callable() {
            true => None,
            false => Some(Template::of(zelf, &args.repl, vm)?),
        };
        if args.count < 0 {
            return Ok((args.string, 0));
        }
        let text = Text::of(&args.string, zelf.is_bytes, vm)?;
        let mut matches = Matches::new(zelf, &text, (0, text.length));
        let mut parts: Vec<PyObjectRef> = Vec::new();
        let (mut done, mut last) = (0, Place::default());
        while done < most(args.count) && matches.advance(vm)? {
            if last.position < matches.near.position {
                parts.push(text.object(last..matches.near, &vm.ctx));
            }
            match &template {
                Some(template) => template.fill(&mut parts, |group| matches.group(group, vm)),
                None => {
                    let found = Match::new(&matches.iterator.state, zelf, &args.string, matches.near);
                    let part = args.repl.call((found.into_ref(&vm.ctx),), vm)?;
                    parts.extend(Some(part).filter(|part| !vm.is_none(part)));
                }
            }
            last = matches.end();
            done += 1;
        }
        if done == 0 && args.string.class().is(vm.ctx.types.str_type) {
            return Ok((args.string.clone(), 0));
        }
        parts.push(text.object(last..text.place(text.length, last), &vm.ctx));
        let empty = text.slice(0..0, Place::default(), &vm.ctx);
        Ok((vm.call_method(&empty, "join", (vm.ctx.new_list(parts),))?, done))
    }
}

#[pyclass(with(Representable), flags(HAS_WEAKREF))]
impl Pattern {
    #[pymethod(name = "match")]
    fn match_(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        Pattern::find(&zelf, &args, false, |state, request| state.py_match(&request), vm)
    }

    #[pymethod]
    fn fullmatch(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        Pattern::find(&zelf, &args, true, |state, request| state.py_match(&request), vm)
    }

    #[pymethod]
    fn search(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Option<Match>> {
        Pattern::find(&zelf, &args, false, |state, request| state.search(request), vm)
    }

    #[pymethod]
    fn findall(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let text = Text::of(&args.string, zelf.is_bytes, vm)?;
        let mut matches = Matches::new(&zelf, &text, args.within(text.length));
        let mut found = Vec::new();
        while matches.advance(vm)? {
            let group = |group| {
                let nothing = || text.slice(0..0, Place::default(), &vm.ctx);
                matches.group(group, vm).unwrap_or_else(nothing)
            };
            found.push(match zelf.groups {
                0 | 1 => group(zelf.groups),
                groups => vm.ctx.new_tuple((1..=groups).map(group).collect()).into(),
            });
        }
        Ok(found)
    }

    #[pymethod]
    fn finditer(zelf: PyRef<Self>, args: SearchArgs, vm: &VirtualMachine) -> PyResult {
        let text = Text::of(&args.string, zelf.is_bytes, vm)?;
        let mut matches = Matches::new(&zelf, &text, args.within(text.length));
        let mut found = Vec::new();
        while matches.advance(vm)? {
            let one = Match::new(&matches.iterator.state, &zelf, &args.string, matches.near);
            found.push(one.into_ref(&vm.ctx).into());
        }
        vm.call_method(vm.ctx.new_list(found).as_object(), "__iter__", ())
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
        let text = Text::of(&args.string, zelf.is_bytes, vm)?;
        let mut matches = Matches::new(&zelf, &text, (0, text.length));
        let mut parts = Vec::new();
        let (mut done, mut last) = (0, Place::default());
        while done < most(args.maxsplit) && matches.advance(vm)? {
            parts.push(text.object(last..matches.near, &vm.ctx));
            parts.extend((1..=zelf.groups).map(|group| vm.unwrap_or_none(matches.group(group, vm))));
            last = matches.end();
            done += 1;
        }
        parts.push(text.object(last..text.place(text.length, last), &vm.ctx));
        Ok(parts)
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

impl Representable for Pattern {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let mut flags = zelf.flags;
        // Strings are Unicode unless they say otherwise.
        let alphabets = SreFlag::LOCALE | SreFlag::UNICODE | SreFlag::ASCII;
        if !zelf.is_bytes && flags & alphabets == SreFlag::UNICODE {
            flags -= SreFlag::UNICODE;
        }
        let set: Vec<String> = flags.iter_names().map(|(name, _)| format!("re.{name}")).collect();
        let pattern: String = zelf.pattern.repr(vm)?.to_string_lossy().chars().take(200).collect();
        Ok(match set.is_empty() {
            true => format!("re.compile({pattern})"),
            false => format!("re.compile({pattern}, {})", set.join("|")),
        })
    }
}
