//! Sorting and counting: sort, topk, kthvalue, unique, searchsorted, bincount, histc, isin.
//! This file makes contiguous rows; the kernel sorts one row.

use std::cmp::Ordering;
use std::iter;
use std::ops::AddAssign;

use smallvec::smallvec;

use crate::kernel::rank::{self, Equal, Rank};
use crate::kernel::selection;
use crate::tensor::{Buffer, DType, Error, Layout, Result, Tensor, refuse_if};
use crate::{each_lane, map_lane};

/// The elements with `dim` last, row-major; the length of `dim`, and the shape without it.
fn rows(x: &Tensor, dim: usize) -> (Buffer, usize, Vec<usize>) {
    if x.ndim() == 0 {
        return (x.to_buffer(), 1, Vec::new());
    }
    let mut order: Vec<usize> = (0..x.ndim()).filter(|&axis| axis != dim).collect();
    let rest = order.iter().map(|&axis| x.shape()[axis]).collect();
    order.push(dim);
    (x.with_layout(x.layout().permute(&order)).to_buffer(), x.shape()[dim], rest)
}

/// A contiguous tensor from row-major elements with `dim` last; of a number, a row of one element.
fn back(buffer: Buffer, mut rest: Vec<usize>, size: usize, dim: usize, dtype: DType) -> Tensor {
    let ndim = rest.len() + 1;
    rest.push(size);
    if dim + 1 == ndim {
        return Tensor::new(buffer, rest, dtype);
    }
    let layout = Layout::contiguous(rest.clone());
    let mut order: Vec<usize> = (0..ndim - 1).collect();
    order.insert(dim, ndim - 1);
    super::copy(&Tensor::new(buffer, rest, dtype).with_layout(layout.permute(&order)))
}

/// The elements of each row at the positions that `choose` returns, and these positions, in tensors with `dim` in its
/// place.
fn chosen(
    x: &Tensor,
    dim: usize,
    size: usize,
    choose: impl Fn(&Buffer, std::ops::Range<usize>) -> Vec<usize>,
) -> (Tensor, Tensor) {
    let (buffer, len, rest) = rows(x, dim);
    let count: usize = rest.iter().product();
    let mut found = Vec::with_capacity(count * size);
    let mut places = Vec::with_capacity(count * size);
    for row in 0..count {
        let start = row * len;
        for place in choose(&buffer, start..start + len) {
            found.push(start + place);
            places.push(place as i64);
        }
    }
    let values = buffer.pick(&found);
    (
        back(values, rest.clone(), size, dim, x.dtype()),
        back(Buffer::I64(places), rest, size, dim, DType::Int64),
    )
}

/// Elements from which PyTorch sorts whole numbers in one dimension upwards digit by digit, which keeps the order of equal
/// ones.
const DIGIT_BY_DIGIT: usize = 32_768;

/// The sorted elements along `dim` and their positions. Equal ones keep their order if `stable`, and have the order in
/// which PyTorch's steps leave them otherwise. As `torch.sort`.
/// Both have the order of the input in memory.
pub(crate) fn sort(x: &Tensor, dim: usize, descending: bool, stable: bool) -> (Tensor, Tensor) {
    let (buffer, size, rest) = rows(x, dim);
    let digits = x.ndim() == 1 && size >= DIGIT_BY_DIGIT && !descending && matches!(buffer, Buffer::I64(_));
    let equal = if stable || digits { Equal::Stable } else { Equal::Unstable };
    let places;
    let values = map_lane!(&buffer, data => {
        let (sorted, found) = rank::sorted_rows(data, size, descending, equal);
        places = found;
        sorted
    });
    let values = back(values, rest.clone(), size, dim, x.dtype());
    let places = back(Buffer::I64(places), rest, size, dim, DType::Int64);
    let layout = x.layout().preserved();
    (values.laid_out(layout.clone()), places.laid_out(layout))
}

fn top_places<T: Rank>(row: &[T], k: usize, largest: bool, sorted: bool) -> Vec<usize> {
    let mut pairs: Vec<(u64, usize)> = row.iter().map(|x| x.key()).zip(0..).collect();
    if largest {
        selection::top(&mut pairs, k, sorted, |a, b| a.0 > b.0);
    } else {
        selection::top(&mut pairs, k, sorted, |a, b| a.0 < b.0);
    }
    pairs[..k].iter().map(|pair| pair.1).collect()
}

/// The k largest or smallest elements along `dim` and their positions. As `torch.topk`.
pub(crate) fn topk(x: &Tensor, k: i64, dim: usize, largest: bool, sorted: bool) -> Result<(Tensor, Tensor)> {
    let size = x.shape().get(dim).copied().unwrap_or(1);
    refuse_if!(k < 0 || k as usize > size, "selected index k out of range");
    if x.dtype() == DType::Bool && x.ndim() > 0 {
        return Err(Error::unsupported_dtype("topk_cpu", DType::Bool));
    }
    if x.ndim() == 0 {
        return Ok((super::copy(x), Tensor::from_i64(vec![0], [])));
    }
    let k = k as usize;
    Ok(chosen(
        x,
        dim,
        k,
        |buffer, row| each_lane!(buffer, data => top_places(&data[row], k, largest, sorted)),
    ))
}

/// The middle element along `dim`, the lower one of two, or the first nan, and its position. As `torch.median`.
pub(crate) fn median(x: &Tensor, dim: usize, keepdim: bool) -> (Tensor, Tensor) {
    let (values, places) = chosen(x, dim, 1, |buffer, row| {
        each_lane!(buffer, data => {
            let row = &data[row];
            // Only nan has no place in the order.
            let nan = row.iter().position(|x| x.partial_cmp(x).is_none());
            vec![nan.unwrap_or_else(|| rank::sorted_places(row, false)[(row.len() - 1) / 2])]
        })
    });
    let without = |tensor: Tensor| match keepdim && x.ndim() > 0 {
        true => tensor,
        false => tensor.with_layout(tensor.layout().squeeze(dim)),
    };
    (without(values), without(places))
}

/// Groups of equal neighbours in `order`: the first element of each group, the group of each element, the sizes.
fn groups(order: &[usize], same: impl Fn(usize, usize) -> bool) -> (Vec<usize>, Vec<i64>, Vec<i64>) {
    let (mut firsts, mut inverse, mut counts) = (Vec::new(), vec![0; order.len()], Vec::new());
    for (at, &place) in order.iter().enumerate() {
        if at == 0 || !same(order[at - 1], place) {
            firsts.push(place);
            counts.push(0);
        }
        inverse[place] = firsts.len() as i64 - 1;
        *counts.last_mut().expect("the first element opens a group") += 1;
    }
    (firsts, inverse, counts)
}

/// The distinct elements of the tensor, sorted; for each element the position of its value; how often each occurs.
pub(crate) fn unique(x: &Tensor) -> [Tensor; 3] {
    let buffer = x.to_buffer();
    let order: Vec<usize> = each_lane!(&buffer, data => rank::sorted_places(data, false));
    let (firsts, inverse, counts) = each_lane!(&buffer, data => groups(&order, |a, b| data[a] == data[b]));
    let count = firsts.len();
    let values = Tensor::new(buffer.pick(&firsts), [count], x.dtype());
    [values, Tensor::from_i64(inverse, x.shape()), Tensor::from_i64(counts, [count])]
}

/// The same of the slices along a dimension, in the order of their elements.
pub(crate) fn unique_slices(x: &Tensor, dim: usize) -> Result<[Tensor; 3]> {
    let Some(&size) = x.shape().get(dim) else {
        return Err(Error::index("Dimension specified as 0 but tensor has no dimensions"));
    };
    refuse_if!(
        x.numel() == 0 && size > 0,
        "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
    );
    refuse_if!(x.to_f64_vec().iter().any(|it| it.is_nan()), "unique(): slices with nan have no order");
    let lanes = x.numel() / size.max(1);
    let others = (0..x.ndim()).filter(|&axis| axis != dim);
    let order: Vec<usize> = iter::once(dim).chain(others).collect();
    let buffer = x.with_layout(x.layout().permute(&order)).to_buffer();
    let slice = |at: usize| at * lanes..(at + 1) * lanes;
    let (firsts, inverse, counts) = each_lane!(&buffer, data => {
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&a, &b| data[slice(a)].partial_cmp(&data[slice(b)]).unwrap_or(Ordering::Equal));
        groups(&order, |a, b| data[slice(a)] == data[slice(b)])
    });
    let chosen: Vec<i64> = firsts.iter().map(|&at| at as i64).collect();
    let values = super::shape::index_select(x, dim, &chosen)?;
    Ok([values, Tensor::from_i64(inverse, [size]), Tensor::from_i64(counts, [chosen.len()])])
}

/// For each value the number of sorted boundaries before it. The shape of `values`. As `torch.searchsorted`.
pub(crate) fn searchsorted(sorted: &Tensor, values: &Tensor, right: bool) -> Tensor {
    let dtype = sorted.dtype().promote(values.dtype());
    let (sorted, values) = (super::cast::to_dtype(sorted, dtype), super::cast::to_dtype(values, dtype));
    let len = sorted.shape().last().copied().unwrap_or(1);
    let per_row =
        if sorted.ndim() <= 1 { values.numel() } else { values.shape().last().copied().unwrap_or(1) };
    let (bounds, wanted) = (sorted.to_buffer(), values.to_buffer());
    let places: Vec<i64> = crate::zip_lanes!(&bounds, &wanted, bounds, wanted => {
        wanted.iter().enumerate().map(|(at, &value)| {
            let row = if sorted.ndim() <= 1 { 0 } else { at / per_row.max(1) } * len;
            rank::insertion_place(&bounds[row..row + len], value, right) as i64
        }).collect()
    });
    Tensor::from_i64(places, values.shape())
}

/// The number of occurrences of each integer from 0 on, or the sum of their weights. As `torch.bincount`.
pub(crate) fn bincount(x: &Tensor, weights: Option<&Tensor>, least: usize) -> Result<Tensor> {
    let values = x.to_i64_vec();
    let len = values.iter().max().map_or(0, |&largest| largest as usize + 1).max(least);
    crate::tensor::allow(&[len], DType::Int64)?;
    fn sums<T: Default + Clone + AddAssign>(
        places: &[i64],
        each: impl IntoIterator<Item = T>,
        len: usize,
    ) -> Vec<T> {
        let mut sums = vec![T::default(); len];
        places.iter().zip(each).for_each(|(&place, one)| sums[place as usize] += one);
        sums
    }
    Ok(match weights {
        None => Tensor::from_i64(sums(&values, std::iter::repeat(1), len), [len]),
        Some(x) if x.dtype() == DType::Float32 => Tensor::from_f32(sums(&values, x.to_f32_vec(), len), [len]),
        Some(x) => Tensor::new(Buffer::F64(sums(&values, x.to_f64_vec(), len)), [len], DType::Float64),
    })
}

/// Whether each element is in `among`, or with `invert`, is not. As `torch.isin`.
pub(crate) fn isin(elements: &Tensor, among: &Tensor, invert: bool) -> Tensor {
    let dtype = elements.dtype().promote(among.dtype());
    let (elements, among) = (super::cast::to_dtype(elements, dtype), super::cast::to_dtype(among, dtype));
    let (x, y) = (elements.to_buffer(), among.to_buffer());
    let hits = crate::zip_lanes!(&x, &y, x, y => {
        x.iter().map(|value| y.contains(value) != invert).collect()
    });
    Tensor::from_bool(hits, elements.shape())
}

/// The indices of the non-zero elements, one in each row; column-major, as in PyTorch. (n, ndim)
pub(crate) fn nonzero(x: &Tensor) -> Tensor {
    let columns = crate::tensor::index::nonzero(x);
    let count = columns[0].numel();
    if x.ndim() == 0 {
        return Tensor::from_i64(Vec::new(), [count, 0]);
    }
    let layout = Layout { shape: smallvec![count, x.ndim()], strides: smallvec![1, count], offset: 0 };
    columns[0].with_layout(layout)
}
