//! Dtypes and layouts of tensors: promotion, rounding, and the order of results in memory.

use attn::kernel::random::HalfKind;
use attn::tensor::dtype::{Operand, result_type};
use attn::tensor::ops::draw::memory_order;
use attn::tensor::ops::strides::inferred;
use attn::tensor::{Buffer, Category, DType, Layout, Storage, Tensor};

#[test]
fn promotion_follows_the_categories() {
    use Operand::{Dimensioned, Number, ZeroDim};
    let of = |operands: &[Operand]| result_type(operands.iter().copied(), DType::Float32);
    assert_eq!(of(&[Dimensioned(DType::Int64), Number(Category::Float)]), DType::Float32);
    assert_eq!(of(&[Dimensioned(DType::Float32), ZeroDim(DType::Float64)]), DType::Float32);
    assert_eq!(of(&[Dimensioned(DType::Int32), ZeroDim(DType::Int64)]), DType::Int32);
    assert_eq!(of(&[Dimensioned(DType::Bool), Number(Category::Integer)]), DType::Int64);
    assert_eq!(of(&[Dimensioned(DType::UInt8), Dimensioned(DType::Int8)]), DType::Int16);
    assert_eq!(of(&[ZeroDim(DType::Float64), Number(Category::Float)]), DType::Float64);
}

#[test]
fn half_precision_rounds_to_the_nearest_ties_to_even() {
    assert_eq!(DType::Float16.round_f32(1.0 + 1.0 / 2048.0), 1.0);
    assert_eq!(DType::Float16.round_f32(70000.0), f32::INFINITY);
    assert_eq!(DType::Float16.round_f32(65519.0), 65504.0);
    assert_eq!(DType::Float16.round_f32(0.1), 0.099_975_586);
    assert_eq!(DType::Float16.round_f32(3e-8), 2f32.powi(-24));
    assert_eq!(DType::BFloat16.round_f32(0.1), 0.100_097_656);
    assert!(HalfKind::BFloat16.round(f32::NAN).is_nan() && HalfKind::Float16.round(-0.0).is_sign_negative());
}

fn layout(shape: &[usize], strides: &[usize]) -> Layout {
    Layout { shape: shape.into(), strides: strides.into(), offset: 3 }
}

#[test]
fn a_copy_keeps_the_order_of_dimensions_and_loses_the_gaps() {
    assert_eq!(*layout(&[2, 3], &[1, 2]).preserved().strides, [1, 2]);
    assert_eq!(*layout(&[2, 3], &[12, 2]).preserved().strides, [3, 1]);
    assert_eq!(*layout(&[3, 2, 4], &[0, 4, 1]).preserved().strides, [8, 4, 1]);
    assert_eq!(*layout(&[2, 7, 1], &[7, 1, 2]).preserved().strides, [7, 1, 2]);
    assert_eq!(*memory_order(&layout(&[2, 3], &[1, 2])).shape, [3, 2]);
}

#[test]
fn the_first_operand_with_an_order_of_dimensions_decides() {
    let (transposed, contiguous, row) =
        (layout(&[2, 3], &[1, 2]), layout(&[2, 3], &[3, 1]), layout(&[3], &[1]));
    assert_eq!(*inferred(&[2, 3], &[&transposed, &contiguous]).strides, [1, 2]);
    assert_eq!(*inferred(&[2, 3], &[&row, &transposed]).strides, [1, 2]);
}

/// As PyTorch's allocator: `data_ptr` of a new tensor is a multiple of 64.
#[test]
fn addresses_of_storages_are_multiples_of_64() {
    let storages: Vec<Storage> =
        (1..200).map(|len| Storage::new(Buffer::F32(vec![0.0; len * 7 % 31 + 1]))).collect();
    assert!(storages.iter().all(|storage| storage.address().is_multiple_of(64)));
}

#[test]
fn products_of_tensors_depend_on_offsets_and_not_on_addresses() {
    let value = |at: usize| ((at * 37 % 101) as f32 - 50.0) / 7.0;
    let product = || {
        let (a, b) = (Tensor::from_f32((0..3 * 41).map(value).collect(), [3, 41]), {
            let whole = Tensor::from_f32((0..41 * 9 + 1).map(value).collect(), [41 * 9 + 1]);
            whole.with_layout(Layout { shape: vec![41, 9].into(), strides: vec![9, 1].into(), offset: 1 })
        });
        let out = attn::tensor::ops::linear::mm(&a, &b).expect("the shapes agree");
        out.to_f32_vec().into_iter().map(f32::to_bits).collect::<Vec<u32>>()
    };
    let first = product();
    let mut between = Vec::new();
    for len in 1..60 {
        between.push(vec![0_u8; len * 13]);
        assert_eq!(product(), first, "after {len} allocations");
    }
}
