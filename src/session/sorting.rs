//! `list.sort` and `sorted`: a stable merge sort that can be stopped.
//!
//! The interpreter's own takes a time that grows with the square of the length: 18 seconds for 100,000 numbers.

use std::cmp::Ordering;

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
    if all(types.float_type) {
        let float = |key: &PyObjectRef| key.downcast_ref::<PyFloat>().map_or(f64::NAN, |key| key.to_f64());
        let floats: Vec<f64> = keys.iter().map(float).collect();
        // Where nothing is less than nan, the order is that of the merges.
        if !floats.iter().any(|float| float.is_nan()) {
            order.sort_by(|&a, &b| floats[a].partial_cmp(&floats[b]).unwrap_or(Ordering::Equal));
            return Ok(());
        }
    }
    if all(types.str_type) {
        // Bytes have the same order as characters.
        let text = |key: &'a PyObjectRef| key.downcast_ref::<PyStr>().map_or(&[][..], |key| key.as_bytes());
        let texts: Vec<&[u8]> = keys.iter().map(text).collect();
        order.sort_by_key(|&index| texts[index]);
        return Ok(());
    }
    if all(types.int_type) {
        let small = |key: &PyObjectRef| i64::try_from(key.downcast_ref::<PyInt>()?.as_bigint()).ok();
        if let Some(integers) = keys.iter().map(small).collect::<Option<Vec<i64>>>() {
            order.sort_by_key(|&index| integers[index]);
            return Ok(());
        }
    }
    let mut made = 0_usize;
    merge_sort(order, &mut |a, b| {
        made += 1;
        if made.is_multiple_of(PATIENCE) {
            stop::from_native(|| vm.check_signals())?;
        }
        keys[a].rich_compare_bool(&keys[b], PyComparisonOp::Lt, vm)
    })
}

/// Sorts stably, in a time that grows with n log n, or with n if it is in order. Errors: what `less` raises; then `order`
/// may have any content.
fn merge_sort<E>(
    order: &mut [usize],
    less: &mut impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<(), E> {
    let middle = order.len() / 2;
    if middle == 0 {
        return Ok(());
    }
    merge_sort(&mut order[..middle], less)?;
    merge_sort(&mut order[middle..], less)?;
    if !less(order[middle], order[middle - 1])? {
        return Ok(());
    }
    let left = order[..middle].to_vec();
    let (mut i, mut j) = (0, middle);
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
