//! The figures that a cell plotted: what `_plots.show` is given by `matplotlib` (in `src/shims/py`), as data. How they look
//! is decided by the view.

mod figure;
mod scale;

pub use figure::{Mark, MarkKind, PlottedAxes, PlottedAxis, PlottedFigure};
use rustpython_vm::{PyObjectRef, PyResult, TryFromObject, VirtualMachine};
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
    let axes: Vec<PyObjectRef> = field(picture, "axes", vm)?;
    Ok(PlottedFigure {
        title: field(picture, "title", vm)?,
        axes: axes.iter().map(|axes| one_axes(axes, vm)).collect::<PyResult<_>>()?,
    })
}

fn one_axes(axes: &PyObjectRef, vm: &VirtualMachine) -> PyResult<PlottedAxes> {
    let marks: Vec<PyObjectRef> = field(axes, "marks", vm)?;
    Ok(PlottedAxes {
        title: field(axes, "title", vm)?,
        x: axis(&field(axes, "x", vm)?, vm)?,
        y: axis(&field(axes, "y", vm)?, vm)?,
        inverted: field(axes, "inverted", vm)?,
        marks: marks.iter().map(|mark| one_mark(mark, vm)).collect::<PyResult<_>>()?,
    })
}

fn axis(axis: &PyObjectRef, vm: &VirtualMachine) -> PyResult<PlottedAxis> {
    Ok(PlottedAxis {
        label: field(axis, "label", vm)?,
        ticks: field::<Option<Numbers>>(axis, "ticks", vm)?.map(|list| places(list, vm)),
        names: field(axis, "names", vm)?,
        limits: field::<Option<Numbers>>(axis, "limits", vm)?.map(|list| places(list, vm)),
        log: field(axis, "log", vm)?,
    })
}

fn one_mark(mark: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Mark> {
    let kind: String = field(mark, "kind", vm)?;
    let kind = MarkKind::deserialize(kind.as_str().into_deserializer())
        .map_err(|_: serde::de::value::Error| vm.new_value_error(format!("attn does not draw {kind}")))?;
    Ok(Mark {
        kind,
        label: field(mark, "label", vm)?,
        x: places(field(mark, "x", vm)?, vm),
        y: places(field(mark, "y", vm)?, vm),
        to: places(field(mark, "to", vm)?, vm),
        rows: field::<Vec<Numbers>>(mark, "rows", vm)?.into_iter().map(|row| places(row, vm)).collect(),
        names: field(mark, "names", vm)?,
        text: field(mark, "text", vm)?,
    })
}

fn field<T: TryFromObject>(dict: &PyObjectRef, name: &str, vm: &VirtualMachine) -> PyResult<T> {
    dict.get_item(name, vm)?.try_into_value(vm)
}

type Numbers = Vec<PyObjectRef>;

/// The numbers of a list; what is none has no place.
fn places(list: Numbers, vm: &VirtualMachine) -> Vec<f64> {
    list.iter().map(|item| item.try_float(vm).map_or(f64::NAN, |number| number.to_f64())).collect()
}
