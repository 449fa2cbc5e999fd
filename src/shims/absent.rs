//! Modules that attn does not have: the error says so, and what serves instead.
//! One table of names; asked only when no other finder knows a module.
//!
//! What a notebook imports beside torch (tables, pictures, loggers) is imported as a stand-in that
//! raises when it is used, so that one such line does not take the whole cell with it. What would
//! reach out of the lesson (network, processes, files) cannot even be imported. Packages that code tries and does without
//! (`try: import flash_attn`) are in neither table: they are not found.

use rustpython_vm::{
    AsObject, PyPayload, PyResult, VirtualMachine,
    builtins::{PyBaseException, PyList, PyStrRef},
    class::PyClassImpl,
    function::FuncArgs,
    pyclass,
};

/// What to do without a module: names, then advice. A name with a dot is a module within a package that is here.
const LATER: &[(&[&str], &str)] = &[
    (&["cmath"], "`numpy` computes with complex numbers: `numpy.exp(1j * x)`, `abs(z)`"),
    (&["pandas"], "attn has no tables for now; a dict of lists or a tensor serves"),
    (
        &["scipy", "sklearn", "jax", "tensorflow", "keras"],
        "attn carries torch alone; torch's own functions do the arithmetic",
    ),
    (
        &["plotly", "bertviz", "mpl_toolkits"],
        "attn draws what matplotlib and seaborn plot; it shows tensors as shaded tables by itself, and `display(x)` shows a value",
    ),
    (
        &[
            "transformers",
            "tokenizers",
            "datasets",
            "huggingface_hub",
            "sentencepiece",
            "spacy",
            "nltk",
            "gensim",
        ],
        "attn has no pretrained models; `tiktoken` cuts text into GPT-2's tokens",
    ),
    (
        &[
            "torchvision",
            "torchaudio",
            "torchtext",
            "torchinfo",
            "torchsummary",
            "lightning",
            "pytorch_lightning",
            "accelerate",
            "evaluate",
            "peft",
            "timm",
            "torchmetrics",
        ],
        "attn carries torch alone, the part that attention needs",
    ),
    (&["_tokenize"], "attn does not divide Python's source into tokens; `ast.parse(text)` reads it"),
    (
        &["requests", "urllib", "urllib3"],
        "attn has no network: download the file yourself, beside the notebook, and run with --allow-read",
    ),
    (
        &[
            "altair",
            "bokeh",
            "colorama",
            "cv2",
            "flax",
            "gradio",
            "google",
            "hydra",
            "ipywidgets",
            "networkx",
            "numba",
            "omegaconf",
            "PIL",
            "psutil",
            "rich",
            "streamlit",
            "sympy",
            "tabulate",
            "tensorboard",
            "tensorboardX",
            "termcolor",
            "torch.ao",
            "torch.autograd.functional",
            "torch.autograd.profiler",
            "torch.distributed",
            "torch.fft",
            "torch.fx",
            "torch.hub",
            "torch.multiprocessing",
            "torch.nn.parallel",
            "torch.nn.utils.parametrizations",
            "torch.nn.utils.parametrize",
            "torch.onnx",
            "torch.optim.swa_utils",
            "torch.overrides",
            "torch.profiler",
            "torch.quantization",
            "torch.special",
            "torch.utils.benchmark",
            "torch.utils.tensorboard",
            "wandb",
            "yaml",
        ],
        "attn does not have it",
    ),
];

/// What reaches out of the lesson: names, then advice. These cannot be imported.
const NEVER: &[(&[&str], &str)] = &[
    (
        &["http", "socket", "ssl", "httpx", "aiohttp", "ftplib", "smtplib", "websockets"],
        "attn runs lessons without the network; write the text or the numbers in the cell",
    ),
    (
        &[
            "subprocess",
            "multiprocessing",
            "signal",
            "concurrent",
            "asyncio",
            "ctypes",
            "pty",
            "select",
            "selectors",
        ],
        "attn runs lessons on one thread, without processes",
    ),
    (
        &["tarfile", "gzip", "shelve", "sqlite3", "fileinput"],
        "attn opens plain files only, with --allow-read",
    ),
];

/// Files of packages that code imports from, and the module that has their names here.
const SAME: &[(&str, &str)] = &[
    ("matplotlib.collections", "matplotlib._artists"),
    ("matplotlib.colorbar", "matplotlib._artists"),
    ("matplotlib.container", "matplotlib._artists"),
    ("matplotlib.image", "matplotlib._artists"),
    ("matplotlib.legend", "matplotlib._artists"),
    ("matplotlib.lines", "matplotlib._artists"),
    ("matplotlib.patches", "matplotlib._artists"),
    ("matplotlib.text", "matplotlib._artists"),
    ("torch.amp.autocast_mode", "torch.amp"),
    ("torch.autograd.function", "torch.autograd"),
    ("torch.distributions.categorical", "torch.distributions"),
    ("torch.distributions.normal", "torch.distributions"),
    ("torch.nn.utils.clip_grad", "torch.nn.utils"),
    ("torch.optim.adam", "torch.optim"),
    ("torch.optim.adamw", "torch.optim"),
    ("torch.optim.sgd", "torch.optim"),
    ("torch.utils.data.dataloader", "torch.utils.data"),
    ("torch.utils.data.dataset", "torch.utils.data"),
    ("torch.utils.data.sampler", "torch.utils.data"),
    ("tqdm.auto", "tqdm"),
    ("tqdm.notebook", "tqdm"),
];

/// The advice for a module: of its own name, or of a package that it lies in.
fn advice(table: &[(&[&str], &'static str)], module: &str) -> Option<&'static str> {
    let is_within =
        |name: &&str| module.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    table.iter().find(|(names, _)| names.iter().any(is_within)).map(|(_, advice)| *advice)
}

/// The last finder on `sys.meta_path`.
#[pyclass(module = "attn", name = "AbsentFinder")]
#[derive(Debug, PyPayload)]
struct AbsentFinder {}

#[pyclass]
impl AbsentFinder {
    #[pymethod]
    fn find_spec(&self, name: PyStrRef, _rest: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let text = name.as_wtf8().to_string_lossy().into_owned();
        let top = text.split('.').next().unwrap_or_default();
        if let Some(advice) = advice(LATER, &text) {
            let later = vm.import("_later", 0)?;
            return later.get_attr("spec", vm)?.call((name, advice), vm);
        }
        if let Some((_, target)) = SAME.iter().find(|(name, _)| *name == text) {
            let later = vm.import("_later", 0)?;
            return later.get_attr("same", vm)?.call((name, *target), vm);
        }
        // `from torch.nn import Conv3d` asks here for a module, once `torch.nn` has no such name.
        if top == "torch" && text != top {
            vm.import("torch._names", 0)?;
            let names = vm.sys_module.get_attr("modules", vm)?.get_item("torch._names", vm)?;
            let error = names.get_attr("imported", vm)?.call((name,), vm)?;
            return match error.downcast::<PyBaseException>() {
                Ok(error) => Err(error),
                Err(none) => Ok(none),
            };
        }
        let Some(advice) = advice(NEVER, &text) else {
            return Ok(vm.ctx.none());
        };
        let error = vm.new_exception_msg(
            vm.ctx.exceptions.module_not_found_error.to_owned(),
            format!("No module named '{top}' ({advice})").into(),
        );
        error.as_object().set_attr("name", vm.ctx.new_str(top), vm)?;
        Err(error)
    }
}

/// Puts the finder behind all others.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    AbsentFinder::make_static_type();
    let finders = vm.sys_module.get_attr("meta_path", vm)?;
    if let Some(finders) = finders.downcast_ref::<PyList>() {
        finders.borrow_vec_mut().push(AbsentFinder {}.into_ref(&vm.ctx).into());
    }
    Ok(())
}
