//! The files of the trained model, `lessons/model`, inside the program: every session may read them.
//! `build/lessons.rs` writes the list.

// Each file under the path by which cells open it: `model/model.safetensors`.
include!(concat!(env!("OUT_DIR"), "/model.rs"));
