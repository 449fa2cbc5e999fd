"""What to say about names that are not here."""

import _torch
from numpy._kinds import _ABSENT as _DTYPES, _PYTHONS

# Families of names that are left out, with the words that say so.
_FAMILIES = {
    "masked arrays": "ma",
    "polynomials": "polynomial poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander",
    "Fourier transforms": "fft",
    "window functions": "bartlett blackman hamming hanning kaiser",
    "plans of contractions": "einsum_path",
    "matrices (use arrays)": "matrix mat asmatrix bmat",
    "arrays of records": "recarray rec record",
    "NumPy's own inner modules": "lib core",
}
# Names that are left out, and what to use.
_INSTEAD = {
    "numpy": {
        "loadtxt": "load()", "genfromtxt": "load()", "savetxt": "save()", "rot90": "flip() and transpose()",
        "kron": "outer() and reshape()", "divmod": "the builtin divmod()", "intersect1d": "isin()", "can_cast": "promote_types()",
        "union1d": "unique(concatenate(..))", "array_repr": "repr()", "gradient": "diff()",
        "digitize": "searchsorted()", "ix_": "a[rows][:, columns]", "s_": "slice()", "diag_indices": "arange()", "geterr": "seterr()",
        "r_": "concatenate()", "c_": "column_stack()", "frombuffer": "array(list(buffer))",
        "nansum": "sum() of a[~isnan(a)]", "nanmean": "mean() of a[~isnan(a)]", "nanstd": "std() of a[~isnan(a)]",
        "nanmax": "max() of a[~isnan(a)]", "nanmin": "min() of a[~isnan(a)]", "ptp": "max() and min()", "delete": "a mask: a[keep]",
        "iinfo": "torch.iinfo()", "left_shift": "a * 2**n", "right_shift": "a // 2**n",
        "insert": "concatenate()", "array_str": "array2string()", "shares_memory": "a.base", "isscalar": "ndim()",
        "iscomplexobj": "dtype.kind", "vdot": "dot() and conj()", "partition": "sort()",
    },
    "numpy.ndarray": {
        "ptp": "max() and min()", "ctypes": "tolist()", "data": "tobytes()", "dump": "numpy.save()",
        "dumps": "tobytes()", "tostring": "tobytes()", "setflags": "copy()", "itemset": "a[index] = value",
    },
    "numpy.linalg": {
        "eig": "eigh() for symmetric matrices", "eigvals": "eigvalsh() for symmetric matrices", "lstsq": "pinv(a) @ b",
        "slogdet": "det()", "cond": "svd(x, compute_uv=False)", "matrix_power": "a @ a", "cholesky": "eigh()",
    },
    "numpy.random": {
        "multinomial": "choice(.., p=)", "binomial": "random(n) < p", "gumbel": "-log(-log(uniform()))",
        "exponential": "-log(uniform())", "random_integers": "randint()", "ranf": "random()", "sample": "random()",
    },
}


def missing(place, name, known):
    """The error for `place.name`, where `known` are the names that there are."""
    text = f"'{place}' object" if place == "numpy.ndarray" else f"module '{place}'"
    text += f" has no attribute '{name}'"
    if name in _INSTEAD[place]:
        return AttributeError(f"{text} in attn: use {_INSTEAD[place][name]}")
    if place == "numpy":
        for what, names in _FAMILIES.items():
            if name in names.split():
                return AttributeError(f"{text} in attn: {what} are not part of its numpy")
        if name in _DTYPES or name == "string_":
            return AttributeError(
                f"{text} in attn: its arrays have the dtypes bool, int8 to int64, uint8 to uint32, float16, float32, float64, complex64 "
                "and complex128"
            )
        if name in _PYTHONS:
            return AttributeError(
                f"{text}.\n`np.{name}` was a deprecated alias for the builtin `{name}`. "
                f"To avoid this error in existing code, use `{name}` by itself."
            )
    return AttributeError(text + _torch._suggestion(name, [*known]))
