//! Reverse-mode differentiation: gradients of recorded operations, without Python objects.
//!
//! | file | what it has |
//! |---|---|
//! | [`step`] | what a rule sees of an operation that ran, and what it returns |
//! | [`fit`] | gradients in the shape and dtype of their operand; sums of gradients |
//! | [`compute`] | operations that rules are made of, with or without records |
//! | [`pointwise`], [`products`], [`einsum`], [`reductions`], [`views`], [`joins`], [`indexing`] | the rules, by family |
//! | [`activations`], [`norms`], [`losses`], [`attention`] | those of `torch.nn.functional` |
//!
//! A rule is a function that hangs on the operation's row (`.rule(backward::views::transpose)`), made of the operations in
//! [`compute`]: those are recorded where second derivatives are asked for. What a kernel computes in one pass
//! (`.rule_in_one_pass(..)`) cannot be recorded, and has a second rule in `torch/_gradients`. There are also the rules of
//! operations that no training step calls.

pub(crate) mod activations;
pub(crate) mod attention;
pub(crate) mod compute;
pub(crate) mod einsum;
mod fit;
pub(crate) mod indexing;
pub(crate) mod joins;
pub(crate) mod losses;
pub(crate) mod norms;
pub(crate) mod pointwise;
pub(crate) mod products;
pub(crate) mod reductions;
mod step;
pub(crate) mod views;

pub(crate) use fit::{add_in_place, added, settled};
pub(crate) use step::{BackwardStep, GradientRule, Gradients};
