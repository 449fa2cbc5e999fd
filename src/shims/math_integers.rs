//! The part of Python's `math` that works on integers of any size.
//! Sees big integers and nothing else of attn.

use malachite_bigint::{BigInt, Sign};
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine, builtins::PyIntRef, function::FuncArgs};

/// The sign of numbers above zero.
pub(super) const PLUS: Sign = Sign::Plus;
/// The sign of numbers below zero.
pub(super) const MINUS: Sign = Sign::Minus;

/// What is made of two integers at a time.
#[derive(Clone, Copy)]
pub(super) enum Pairs {
    Gcd,
    Lcm,
}

/// The integer that an object is, or returns from `__index__`.
fn integer(value: &PyObjectRef, vm: &VirtualMachine) -> PyResult<BigInt> {
    let index: PyIntRef = value.try_index(vm)?;
    Ok(index.as_bigint().clone())
}

fn is_zero(value: &BigInt) -> bool {
    value.sign() == Sign::NoSign
}

fn magnitude(value: BigInt) -> BigInt {
    if value.sign() == Sign::Minus { -value } else { value }
}

fn common_divisor(a: BigInt, b: BigInt) -> BigInt {
    let (mut a, mut b) = (magnitude(a), magnitude(b));
    while !is_zero(&b) {
        let rest = &a % &b;
        a = b;
        b = rest;
    }
    a
}

/// `gcd` or `lcm` of any number of integers.
pub(super) fn fold(args: FuncArgs, none: i32, pairs: Pairs, vm: &VirtualMachine) -> PyResult {
    if !args.kwargs.is_empty() {
        return Err(vm.new_type_error("gcd() and lcm() take no keyword arguments"));
    }
    let mut all = BigInt::from(none);
    for value in &args.args {
        let value = integer(value, vm)?;
        all = match pairs {
            Pairs::Gcd => common_divisor(all, value),
            Pairs::Lcm if is_zero(&all) || is_zero(&value) => BigInt::from(0),
            Pairs::Lcm => magnitude(&all / common_divisor(all.clone(), value.clone()) * value),
        };
    }
    Ok(vm.ctx.new_bigint(&all).into())
}

/// Integers beyond this would be computed for minutes.
const LARGEST_FACTORIAL: u64 = 500_000;

pub(super) fn factorial(n: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let n = integer(&n, vm)?;
    if n.sign() == Sign::Minus {
        return Err(vm.new_value_error("factorial() not defined for negative values"));
    }
    match u64::try_from(&n) {
        Ok(n) if n <= LARGEST_FACTORIAL => Ok(vm.ctx.new_bigint(&product(1, n)).into()),
        _ => Err(
            vm.new_overflow_error(format!("factorial() argument should not exceed {LARGEST_FACTORIAL} here"))
        ),
    }
}

/// The product of all integers above `low` and up to `high`, halved until the factors are small.
fn product(low: u64, high: u64) -> BigInt {
    if high <= low {
        BigInt::from(1)
    } else if high - low <= 8 {
        (low + 1..=high).fold(BigInt::from(1), |product, factor| product * BigInt::from(factor))
    } else {
        let middle = low + (high - low) / 2;
        product(low, middle) * product(middle, high)
    }
}

/// `comb(n, k)` if `unordered`, else `perm(n, k)`.
pub(super) fn choices(
    n: PyObjectRef,
    k: Option<PyObjectRef>,
    unordered: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let Some(k) = k else {
        return factorial(n, vm);
    };
    let (n, k) = (integer(&n, vm)?, integer(&k, vm)?);
    for (value, name) in [(&n, "n"), (&k, "k")] {
        if value.sign() == Sign::Minus {
            return Err(vm.new_value_error(format!("{name} must be a non-negative integer")));
        }
    }
    if k > n {
        return Ok(vm.ctx.new_int(0).into());
    }
    let rest = &n - &k;
    let factors = if unordered && rest < k { rest } else { k };
    let Some(factors) = u64::try_from(&factors).ok().filter(|&factors| factors <= LARGEST_FACTORIAL) else {
        return Err(vm.new_overflow_error(format!("k must not exceed {LARGEST_FACTORIAL} here")));
    };
    let mut result = BigInt::from(1);
    for factor in 0..factors {
        result *= &n - BigInt::from(factor);
        if unordered {
            result /= BigInt::from(factor + 1);
        }
    }
    Ok(vm.ctx.new_bigint(&result).into())
}

/// The bits of the largest number whose root is taken: a division of it cannot be stopped.
const LARGEST_SQUARE: u64 = 2_000_000;

pub(super) fn isqrt(n: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let n = integer(&n, vm)?;
    if n.sign() == Sign::Minus {
        return Err(vm.new_value_error("isqrt() argument must be nonnegative"));
    }
    if is_zero(&n) {
        return Ok(vm.ctx.new_int(0).into());
    }
    if n.bits() > LARGEST_SQUARE {
        return Err(
            vm.new_overflow_error(format!("isqrt() argument should not exceed {LARGEST_SQUARE} bits here"))
        );
    }
    // Newton's iteration with as many digits as are right so far, as CPython does: the last step, one division of the whole
    // number, takes as long as all before it.
    let half = (n.bits() - 1) / 2;
    let (mut root, mut digits) = (BigInt::from(1), 0);
    for step in (0..u64::BITS - half.leading_zeros()).rev() {
        let before = digits;
        digits = half >> step;
        root =
            (&root << (digits - before).saturating_sub(1)) + (&n >> (2 * half - before - digits + 1)) / &root;
    }
    if &root * &root > n {
        root -= BigInt::from(1);
    }
    Ok(vm.ctx.new_bigint(&root).into())
}
