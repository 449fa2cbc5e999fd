//! `torch.nn.functional`: the sliding windows of one dimension.

use crate::in_floats;
use crate::kernel::{Real, stop};
use crate::ops::autocast;
use crate::ops::op::{Call, FUNCTION, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily};
use crate::tensor::explanation::{Explanation, Multilinear};
use crate::tensor::ops::float::Float;
use crate::tensor::{Error, ErrorFact, Result};

/// The windows of one dimension: size, step, padding, distance between taps.
#[derive(Clone, Copy)]
struct Window {
    size: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
}

impl Window {
    fn count(&self, length: usize, ceil: bool) -> Option<usize> {
        let span = self.dilation * (self.size - 1) + 1;
        let room = (length + 2 * self.padding).checked_sub(span)?;
        let more = if ceil { self.stride - 1 } else { 0 };
        let count = (room + more) / self.stride + 1;
        // The last window must begin inside the input or the padding before it.
        Some(if ceil && (count - 1) * self.stride >= length + self.padding { count - 1 } else { count })
    }

    /// Where the taps of window `at` lie, inside the input only.
    fn taps(self, at: usize, length: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.size).filter_map(move |tap| {
            let place = (at * self.stride + tap * self.dilation).checked_sub(self.padding)?;
            (place < length).then_some((tap, place))
        })
    }
}

fn one(c: &Call, at: usize, default: usize) -> Result<usize> {
    match c.opt_ints(at).as_deref() {
        None | Some([]) => Ok(default),
        Some([size]) if *size >= 0 => Ok(*size as usize),
        Some(_) => Err(Error::runtime(format!(
            "{}(): expected one number for each of the windows' settings",
            c.op.name
        ))),
    }
}

/// Windows of the last dimension times filters. (batch, in, n) x (out, in / groups, k) -> (batch, out, m)
fn conv1d(c: &Call) -> Result<Value> {
    let (x, weight, bias) = (c.tensor(0)?, c.tensor(1)?, c.opt_tensor(2));
    let batched = x.ndim() == 3;
    if x.ndim() != 2 && !batched {
        return Err(Error::runtime(format!(
            "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: {:?}",
            x.shape()
        )));
    }
    let fail = |text: String| Err(Error::runtime(text));
    if c.int(6)? <= 0 {
        return fail("non-positive groups is not supported".to_owned());
    }
    let groups = c.int(6)? as usize;
    let [outs, inner, size] = *weight.shape() else {
        return fail(match weight.ndim() {
            ..3 => "weight should have at least three dimensions".to_owned(),
            ndim => format!(
                "Expected {}D (unbatched) or {ndim}D (batched) input to conv{}d, but got input of size: {:?}",
                ndim - 1,
                ndim - 2,
                x.shape()
            ),
        });
    };
    if size == 0 {
        return fail(
            "kernel size should be greater than zero, but got kernel_height: 1 kernel_width: 0".to_owned(),
        );
    }
    if outs < groups || !outs.is_multiple_of(groups) {
        return fail(format!(
            "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size \
             [{:?}] instead",
            weight.shape()
        ));
    }
    if let Some(bias) = bias.filter(|bias| bias.shape() != [outs]) {
        return fail(format!(
            "Given weight of size {:?}, expected bias to be 1-dimensional with {outs} elements, but got bias of size \
             {:?} instead",
            weight.shape(),
            bias.shape()
        ));
    }
    crate::tensor::ops::float::only_floats("conv1d", x.dtype())?;
    if let Some(other) = [Some(weight), bias].into_iter().flatten().find(|it| it.dtype() != x.dtype()) {
        return fail(format!(
            "expected scalar type {} but found {}",
            x.dtype().cpp_name(),
            other.dtype().cpp_name()
        ));
    }
    let (stride, dilation) = (one(c, 3, 1)?, one(c, 5, 1)?);
    if stride == 0 {
        return fail("non-positive stride is not supported".to_owned());
    }
    if dilation == 0 {
        return fail("dilation should be greater than zero, but got [1, 0]".to_owned());
    }
    let span = dilation.checked_mul(size - 1).filter(|span| *span < usize::MAX / 4);
    let Some(span) = span else {
        return fail(format!(
            "Kernel size can't be greater than actual input size: {size} with dilation {dilation}"
        ));
    };
    let same = c.opt_str(4) == Some("same");
    let padding = match c.opt_str(4) {
        Some("same") if stride != 1 => {
            return fail("padding='same' is not supported for strided convolutions".to_owned());
        }
        Some("same") => span / 2,
        Some("valid") => 0,
        Some(other) => return fail(format!("Invalid padding string: '{other}'")),
        None if c.opt_ints(4).is_some_and(|sizes| sizes.iter().any(|&size| size < 0)) => {
            return fail("negative padding is not supported".to_owned());
        }
        None => one(c, 4, 0)?,
    };
    if padding > usize::MAX / 4 {
        return fail(format!("Calculated padded input size per channel is too large: padding {padding}"));
    }
    let window = Window { size, stride, padding, dilation };
    let batch = if batched { x.shape()[0] } else { 1 };
    let (channels, length) = (x.shape()[x.ndim() - 2], x.shape()[x.ndim() - 1]);
    if channels != inner * groups {
        return Err(Error::runtime(format!(
            "Given groups={groups}, weight of size {:?}, expected input{:?} to have {} channels, but got {channels} \
             channels instead",
            weight.shape(),
            x.shape(),
            inner * groups
        ))
        .about(ErrorFact::Channels { input: x.shape().into(), weight: weight.shape().into(), groups }));
    }
    // An odd number of padded elements has the one more at the end, so there are as many windows as elements.
    let found = if same { Some(length) } else { window.count(length, false) };
    let Some(count) = found else {
        return Err(Error::runtime(format!(
            "Calculated padded input size per channel: ({}). Kernel size: ({size}). Kernel size can't be greater than \
             actual input size",
            length + 2 * padding
        )));
    };
    let shape = if batched { vec![batch, outs, count] } else { vec![outs, count] };
    crate::tensor::allow(&shape, x.dtype())?;
    Ok(in_floats!(x.dtype(), T => {
        let (data, filters, bias) = (T::of(x), T::of(weight), T::of_some(bias));
        let mut out = Vec::with_capacity(batch * outs * count);
        for page in 0..batch {
            for filter in 0..outs {
                let first = filter / (outs / groups).max(1) * inner;
                for at in 0..count {
                    stop::check();
                    let mut sum = bias.as_ref().map_or(T::ZERO, |bias| bias[filter]);
                    for channel in 0..inner {
                        let row = (page * channels + first + channel) * length;
                        for (tap, place) in window.taps(at, length) {
                            sum = data[row + place].fma(filters[(filter * inner + channel) * size + tap], sum);
                        }
                    }
                    out.push(sum);
                }
            }
        }
        T::tensor(out, shape, x.dtype())
    })
    .into())
}

/// Only a batch may be empty. The mean is that of two dimensions in PyTorch, and says so.
fn empty_input(shape: &[usize], largest: bool) -> Error {
    let (name, dims) = if largest { ("max_pool1d: ", "2D or 3D") } else { ("", "3D or 4D") };
    let mut shape = shape.to_vec();
    if !largest {
        shape.insert(shape.len() - 1, 1);
    }
    Error::runtime(format!(
        "{name}Expected {dims} (batch mode) tensor with optional 0 dim batch size for input, but got:{shape:?}"
    ))
}

/// A number from each window of the last dimension.
fn pooled(c: &Call, window: Window, ceil: bool, largest: bool, count_padding: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.ndim() != 2 && x.ndim() != 3 {
        return Err(Error::runtime(format!(
            "{}() Expected 2D or 3D input tensor, but got {:?}",
            c.op.name,
            x.shape()
        )));
    }
    let length = x.shape()[x.ndim() - 1];
    crate::tensor::ops::float::only_floats(
        if largest { "max_pool1d_impl" } else { "avg_pool2d" },
        x.dtype(),
    )?;
    if window.size == 0 || window.stride == 0 || window.dilation == 0 {
        return Err(Error::runtime(match largest {
            true => format!(
                "max_pool1d() kernel_size, stride and dilation must be greater than zero, but got {}, {} and {}",
                window.size, window.stride, window.dilation
            ),
            false => "stride should not be zero".to_owned(),
        }));
    }
    if window.dilation.checked_mul(window.size - 1).is_none_or(|span| span > usize::MAX / 4) {
        return Err(Error::runtime(format!("{}() Invalid computed output size: 0", c.op.name)));
    }
    if window.padding > window.size / 2 {
        let (size, padding) = (window.size, window.padding);
        return Err(Error::runtime(match largest {
            true => format!(
                "max_pool1d() padding should be at most half of kernel size, but got padding={padding} and kernel_size={size}"
            ),
            false => format!(
                "pad should be at most half of effective kernel size, but got pad={padding}, kernel_size={size} and dilation=1"
            ),
        }));
    }
    if x.shape()[x.ndim() - 2..].contains(&0) {
        return Err(empty_input(x.shape(), largest));
    }
    let Some(count) = window.count(length, ceil).filter(|&count| count > 0) else {
        return Err(Error::runtime(format!("{}() Invalid computed output size: 0", c.op.name)));
    };
    let mut shape = x.shape().to_vec();
    shape[x.ndim() - 1] = count;
    Ok(in_floats!(x.dtype(), T => {
        let mut out = Vec::new();
        for row in T::of(x).chunks(length.max(1)) {
            for at in 0..count {
                let taps: Vec<T> = window.taps(at, length).map(|(_, place)| row[place]).collect();
                out.push(if largest {
                    taps.iter().fold(T::NEG_INFINITY, |top, &x| Real::maximum(top, x))
                } else {
                    let last = (at * window.stride + window.size).min(length + 2 * window.padding);
                    let among = if count_padding { last - at * window.stride } else { taps.len() };
                    taps.iter().fold(T::ZERO, |sum, &x| sum + x) / <T as Real>::from_f64(among as f64)
                });
            }
        }
        T::tensor(out, shape, x.dtype())
    })
    .into())
}

rows![
    op(
        Descriptor::new("conv1d", OpFamily::Window, Explanation::Multilinear(Multilinear::Conv1d))
            .grad("Convolution"),
        FUNCTION | FUNCTIONAL,
        &[
            "Tensor input, Tensor weight, Tensor? bias=None, ints stride=1, ints padding=0, ints dilation=1, int groups=1",
            "Tensor input, Tensor weight, Tensor? bias=None, ints stride=1, str padding='valid', ints dilation=1, int groups=1",
        ],
        "Windows of the last dimension times filters. (batch, in, n) x (out, in, k) -> (batch, out, m)",
        conv1d,
    )
    .autocast(autocast::lower_precision),
    op(
        Descriptor::new("avg_pool1d", OpFamily::Window, Explanation::Pool { largest: false })
            .grad_name(GradName::Node("Squeeze", 1)),
        FUNCTION | FUNCTIONAL,
        &[
            "Tensor input, ints kernel_size, ints stride=(), ints padding=0, bool ceil_mode=False, bool count_include_pad=True",
        ],
        "The mean of each window of the last dimension.",
        |c| {
            let size = one(c, 1, 1)?;
            let window = Window { size, stride: one(c, 2, size)?, padding: one(c, 3, 0)?, dilation: 1 };
            pooled(c, window, c.bool(4), false, c.bool(5))
        },
    ),
    op(
        Descriptor::new("max_pool1d", OpFamily::Window, Explanation::Pool { largest: true })
            .grad_name(GradName::Node("Squeeze", 1)),
        FUNCTION | FUNCTIONAL,
        &[
            "Tensor input, ints kernel_size, ints? stride=None, ints padding=0, ints dilation=1, bool ceil_mode=False",
        ],
        "The largest of each window of the last dimension.",
        |c| {
            let size = one(c, 1, 1)?;
            let window =
                Window { size, stride: one(c, 2, size)?, padding: one(c, 3, 0)?, dilation: one(c, 4, 1)? };
            pooled(c, window, c.bool(5), true, false)
        },
    ),
];
