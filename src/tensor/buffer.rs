//! The elements of a storage, in one of four element types.

use super::dtype::DType;
use crate::kernel::buffer_pool::{self, Element};

/// The elements of a storage, in one of the four lanes.
#[derive(Clone, Debug)]
pub enum Buffer {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 64-bit integers.
    I64(Vec<i64>),
    Bool(Vec<bool>),
}

/// An element of a storage as each of the four types; bools are 0 and 1, and floats are truncated to integers.
pub(crate) trait Number: Element {
    fn f32(self) -> f32;
    fn f64(self) -> f64;
    fn i64(self) -> i64;
    fn truth(self) -> bool;
    /// The elements of a buffer, if they are of this type.
    fn slice(buffer: &Buffer) -> Option<&[Self]>;
    /// A buffer of these.
    fn buffer(values: Vec<Self>) -> Buffer;

    /// The elements of a buffer of this type. Panics for another type.
    fn elements(buffer: &Buffer) -> &[Self] {
        Self::slice(buffer).expect("the caller has checked the dtype")
    }
}

macro_rules! number {
    ($($t:ty, $lane:ident: |$x:ident| $number:expr, $whole:expr;)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn f32(self) -> f32 {
                let $x = self;
                $number as f32
            }
            #[inline(always)]
            fn f64(self) -> f64 {
                let $x = self;
                $number as f64
            }
            #[inline(always)]
            fn i64(self) -> i64 {
                let $x = self;
                $whole
            }
            #[inline(always)]
            fn truth(self) -> bool {
                self != Self::default()
            }
            fn slice(buffer: &Buffer) -> Option<&[$t]> {
                if let Buffer::$lane(values) = buffer { Some(values) } else { None }
            }
            fn buffer(values: Vec<$t>) -> Buffer {
                Buffer::$lane(values)
            }
        }
    )*};
}

number! {
    f32, F32: |x| x, whole(f64::from(x));
    f64, F64: |x| x, whole(x);
    i64, I64: |x| x, x;
    bool, Bool: |x| u8::from(x), i64::from(x);
}

/// The whole part of a number; the least integer where there is none, as processors convert.
#[inline(always)]
fn whole(x: f64) -> i64 {
    if x.abs() < 9_223_372_036_854_775_808.0 { x as i64 } else { i64::MIN }
}

/// Runs `$body` with `$data` bound to the vector in `$buffer`.
#[macro_export]
macro_rules! each_lane {
    ($buffer:expr, $data:ident => $body:expr) => {
        match $buffer {
            $crate::tensor::Buffer::F32($data) => $body,
            $crate::tensor::Buffer::F64($data) => $body,
            $crate::tensor::Buffer::I64($data) => $body,
            $crate::tensor::Buffer::Bool($data) => $body,
        }
    };
}

/// As [`each_lane`]; the result is a buffer of the same lane.
#[macro_export]
macro_rules! map_lane {
    ($buffer:expr, $data:ident => $body:expr) => {
        match $buffer {
            $crate::tensor::Buffer::F32($data) => $crate::tensor::Buffer::F32($body),
            $crate::tensor::Buffer::F64($data) => $crate::tensor::Buffer::F64($body),
            $crate::tensor::Buffer::I64($data) => $crate::tensor::Buffer::I64($body),
            $crate::tensor::Buffer::Bool($data) => $crate::tensor::Buffer::Bool($body),
        }
    };
}

/// Runs `$body` with `$T` as the type of the elements in a lane.
macro_rules! in_lane {
    ($lane:expr, $T:ident => $body:expr) => {
        match $lane {
            $crate::tensor::Lane::F32 => {
                type $T = f32;
                $body
            }
            $crate::tensor::Lane::F64 => {
                type $T = f64;
                $body
            }
            $crate::tensor::Lane::I64 => {
                type $T = i64;
                $body
            }
            $crate::tensor::Lane::Bool => {
                type $T = bool;
                $body
            }
        }
    };
}
pub(crate) use in_lane;

/// Runs `$body` with the vectors of two buffers, which must have the same lane.
#[macro_export]
macro_rules! zip_lanes {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr) => {
        match ($a, $b) {
            ($crate::tensor::Buffer::F32($x), $crate::tensor::Buffer::F32($y)) => $body,
            ($crate::tensor::Buffer::F64($x), $crate::tensor::Buffer::F64($y)) => $body,
            ($crate::tensor::Buffer::I64($x), $crate::tensor::Buffer::I64($y)) => $body,
            ($crate::tensor::Buffer::Bool($x), $crate::tensor::Buffer::Bool($y)) => $body,
            _ => unreachable!("both buffers have one dtype"),
        }
    };
}

impl Buffer {
    /// `len` zeros (or `false`) in the lane of `dtype`.
    pub(crate) fn zeros(dtype: DType, len: usize) -> Buffer {
        in_lane!(dtype.lane(), T => T::buffer(buffer_pool::zeros(len)))
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        each_lane!(self, data => data.len())
    }

    /// Bytes of its elements.
    pub(crate) fn bytes(&self) -> u64 {
        each_lane!(self, data => size_of_val(&data[..]) as u64)
    }

    /// The elements at these positions, in order.
    pub(crate) fn pick(&self, places: &[usize]) -> Buffer {
        map_lane!(self, data => buffer_pool::made(places.len(), |at| data[places[at]]))
    }

    /// Element `at` as a float; bools are 0 and 1.
    pub fn float(&self, at: usize) -> f64 {
        each_lane!(self, data => data[at].f64())
    }

    /// Element `at` as an integer; floats are truncated.
    pub(crate) fn int(&self, at: usize) -> i64 {
        each_lane!(self, data => data[at].i64())
    }

    /// Rounds or wraps every element to `dtype` if its lane is wider.
    pub(crate) fn round_to(&mut self, dtype: DType) {
        if !dtype.is_narrow() {
            return;
        }
        match self {
            Buffer::F32(data) => data.iter_mut().for_each(|value| *value = dtype.round_f32(*value)),
            Buffer::I64(data) => data.iter_mut().for_each(|value| *value = dtype.wrap_i64(*value)),
            Buffer::F64(_) | Buffer::Bool(_) => {}
        }
    }
}
