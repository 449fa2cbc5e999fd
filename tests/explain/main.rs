//! Explanations of whole programs: `why`, what-if, traces, and the doctor's silence on correct code. A program of its own,
//! since a session leaves some memory behind and these tests start many.

#[path = "../shared/course.rs"]
mod course;
mod trace;
mod what_if;
mod why;
mod zoo;
