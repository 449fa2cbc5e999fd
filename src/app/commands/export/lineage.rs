//! The tensors of a page, and which elements on it each element was computed from: its own sources if they are shown,
//! else theirs. Named tensors on the way that are small are shown too, folded away.

use std::collections::{HashMap, HashSet};

use crate::app::cells::workspace::Workspace;
use crate::explain::{PastOperand, SourceElement, StorageElement, TensorNames, why_then};
use crate::tensor::Tensor;
use crate::tensor::layout::unravel;
use crate::view::Figure;
use crate::view::html::{ExplainedElement, ExplainedFigure, ShownTensors, shown_offsets, why_lines};

/// The most elements of a tensor on the way that is shown.
const SMALL: usize = 300;
/// The most elements of tensors on the way that one step shows.
const ON_THE_WAY: usize = 1500;
/// The most elements that are explained in search of the sources of one step's tensors.
const SEARCHED: usize = 20_000;
/// Of a tensor with more elements, the sources of its elements are not looked for.
const LARGE: usize = 20_000;

/// The tensors of a page.
#[derive(Default)]
pub(crate) struct Lineage {
    /// What the page shows of them.
    pub(crate) tensors: Vec<ExplainedFigure>,
    /// The tensors themselves: while they exist, no other has their storage.
    kept: Vec<Tensor>,
    /// Where an element of a storage is shown: tensor and row-major offset, the newest last.
    cells: HashMap<Place, Vec<(usize, usize)>>,
}

/// A storage and an element's place in it.
type Place = (usize, usize);

fn place(element: &StorageElement) -> Place {
    (element.tensor.storage().address(), element.at)
}

/// An element's explanation and its sources.
struct Explained {
    lines: Vec<String>,
    links: Vec<SourceElement>,
}

/// What is known of the elements of one step.
struct Search<'n> {
    names: &'n TensorNames,
    explained: HashMap<(Place, Option<u64>), Explained>,
    /// The named tensors that were met, each after the tensors that it was computed from.
    met: Vec<(String, PastOperand)>,
    visited: HashSet<(Place, Option<u64>)>,
}

/// Values that can be compared, nan too.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// An element at one moment: two moments with the same value are one.
fn key(element: &StorageElement) -> (Place, Option<u64>) {
    (place(element), element.value().map(f64::to_bits))
}

impl Search<'_> {
    fn explained(&mut self, element: &StorageElement) -> &Explained {
        let names = self.names;
        self.explained.entry(key(element)).or_insert_with(|| {
            let why = why_then(element, names);
            Explained { lines: why_lines(&why), links: why.account.links }
        })
    }

    /// Looks for the sources of an element that are not shown, and for the named tensors that they belong to.
    fn descend(&mut self, element: &StorageElement, lineage: &Lineage) {
        if self.explained.len() > SEARCHED
            || element.tensor.numel() > LARGE
            || !self.visited.insert(key(element))
        {
            return;
        }
        let links = self.explained(element).links.clone();
        for link in &links {
            if lineage.cell_of(&link.element).is_some() {
                continue;
            }
            self.descend(&link.element, lineage);
            let Some((name, tensor)) = self.names.variable(&link.element) else { continue };
            let met = PastOperand::of_version(tensor, link.element.time);
            let is_known = |(_, known): &(String, PastOperand)| {
                known.tensor.storage().same(met.tensor.storage())
                    && known.tensor.layout() == met.tensor.layout()
                    && (known.time == met.time || bits(&known.values()) == bits(&met.values()))
            };
            if met.tensor.numel() <= SMALL && !self.met.iter().any(is_known) {
                self.met.push((name, met));
            }
        }
    }
}

impl Lineage {
    /// Adds the tensors that a step shows, just after it ran in `workspace`.
    pub(crate) fn add(&mut self, shown: Vec<(Figure, Tensor)>, workspace: &Workspace) -> ShownTensors {
        let names = workspace.names();
        let mut search =
            Search { names: &names, explained: HashMap::new(), met: Vec::new(), visited: HashSet::new() };
        let now = u64::MAX;
        let mut added: Vec<(usize, PastOperand)> = Vec::new();
        let mut numbers = ShownTensors::default();
        for (figure, tensor) in shown {
            let number = self.register(figure, &PastOperand::of_version(tensor.clone(), now));
            added.push((number, PastOperand::of_version(tensor, now)));
            numbers.shown.push(number);
        }
        for (number, operand) in &added {
            for offset in self.offsets(*number) {
                search.descend(&element(operand, offset), self);
            }
        }
        let mut left = ON_THE_WAY;
        for (name, operand) in std::mem::take(&mut search.met) {
            let count = operand.tensor.numel();
            if count > left || self.cell_of(&element(&operand, 0)).is_some() {
                continue;
            }
            left -= count;
            let figure = workspace.inner_figure(&name, &operand.snapshot());
            let number = self.register(figure, &operand);
            added.push((number, operand));
            numbers.on_the_way.push(number);
        }
        for (number, operand) in &added {
            let explain = |offset: usize| {
                let element = element(operand, offset);
                let mut from = Vec::new();
                self.sources(&element, &mut search, &mut HashSet::new(), &mut from);
                ExplainedElement { offset, lines: search.explained(&element).lines.clone(), from }
            };
            let whys: Vec<ExplainedElement> = self.offsets(*number).into_iter().map(explain).collect();
            self.tensors[*number].whys = whys;
        }
        numbers
    }

    /// Adds a tensor without explanations, and returns its number.
    fn register(&mut self, figure: Figure, operand: &PastOperand) -> usize {
        let number = self.tensors.len();
        self.tensors.push(ExplainedFigure { figure, whys: Vec::new() });
        self.kept.push(operand.tensor.clone());
        for offset in self.offsets(number) {
            self.cells.entry(place(&element(operand, offset))).or_default().push((number, offset));
        }
        number
    }

    /// The row-major offsets of the elements of a tensor that the page shows.
    fn offsets(&self, number: usize) -> Vec<usize> {
        shown_offsets(&self.tensors[number].figure)
    }

    /// Where the page shows an element: with the value that it had.
    fn cell_of(&self, element: &StorageElement) -> Option<(usize, usize)> {
        let cells = self.cells.get(&place(element))?;
        let value = element.value().map(f64::to_bits);
        let shows = |(number, offset): &&(usize, usize)| {
            value == Some(self.tensors[*number].figure.values[*offset].to_bits())
        };
        cells.iter().rev().find(shows).copied()
    }

    /// The elements on the page that an element was computed from.
    fn sources(
        &self,
        element: &StorageElement,
        search: &mut Search,
        seen: &mut HashSet<(Place, Option<u64>)>,
        from: &mut Vec<(usize, usize)>,
    ) {
        if search.explained.len() > SEARCHED || element.tensor.numel() > LARGE || !seen.insert(key(element)) {
            return;
        }
        let links = search.explained(element).links.clone();
        for link in &links {
            match self.cell_of(&link.element) {
                Some(cell) => from.push(cell),
                None => self.sources(&link.element, search, seen, from),
            }
        }
    }
}

/// The element of a tensor at a row-major offset.
fn element(operand: &PastOperand, offset: usize) -> StorageElement {
    operand.at(&unravel(offset, operand.tensor.shape()))
}
