//! Large vectors that nobody needs any more, kept for the next result of their size.
//! Sees vectors of numbers only.
//!
//! A fresh block of memory costs more than the arithmetic that fills it: the system clears and maps every page of it
//! at the first touch (measured: 19 ms for 48 MB, against 1.4 ms to write what is mapped already). A network asks for
//! the same sizes again and again.

use std::cell::RefCell;

/// Bytes from which a vector is kept.
const LEAST: usize = 1 << 16;
/// Most bytes of one kind of number that are kept unless [`set_most`] says otherwise; the oldest go first.
const MOST: usize = 256 << 20;
/// Most vectors of one length that are kept: the rest serves those who ask the system.
const ALIKE: usize = 8;

/// Vectors kept, the oldest first.
#[derive(Default)]
struct Shelf<T>(Vec<Vec<T>>);

/// The vectors of one thread.
#[derive(Default)]
pub struct Shelves {
    most: Option<usize>,
    f32: Shelf<f32>,
    f64: Shelf<f64>,
    i64: Shelf<i64>,
    bool: Shelf<bool>,
}

thread_local! {
    static SHELVES: RefCell<Shelves> = RefCell::default();
}

/// How many bytes of one kind of number this thread keeps at most.
pub fn set_most(bytes: usize) {
    SHELVES.with_borrow_mut(|shelves| shelves.most = Some(bytes));
}

/// An element of which vectors are kept.
pub trait Element: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn shelf(shelves: &mut Shelves) -> &mut Vec<Vec<Self>>;
}

macro_rules! element {
    ($($t:ident),*) => {$(
        impl Element for $t {
            fn shelf(shelves: &mut Shelves) -> &mut Vec<Vec<$t>> {
                &mut shelves.$t.0
            }
        }
    )*};
}

element!(f32, f64, i64, bool);

/// A vector of `len` elements to be written over: what they hold is not said.
pub fn take<T: Element>(len: usize) -> Vec<T> {
    kept(len).unwrap_or_else(|| vec![T::default(); len])
}

/// A vector of `len` elements of one value.
pub fn filled<T: Element>(len: usize, value: T) -> Vec<T> {
    match kept(len) {
        Some(mut kept) => {
            kept.fill(value);
            kept
        }
        None => vec![value; len],
    }
}

/// A vector of `len` elements that was kept, if there is one.
fn kept<T: Element>(len: usize) -> Option<Vec<T>> {
    if len * size_of::<T>() < LEAST {
        return None;
    }
    let found = SHELVES.with_borrow_mut(|shelves| {
        let shelf = T::shelf(shelves);
        let fits = |kept: &Vec<T>| kept.len() >= len && kept.len() / 2 <= len;
        let best = (0..shelf.len()).filter(|&at| fits(&shelf[at])).min_by_key(|&at| shelf[at].len())?;
        Some(shelf.remove(best))
    });
    found.map(|mut kept| {
        kept.truncate(len);
        kept
    })
}

/// Keeps a vector for [`take`], if it is worth it.
pub fn give<T: Element>(mut vector: Vec<T>) {
    let bytes = vector.capacity() * size_of::<T>();
    if bytes < LEAST {
        return;
    }
    // What lies beyond the length was written once, and so costs little to make elements of.
    vector.resize(vector.capacity(), T::default());
    // A thread that ends takes its shelves with it.
    let _ = SHELVES.try_with(|shelves| {
        let mut shelves = shelves.borrow_mut();
        let most = shelves.most.unwrap_or(MOST);
        let shelf = T::shelf(&mut shelves);
        shelf.push(vector);
        let len = shelf[shelf.len() - 1].len();
        let like: Vec<usize> = (0..shelf.len()).filter(|&at| shelf[at].len() == len).collect();
        if like.len() > ALIKE {
            shelf.remove(like[0]);
        }
        let mut held: usize = shelf.iter().map(|kept| kept.len() * size_of::<T>()).sum();
        while held > most {
            held -= shelf.remove(0).len() * size_of::<T>();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_given_back_is_taken_again_where_it_fits() {
        let large: Vec<f32> = take(1 << 16);
        let place = large.as_ptr();
        give(large);
        let other: Vec<f32> = take(1 << 10);
        assert_eq!(other, vec![0.0; 1 << 10]);
        let again: Vec<f32> = take((1 << 16) - 5);
        assert_eq!((again.as_ptr(), again.len()), (place, (1 << 16) - 5));
        give(again);
        let larger: Vec<f32> = take(1 << 20);
        assert_ne!(larger.as_ptr(), place);
        let last: Vec<f32> = take(1 << 16);
        assert_eq!(last.as_ptr(), place);
    }
}
