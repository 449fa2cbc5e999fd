//! The figures that a cell plotted: what `_plots.show` is given by `matplotlib` (in `src/shims/py`), as data. How they look
//! is decided by the view.

mod figure;
mod scale;

pub use figure::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure};
use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, TryFromObject, VirtualMachine,
    builtins::{PyDict, PyList, PyStr, PyTuple},
};
pub use scale::Scale;
use serde::Deserialize;
use serde::de::IntoDeserializer;

/// Makes `_plots` importable: its `show` hands over what a notebook records of a figure, and the figure.
pub(crate) fn install(shown: impl Fn(&str, PlottedFigure) + 'static, vm: &VirtualMachine) -> PyResult<()> {
    let show = move |words: String, picture: PyObjectRef, vm: &VirtualMachine| -> PyResult<()> {
        shown(&words, figure(&picture, vm)?);
        Ok(())
    };
    let names = vm.ctx.new_dict();
    names.set_item("show", vm.new_function("show", show).into(), vm)?;
    let module = vm.new_module("_plots", names, None);
    vm.sys_module.get_attr("modules", vm)?.set_item("_plots", module.into(), vm)
}

/// Shows the figures that the cell left open, as a notebook does when a cell ends.
pub(crate) fn flush(vm: &VirtualMachine) -> PyResult<()> {
    let modules = vm.sys_module.get_attr("modules", vm)?;
    match modules.get_item("matplotlib.pyplot", vm) {
        Ok(pyplot) => pyplot.get_attr("flush", vm)?.call((), vm).map(drop),
        // Nothing was plotted.
        Err(_) => Ok(()),
    }
}

fn figure(picture: &PyObjectRef, vm: &VirtualMachine) -> PyResult<PlottedFigure> {
    let axes = items(&field(picture, "axes", vm)?);
    Ok(PlottedFigure {
        title: text(&field(picture, "title", vm)?, vm)?,
        axes: axes.iter().map(|axes| one_axes(axes, vm)).collect::<PyResult<_>>()?,
    })
}

fn one_axes(axes: &PyObjectRef, vm: &VirtualMachine) -> PyResult<PlottedAxes> {
    let marks = items(&field(axes, "marks", vm)?);
    let mut x = axis(&field(axes, "x", vm)?, vm)?;
    let y = axis(&field(axes, "y", vm)?, vm)?;
    let mut read = Vec::with_capacity(marks.len());
    for mark in &marks {
        read.push(one_mark(mark, &mut x, vm)?);
    }
    let inverted = field(axes, "inverted", vm)?.try_to_bool(vm)?;
    let title = text(&field(axes, "title", vm)?, vm)?;
    Ok(PlottedAxes { title, x, y, inverted, marks: read })
}

fn axis(axis: &PyObjectRef, vm: &VirtualMachine) -> PyResult<PlottedAxis> {
    let some = |name: &str| -> PyResult<Option<PyObjectRef>> {
        Ok(Some(field(axis, name, vm)?).filter(|found| !vm.is_none(found)))
    };
    let names = some("names")?.map(|names| items(&names).iter().map(|name| text(name, vm)).collect());
    Ok(PlottedAxis {
        label: text(&field(axis, "label", vm)?, vm)?,
        ticks: some("ticks")?.map(|ticks| numbers(&ticks, vm)),
        names: names.transpose()?,
        limits: some("limits")?.map(|limits| numbers(&limits, vm)).filter(|limits| limits.len() == 2),
        log: text(&field(axis, "scale", vm)?, vm)? == "log",
    })
}

/// A mark. Places that are names are numbered, and the axis has the names.
fn one_mark(mark: &PyObjectRef, axis: &mut PlottedAxis, vm: &VirtualMachine) -> PyResult<Mark> {
    let kind = text(&field(mark, "kind", vm)?, vm)?;
    let kind = MarkKind::deserialize(kind.as_str().into_deserializer())
        .map_err(|_: serde::de::value::Error| vm.new_value_error(format!("attn does not draw {kind}")))?;
    let label = field(mark, "label", vm)?;
    let label = if vm.is_none(&label) { None } else { Some(text(&label, vm)?) };
    let all = |name: &str| items(&field(mark, name, vm).unwrap_or_else(|_| vm.ctx.none()));
    let places = all("x");
    let are_names = places.iter().any(|place| place.downcast_ref::<PyStr>().is_some());
    let mut names = Vec::new();
    let x = match are_names || kind == MarkKind::Bars {
        true => {
            for place in &places {
                names.push(match place.try_float(vm) {
                    Ok(number) if !are_names => trimmed(number.to_f64()),
                    _ => text(place, vm)?,
                });
            }
            if are_names {
                axis.names = Some(names.clone());
            }
            (0..places.len()).map(|at| at as f64).collect()
        }
        false => places.iter().map(|place| number(place, vm)).collect(),
    };
    let rows = all("rows").iter().map(|row| numbers(row, vm)).collect();
    let words = field(mark, "text", vm).ok().map(|words| text(&words, vm)).transpose()?;
    Ok(Mark {
        kind,
        label,
        x,
        y: all("y").iter().map(|place| number(place, vm)).collect(),
        to: all("to").iter().map(|place| number(place, vm)).collect(),
        rows,
        names,
        text: words.unwrap_or_default(),
    })
}

/// A number without the digits that rounding left: `0.30000000000000004` is `0.3`.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn field(dict: &PyObjectRef, name: &str, vm: &VirtualMachine) -> PyResult {
    match dict.downcast_ref::<PyDict>() {
        Some(dict) => dict.get_item(name, vm),
        None => Err(vm.new_type_error("a figure is a dict")),
    }
}

fn items(list: &PyObjectRef) -> Vec<PyObjectRef> {
    match (list.downcast_ref::<PyList>(), list.downcast_ref::<PyTuple>()) {
        (Some(list), _) => list.borrow_vec().to_vec(),
        (_, Some(tuple)) => tuple.as_slice().to_vec(),
        _ => Vec::new(),
    }
}

fn numbers(list: &PyObjectRef, vm: &VirtualMachine) -> Vec<f64> {
    items(list).iter().map(|item| number(item, vm)).collect()
}

/// A number; what is none has no place.
fn number(item: &PyObjectRef, vm: &VirtualMachine) -> f64 {
    item.try_float(vm).map_or(f64::NAN, |number| number.to_f64())
}

fn text(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<String> {
    String::try_from_object(vm, object.str(vm)?.as_object().to_owned())
}
