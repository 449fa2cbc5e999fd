//! `list.sort` and `sorted`: a stable merge sort that can be stopped.
//!
//! The interpreter's own takes a time that grows with the square of the length: 18 seconds for 100,000 numbers.

use std::cell::Cell;

use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyFloat, PyInt, PyList, PyStr},
    function::FuncArgs,
    types::PyComparisonOp,
};

use super::guards::{Own, around};
use super::sizes::expected;
use crate::kernel::stop;

/// How many comparisons are made between two checks for interrupts.
const PATIENCE: usize = 4096;

/// Runs shorter than this are made longer by insertion before they are merged.
const SHORT: usize = 16;

/// Replaces the method of lists, for the types of this thread.
pub(super) fn install_method(vm: &VirtualMachine) {
    let sort = |own: &Own, args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let list = match args.args.as_slice() {
            [list] => list.downcast_ref::<PyList>(),
            _ => None,
        };
        let Some((list, options)) = list.zip(Options::of(&args, vm)?) else { return own.call(args, vm) };
        // The list is empty while it is sorted: functions that it calls find no half-sorted one.
        let elements = std::mem::take(&mut *list.borrow_vec_mut());
        let sorted = options.sort(&elements, vm);
        let (elements, done) = match sorted {
            Ok(sorted) => (sorted, Ok(())),
            Err(error) => (elements, Err(error)),
        };
        let meanwhile = std::mem::replace(&mut *list.borrow_vec_mut(), elements);
        done?;
        match meanwhile.is_empty() {
            true => Ok(vm.ctx.none()),
            false => Err(vm.new_value_error("list modified during sort")),
        }
    };
    around(vm.ctx.types.list_type, "sort", sort, vm);
}

/// Replaces the function of this interpreter.
pub(super) fn install_function(vm: &VirtualMachine) -> PyResult<()> {
    let own = vm.builtins.get_attr("sorted", vm)?;
    let sorted = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        let ([iterable], Some(options)) = (args.args.as_slice(), Options::of(&args, vm)?) else {
            return own.call(args, vm);
        };
        let mut iterable = iterable.clone();
        expected(&mut iterable, vm)?;
        let elements = iterable.try_to_value::<Vec<PyObjectRef>>(vm)?;
        Ok(vm.ctx.new_list(options.sort(&elements, vm)?).into())
    };
    vm.builtins.set_attr("sorted", vm.new_function("sorted", sorted), vm)
}

struct Options {
    key: Option<PyObjectRef>,
    reverse: bool,
}

impl Options {
    /// The keyword arguments; `None` if there are others, which the interpreter's own function refuses.
    fn of(args: &FuncArgs, vm: &VirtualMachine) -> PyResult<Option<Options>> {
        let mut options = Options { key: None, reverse: false };
        for (name, value) in &args.kwargs {
            match name.as_str() {
                "key" => options.key = Some(value.clone()).filter(|key| !vm.is_none(key)),
                "reverse" => options.reverse = value.clone().try_to_bool(vm)?,
                _ => return Ok(None),
            }
        }
        Ok(Some(options))
    }

    /// The elements in order. Equal ones stay as they were, also in a reversed list.
    fn sort(&self, elements: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let made;
        let keys = match &self.key {
            None => elements,
            Some(key) => {
                made = elements
                    .iter()
                    .map(|element| key.call((element.clone(),), vm))
                    .collect::<PyResult<Vec<_>>>()?;
                &made[..]
            }
        };
        let mut order: Vec<usize> = (0..elements.len()).collect();
        if self.reverse {
            order.reverse();
        }
        by_keys(&mut order, keys, vm)?;
        if self.reverse {
            order.reverse();
        }
        Ok(order.into_iter().map(|index| elements[index].clone()).collect())
    }
}

/// Sorts indices by the keys that they stand for. Keys that are all floats, small integers or strings are compared without
/// the interpreter.
fn by_keys<'a>(order: &mut [usize], keys: &'a [PyObjectRef], vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    let all = |class| keys.iter().all(|key| key.class().is(class));
    let made = Cell::new(0_usize);
    let stopped = || -> PyResult<()> {
        made.set(made.get() + 1);
        match made.get() % PATIENCE {
            0 => stop::from_native(|| vm.check_signals()),
            _ => Ok(()),
        }
    };
    if all(types.float_type) {
        let float = |key: &PyObjectRef| key.downcast_ref::<PyFloat>().map_or(f64::NAN, |key| key.to_f64());
        let floats: Vec<f64> = keys.iter().map(float).collect();
        return merge_sort(order, |a, b| stopped().map(|()| floats[a] < floats[b]));
    }
    if all(types.str_type) {
        // Bytes have the same order as characters.
        let text = |key: &'a PyObjectRef| key.downcast_ref::<PyStr>().map_or(&[][..], |key| key.as_bytes());
        let texts: Vec<&[u8]> = keys.iter().map(text).collect();
        return merge_sort(order, |a, b| stopped().map(|()| texts[a] < texts[b]));
    }
    if all(types.int_type) {
        let small = |key: &PyObjectRef| i64::try_from(key.downcast_ref::<PyInt>()?.as_bigint()).ok();
        if let Some(integers) = keys.iter().map(small).collect::<Option<Vec<i64>>>() {
            return merge_sort(order, |a, b| stopped().map(|()| integers[a] < integers[b]));
        }
    }
    merge_sort(order, |a, b| {
        stopped()?;
        keys[a].rich_compare_bool(&keys[b], PyComparisonOp::Lt, vm)
    })
}

/// Sorts stably, in a time that grows with n log n, or with n if most of it is in order. Errors: what `less` raises; then
/// `order` may have any content.
fn merge_sort<E>(
    order: &mut [usize],
    mut less: impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<(), E> {
    let mut ends = Vec::new();
    let mut start = 0;
    while start < order.len() {
        start = run(order, start, &mut less)?;
        ends.push(start);
    }
    let mut left = Vec::with_capacity(order.len());
    while ends.len() > 1 {
        let mut start = 0;
        let mut merged = Vec::with_capacity(ends.len().div_ceil(2));
        for pair in ends.chunks(2) {
            let end = pair[pair.len() - 1];
            if let [middle, end] = *pair {
                left.clear();
                left.extend_from_slice(&order[start..middle]);
                merge(&left, &mut order[start..end], &mut less)?;
            }
            merged.push(end);
            start = end;
        }
        ends = merged;
    }
    Ok(())
}

/// Makes a sorted run that begins at `start`; returns its end.
fn run<E>(
    order: &mut [usize],
    start: usize,
    less: &mut impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<usize, E> {
    let mut end = start + 1;
    if end == order.len() {
        return Ok(end);
    }
    let falls = less(order[end], order[start])?;
    end += 1;
    if falls {
        while end < order.len() && less(order[end], order[end - 1])? {
            end += 1;
        }
        order[start..end].reverse();
    } else {
        while end < order.len() && !less(order[end], order[end - 1])? {
            end += 1;
        }
    }
    while end < order.len() && end - start < SHORT {
        let (mut low, mut high) = (start, end);
        while low < high {
            let middle = low.midpoint(high);
            match less(order[end], order[middle])? {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        order[low..=end].rotate_right(1);
        end += 1;
    }
    Ok(end)
}

/// Merges the run `left`, a copy of what `order` begins with, with the run that is the rest of `order`.
fn merge<E>(
    left: &[usize],
    order: &mut [usize],
    less: &mut impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<(), E> {
    let (mut i, mut j) = (0, left.len());
    for k in 0..order.len() {
        if i == left.len() {
            break;
        }
        if j < order.len() && less(order[j], left[i])? {
            order[k] = order[j];
            j += 1;
        } else {
            order[k] = left[i];
            i += 1;
        }
    }
    Ok(())
}
