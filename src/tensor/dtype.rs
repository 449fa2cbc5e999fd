//! Element types and how PyTorch promotes them.
//! Source: `torch.result_type`, `torch.promote_types`.

use crate::kernel::random::HalfKind;

/// The element type of a tensor, in the order of promotion within a category.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DType {
    Bool,
    UInt8,
    Int8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    Float16,
    BFloat16,
    Float32,
    Float64,
}

/// The category of a dtype; promotion never goes down this list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Category {
    Bool,
    Integer,
    /// Floating point numbers.
    Float,
}

/// The type of the elements in memory.
///
/// Narrow dtypes use the next wider lane and are rounded after each operation, so the kernel has four element types for
/// PyTorch's dtypes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// 32-bit floats: float32, float16, bfloat16.
    F32,
    /// 64-bit floats: float64.
    F64,
    /// 64-bit integers: all integer dtypes.
    I64,
    /// Bools of one byte.
    Bool,
}

/// dtype, PyTorch's name, its names in error texts (the dtype's, and that of one number in C++), its width in bytes,
/// category, lane.
const TABLE: [(DType, &str, &str, &str, usize, Category, Lane); 12] = [
    (DType::Bool, "bool", "Bool", "bool", 1, Category::Bool, Lane::Bool),
    (DType::UInt8, "uint8", "Byte", "unsigned char", 1, Category::Integer, Lane::I64),
    (DType::Int8, "int8", "Char", "signed char", 1, Category::Integer, Lane::I64),
    (DType::Int16, "int16", "Short", "short int", 2, Category::Integer, Lane::I64),
    (DType::UInt16, "uint16", "UInt16", "uint16_t", 2, Category::Integer, Lane::I64),
    (DType::Int32, "int32", "Int", "int", 4, Category::Integer, Lane::I64),
    (DType::UInt32, "uint32", "UInt32", "uint32_t", 4, Category::Integer, Lane::I64),
    (DType::Int64, "int64", "Long", "long int", 8, Category::Integer, Lane::I64),
    (DType::Float16, "float16", "Half", "c10::Half", 2, Category::Float, Lane::F32),
    (DType::BFloat16, "bfloat16", "BFloat16", "c10::BFloat16", 2, Category::Float, Lane::F32),
    (DType::Float32, "float32", "Float", "float", 4, Category::Float, Lane::F32),
    (DType::Float64, "float64", "Double", "double", 8, Category::Float, Lane::F64),
];

impl DType {
    /// All dtypes, in order of promotion.
    pub(crate) fn all() -> impl Iterator<Item = DType> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (DType, &'static str, &'static str, &'static str, usize, Category, Lane) {
        &TABLE[self as usize]
    }

    /// PyTorch's name without the module: `float32`.
    pub(crate) fn name(self) -> &'static str {
        self.row().1
    }

    /// The name PyTorch's error texts use: `Float`, `Long`.
    pub(crate) fn cpp_name(self) -> &'static str {
        self.row().2
    }

    /// The name of one number in C++, which some error texts use: `long int`.
    pub(crate) fn c_name(self) -> &'static str {
        self.row().3
    }

    /// The range that its numbers lie in.
    pub(crate) fn range(self) -> (f64, f64) {
        const BFLOAT16: f64 = 3.389_531_389_251_535_5e38;
        match self {
            DType::Bool => (0.0, 1.0),
            DType::UInt8 | DType::UInt16 | DType::UInt32 => (0.0, 2f64.powi(8 * self.size() as i32) - 1.0),
            DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => {
                let end = 2f64.powi(8 * self.size() as i32 - 1);
                (-end, end - 1.0)
            }
            DType::Float16 => (-65504.0, 65504.0),
            DType::BFloat16 => (-BFLOAT16, BFLOAT16),
            DType::Float32 => (f64::from(f32::MIN), f64::from(f32::MAX)),
            DType::Float64 => (f64::MIN, f64::MAX),
        }
    }

    /// The number up to which it has all whole numbers.
    pub(crate) fn most_whole(self) -> i64 {
        match self {
            DType::Float16 => 1 << 11,
            DType::BFloat16 => 1 << 8,
            DType::Float32 => 1 << 24,
            DType::Float64 => 1 << 53,
            whole => whole.range().1 as i64,
        }
    }

    /// The distance between 1 and the next number of a floating point dtype; that of float32 for others.
    pub(crate) fn epsilon(self) -> f64 {
        match self {
            DType::Float64 => f64::EPSILON,
            DType::Float16 => half::f16::EPSILON.to_f64(),
            DType::BFloat16 => half::bf16::EPSILON.to_f64(),
            _ => f64::from(f32::EPSILON),
        }
    }

    /// Bytes an element takes in PyTorch (`element_size`).
    pub(crate) fn size(self) -> usize {
        self.row().4
    }

    /// Bool, integer or floating point.
    pub(crate) fn category(self) -> Category {
        self.row().5
    }

    /// The type of the elements in memory.
    pub(crate) fn lane(self) -> Lane {
        self.row().6
    }

    /// Whether it has whole numbers, and none below 0.
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, DType::UInt8 | DType::UInt16 | DType::UInt32)
    }

    /// Whether this is a floating point dtype.
    pub(crate) fn is_float(self) -> bool {
        self.category() == Category::Float
    }

    /// The dtype with this PyTorch name or alias (`float`, `long`, `half`).
    pub(crate) fn from_name(name: &str) -> Option<DType> {
        let name = match name {
            "float" => "float32",
            "double" => "float64",
            "half" => "float16",
            "long" => "int64",
            "int" => "int32",
            "short" => "int16",
            other => other,
        };
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The dtype of the result of two operands. As `torch.promote_types`.
    pub(crate) fn promote(self, other: DType) -> DType {
        use DType::{BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
        if self == other {
            return self;
        }
        match (self, other) {
            (Float16, BFloat16) | (BFloat16, Float16) => Float32,
            (UInt8, Int8) | (Int8, UInt8) => Int16,
            (UInt16, Int8 | Int16) | (Int8 | Int16, UInt16) => Int32,
            (UInt32, Int8 | Int16 | Int32) | (Int8 | Int16 | Int32, UInt32) => Int64,
            _ if self as usize > other as usize => self,
            _ => other,
        }
    }

    /// `value` rounded to this dtype, for the lane of 32-bit floats.
    pub fn round_f32(self, value: f32) -> f32 {
        self.half().map_or(value, |kind| kind.round(value))
    }

    /// Which half-precision type this dtype is, if it is one.
    pub(crate) fn half(self) -> Option<HalfKind> {
        match self {
            DType::Float16 => Some(HalfKind::Float16),
            DType::BFloat16 => Some(HalfKind::BFloat16),
            _ => None,
        }
    }

    /// `value` wrapped around to this dtype, for the lane of 64-bit integers.
    pub(crate) fn wrap_i64(self, value: i64) -> i64 {
        match self {
            DType::UInt8 => i64::from(value as u8),
            DType::Int8 => i64::from(value as i8),
            DType::Int16 => i64::from(value as i16),
            DType::UInt16 => i64::from(value as u16),
            DType::Int32 => i64::from(value as i32),
            DType::UInt32 => i64::from(value as u32),
            _ => value,
        }
    }

    /// Whether numbers have half precision: they are computed in float32 and rounded.
    pub(crate) fn is_half(self) -> bool {
        matches!(self, DType::Float16 | DType::BFloat16)
    }

    /// Whether results in the lane of this dtype must be rounded or wrapped.
    pub(crate) fn is_narrow(self) -> bool {
        !matches!(self, DType::Float32 | DType::Float64 | DType::Int64 | DType::Bool)
    }
}

/// An operand for dtype promotion.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// A tensor of at least one dimension.
    Dimensioned(DType),
    /// A 0-d tensor: it does not change the dtype of dimensioned tensors of its category.
    ZeroDim(DType),
    /// A Python number: it does not change the dtype of tensors of its category.
    Number(Category),
}

/// The dtype in which an operation on these operands is computed. As `torch.result_type`.
pub fn result_type(operands: impl IntoIterator<Item = Operand>, default: DType) -> DType {
    let mut best: [Option<DType>; 3] = [None; 3];
    let mut join = |slot: usize, dtype: DType| {
        best[slot] = Some(best[slot].map_or(dtype, |old| old.promote(dtype)));
    };
    for operand in operands {
        match operand {
            Operand::Dimensioned(dtype) => join(0, dtype),
            Operand::ZeroDim(dtype) => join(1, dtype),
            Operand::Number(Category::Bool) => join(2, DType::Bool),
            Operand::Number(Category::Integer) => join(2, DType::Int64),
            Operand::Number(Category::Float) => join(2, default),
        }
    }
    // A weaker operand matters only if its category is higher.
    let stronger = |strong: Option<DType>, weak: Option<DType>| match (strong, weak) {
        (Some(strong), Some(weak)) if weak.category() > strong.category() => {
            Some(if strong.is_float() { strong } else { weak })
        }
        (Some(strong), _) => Some(strong),
        (None, weak) => weak,
    };
    stronger(best[0], stronger(best[1], best[2])).unwrap_or(default)
}
