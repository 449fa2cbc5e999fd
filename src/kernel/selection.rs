//! The largest or smallest k elements of a row, and all of them, in PyTorch's order.
//! Where elements are equal or the order is unspecified (`topk(sorted=False)`), the order depends on the steps of the
//! algorithm. PyTorch uses `partial_sort`, `nth_element` and `sort` of the C++ library, and a quickselect of its own for
//! `kthvalue`. This file repeats their steps (Musser 1997, introspective sorting; Numerical Recipes, selection by
//! partition).

use super::stop;

/// Length up to which a range is sorted by insertion.
pub(crate) const SHORT: usize = 16;
/// Elements after which a long row checks for interrupts.
const STEP: usize = 1 << 14;

/// Sorting with the steps of the C++ library. `less(a, b)` is whether a comes before b.
struct Steps<'a, T, F> {
    row: &'a mut [T],
    less: F,
}

impl<T: Copy, F: Fn(T, T) -> bool> Steps<'_, T, F> {
    fn before(&self, a: usize, b: usize) -> bool {
        (self.less)(self.row[a], self.row[b])
    }

    /// Moves `value` from `hole` down the heap of `len` elements at `first`, then up.
    fn sink(&mut self, first: usize, mut hole: usize, len: usize, value: T) {
        let top = hole;
        let mut child = hole;
        while child < (len - 1) / 2 {
            child = 2 * (child + 1);
            if self.before(first + child, first + child - 1) {
                child -= 1;
            }
            self.row[first + hole] = self.row[first + child];
            hole = child;
        }
        if len.is_multiple_of(2) && child == (len - 2) / 2 {
            child = 2 * (child + 1);
            self.row[first + hole] = self.row[first + child - 1];
            hole = child - 1;
        }
        while hole > top {
            let parent = (hole - 1) / 2;
            if !(self.less)(self.row[first + parent], value) {
                break;
            }
            self.row[first + hole] = self.row[first + parent];
            hole = parent;
        }
        self.row[first + hole] = value;
    }

    /// Moves the top of the heap to `result` and the element there into the heap.
    fn pop(&mut self, first: usize, last: usize, result: usize) {
        let value = self.row[result];
        self.row[result] = self.row[first];
        self.sink(first, 0, last - first, value);
    }

    /// Makes `first..middle` a heap of the elements that come before all others of `first..last`.
    fn heap_select(&mut self, first: usize, middle: usize, last: usize) {
        let len = middle - first;
        for parent in (0..len / 2).rev() {
            let value = self.row[first + parent];
            self.sink(first, parent, len, value);
        }
        for at in middle..last {
            if at.is_multiple_of(STEP) {
                stop::check();
            }
            if self.before(at, first) {
                self.pop(first, middle, at);
            }
        }
    }

    fn partial_sort(&mut self, first: usize, middle: usize, last: usize) {
        if middle == first {
            return;
        }
        self.heap_select(first, middle, last);
        for end in (first + 1..middle).rev() {
            if end.is_multiple_of(STEP) {
                stop::check();
            }
            self.pop(first, end, end);
        }
    }

    fn insert(&mut self, mut at: usize) {
        let value = self.row[at];
        while at > 0 && (self.less)(value, self.row[at - 1]) {
            self.row[at] = self.row[at - 1];
            at -= 1;
        }
        self.row[at] = value;
    }

    fn insertion_sort(&mut self, first: usize, last: usize) {
        for at in first + 1..last {
            if self.before(at, first) {
                self.row[first..=at].rotate_right(1);
            } else {
                self.insert(at);
            }
        }
    }

    /// Partitions a range by the median of its second, middle and last element.
    fn partition(&mut self, first: usize, last: usize) -> usize {
        stop::check();
        let (a, b, c) = (first + 1, first + (last - first) / 2, last - 1);
        let median = if self.before(a, b) {
            if self.before(b, c) {
                b
            } else if self.before(a, c) {
                c
            } else {
                a
            }
        } else if self.before(a, c) {
            a
        } else if self.before(b, c) {
            c
        } else {
            b
        };
        self.row.swap(first, median);
        let (mut low, mut high) = (first + 1, last);
        loop {
            while self.before(low, first) {
                low += 1;
            }
            high -= 1;
            while self.before(first, high) {
                high -= 1;
            }
            if low >= high {
                return low;
            }
            self.row.swap(low, high);
            low += 1;
        }
    }

    fn nth_element(&mut self, nth: usize) {
        let (mut first, mut last) = (0, self.row.len());
        if nth >= last {
            return;
        }
        let mut depth = 2 * last.ilog2();
        while last - first > 3 {
            if depth == 0 {
                self.heap_select(first, nth + 1, last);
                self.row.swap(first, nth);
                return;
            }
            depth -= 1;
            let cut = self.partition(first, last);
            if cut <= nth { first = cut } else { last = cut }
        }
        self.insertion_sort(first, last);
    }

    fn sort(&mut self, first: usize, last: usize) {
        if first == last {
            return;
        }
        self.split(first, last, 2 * (last - first).ilog2());
        let head = last.min(first + SHORT);
        self.insertion_sort(first, head);
        for at in head..last {
            self.insert(at);
        }
    }

    fn split(&mut self, first: usize, mut last: usize, mut depth: u32) {
        while last - first > SHORT {
            if depth == 0 {
                return self.partial_sort(first, last, last);
            }
            depth -= 1;
            let cut = self.partition(first, last);
            self.split(cut, last, depth);
            last = cut;
        }
    }
}

/// Moves the first k elements in the order of `less` to the front, sorted if `sorted`. As `torch.topk`.
pub fn top<T: Copy>(row: &mut [T], k: usize, sorted: bool, less: impl Fn(T, T) -> bool) {
    let len = row.len();
    if k == 0 || len == 0 {
        return;
    }
    let mut steps = Steps { row, less };
    if k * 64 <= len {
        steps.partial_sort(0, k, len);
    } else {
        steps.nth_element(k - 1);
        if sorted {
            steps.sort(0, k - 1);
        }
    }
}

/// Sorts a row; equal elements have the order in which the steps leave them. As `std::sort`.
pub(crate) fn sort<T: Copy>(row: &mut [T], less: impl Fn(T, T) -> bool) {
    let len = row.len();
    Steps { row, less }.sort(0, len);
}
