//! The library, layer by layer: golden figures, properties over random inputs, pages and snapshots, and the structure
//! of the sources. One program, so that the interpreter is linked once and no processor waits for the end of another program;
//! tests that run Python are processes of their own ([`apart`]).

#[path = "../shared/apart.rs"]
mod apart;
mod app;
mod app_bench;
mod app_learn;
mod attention;
mod backward;
#[path = "../shared/course.rs"]
mod course;
mod doctor;
mod doctor_codes;
mod doctor_forms;
mod documents;
mod errors;
mod explain;
#[path = "../explain/mod.rs"]
mod explained;
mod files;
mod functional;
#[path = "../fuzz/mod.rs"]
mod fuzz;
mod gradient_kernels;
mod kernel;
mod kernel_functions;
mod lesson;
mod lesson_answers;
mod lesson_progress;
mod lesson_run;
mod lesson_spellings;
mod nonfinite;
mod optimizers;
mod page;
mod plots;
mod programs;
mod python_files;
mod python_random;
mod random;
mod records;
mod renumbered;
mod repl;
mod reported;
mod sandbox;
mod session;
mod shapes;
mod show;
#[path = "../sizes/mod.rs"]
mod sizes;
#[path = "../shared/snapshot.rs"]
mod snapshot;
mod structure;
mod table;
mod tensor_layout;
mod threads;
mod tokenizers;
mod trained;
mod view;
#[cfg(target_os = "linux")]
mod wall;

/// The allocator of the program: what Python runs takes a fifth longer with that of glibc.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
