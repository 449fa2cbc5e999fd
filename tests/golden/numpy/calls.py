# %% calls in their spellings
import numpy as np
import warnings
warnings.simplefilter("ignore")
a = np.arange(12.0).reshape(3, 4)
i = np.arange(6).reshape(2, 3)
f = np.array([1.5, -2.25, 3.0], dtype=np.float32)
h = np.array([1.5, 2.5], dtype=np.float16)
b = np.array([True, False, True])
z = np.zeros((0, 3))
s = np.array(5)
n = np.array([1.0, np.nan, -np.inf])
u8 = np.array([200, 100], dtype=np.uint8)



def put(*args):
    made = a.copy()
    np.put_along_axis(made, *args)
    return made


calls = """
np.zeros(3); np.zeros((2,3), dtype=int); np.zeros((2,2), np.float32); np.zeros([2,1]); np.ones((2,));
np.ones(2, dtype=bool); np.empty((0,2)).shape; np.full((2,2), 7); np.full(3, 1.5, dtype=int);
np.full((2,3), [1,2,3]); np.full((2,2), np.float32(2))
np.zeros(-1); np.zeros((2,-3)); np.zeros("a"); np.zeros(2.5); np.zeros((2, 2.5)); np.zeros(2, dtype="foo");
np.full((2,2),[1,2,3])
np.zeros_like(i); np.ones_like(f); np.full_like(i, 2.7); np.zeros_like([1,2]); np.zeros_like(a, dtype=bool);
np.empty_like(b).shape; np.ones_like(i, shape=(2,))
np.arange(5); np.arange(2, 10, 3); np.arange(0, 1, 0.25); np.arange(5.0); np.arange(5, 0, -2); np.arange(0);
np.arange(1, 2, 0.3); np.arange(3, dtype=np.float32); np.arange(0, 1, 0.1, dtype=np.float32); np.arange(3.7);
np.arange(5, dtype=np.int8); np.arange(0.5, 4, dtype=int); np.arange(stop=3); np.arange(1, 5, 0); np.arange();
np.arange(True); np.arange(np.int64(3)); np.arange(np.float32(2)); np.arange(10, 0)
np.linspace(0, 1, 5); np.linspace(0, 1, 5, endpoint=False); np.linspace(1, 1, 3); np.linspace(0, 10, 4, dtype=int);
np.linspace(2, 3, 1); np.linspace(0, 1, 0); np.linspace(0, 1, -1);
np.linspace(5, 0, 3, dtype=np.float32); np.linspace(np.float32(0), 1, 3)
np.eye(3); np.eye(2, 3, 1); np.eye(3, k=-1, dtype=int); np.identity(2); np.identity(2, dtype=bool);
np.eye(2, dtype=np.float32)
np.array([1,2,3]); np.array([[1,2],[3,4.5]]); np.array(3); np.array([True, 2]); np.array([1,2], dtype=float);
np.array([1,2], ndmin=3); np.array([]); np.array([[1],[2,3]]); np.array(range(3)); np.array((1,2));
np.array([a[0], a[1]]); np.array([1,2], copy=False); np.asarray(i) is i; np.asarray(i, dtype=float) is i;
np.array([1.7, 2.2], dtype=int); np.array("a").shape; np.array(["a","bc"]); np.array([1,2], foo=3)
np.ascontiguousarray(a.T).flags.c_contiguous; np.ascontiguousarray(3);
np.copy(i); np.copy(a.T).strides
a.reshape(4,3); a.reshape((2,-1)); a.reshape(-1); a.reshape(5,2); a.reshape(-1,-1);
np.reshape(a, 12).shape; np.reshape(a, (6,-1)).shape; s.reshape(1,1); z.reshape(3,0).shape;
a.reshape(np.int64(3), 4).shape; a.reshape([12]).shape; np.reshape([1,2,3,4],(2,2)); a.reshape(2.0, 6)
a.ravel(); a.T.ravel(); a.flatten(); np.ravel([[1,2],[3,4]]);
a.transpose().shape; a.transpose(1,0).shape; a.transpose((1,0)).shape; np.transpose(a, (0,1)).shape;
np.transpose([[1,2]]); a.transpose(0); a.transpose(0,0); a.transpose(0,5); a.transpose(None).shape;
np.swapaxes(a,0,1).shape; a.swapaxes(0,-1).shape; np.moveaxis(np.zeros((2,3,4)),0,-1).shape;
np.moveaxis(np.zeros((2,3,4)),[0,1],[-1,-2]).shape; np.moveaxis(a,[0,1],[0])
np.squeeze(np.zeros((1,3,1))).shape; np.squeeze(np.zeros((1,3,1)),0).shape; np.squeeze(a, 0);
np.zeros((1,1)).squeeze(); np.zeros((1,2)).squeeze(axis=(0,)).shape; np.expand_dims(a,0).shape;
np.expand_dims(a,-1).shape; np.expand_dims(a,(0,3)).shape; np.expand_dims(a, 5); np.expand_dims(3, 0)
np.concatenate([a,a]).shape; np.concatenate((i,i),axis=1); np.concatenate([i,f.reshape(1,3)]);
np.concatenate([[1,2],[3]]); np.concatenate([a,i]); np.concatenate([]); np.concatenate([a,[1]]);
np.concatenate([1,2]); np.concatenate([a,a],axis=2); np.concatenate([i,i],axis=None); np.concatenate([b,b]);
np.concatenate([i,i],dtype=np.float32)
np.stack([v,v]); np.stack([v,v],axis=1); np.stack([v,v],axis=-1); np.stack([v,i]); np.stack([]);
np.stack([v,v],axis=3); np.stack([1,2]); np.vstack([v,v]); np.vstack(([1,2],[[3,4]])); np.hstack([v,v]);
np.hstack([i,i]); np.hstack([1,2]); np.column_stack([v,v]); np.column_stack([i.T,[1,2,3]]); np.vstack([]);
np.vstack([v, [1,2]])
np.split(np.arange(6),3); np.split(np.arange(5),2); np.array_split(np.arange(5),2); np.split(np.arange(6),[2,4]);
np.split(a,2,axis=1); np.array_split(np.arange(3),5); np.split(np.arange(6),[2,10]); np.array_split(v, 0)
np.tile(v,2); np.tile(v,(2,1)); np.tile(i,(2,2)); np.tile(3,4); np.tile(i,2); np.repeat(v,2); np.repeat(i,2,axis=0);
np.repeat(v,[1,0,2]); np.repeat(v,[1,2]); np.repeat(3,4); i.repeat(2); np.repeat(i,[1,2,3],axis=1);
np.repeat(v, 2, axis=3)
np.roll(v,1); np.roll(i,1); np.roll(i,1,axis=0); np.roll(i,(1,2),axis=(0,1)); np.roll(v,-5);
np.broadcast_to(v,(2,3)); np.broadcast_to(v,(2,2)); np.broadcast_to(1,(2,)); np.broadcast_to(i,(3,)); np.ndim(3);
np.ndim(a); np.shape([[1,2]]); np.size(a); np.size(a,1); np.size([1,2]); np.atleast_1d(3); np.atleast_2d([1,2]);
np.atleast_1d(1,[2])
a.item(3); s.item(); a.item(); a.item(100); i.item(-1); v.item(0);
b.item(0)
a.astype(int); f.astype(np.float64); b.astype(int); v.astype(bool); n.astype(bool);
a.astype(float) is a; a.astype(float, copy=False) is a; a.astype("nope")
np.sum(a); a.sum(axis=0); a.sum(1,keepdims=True); np.sum([1,2,3]); np.sum(b); np.sum(f); i.sum(dtype=float);
np.sum(a,axis=(0,1)); np.sum(a,axis=2); np.sum(a,axis=(0,0)); np.sum(z); np.sum(z,axis=0); np.sum(3);
a.sum(axis=-1); np.sum(a, foo=1); np.sum(); np.sum(h); np.sum(a, axis=None, keepdims=True);
a.sum(0, None, None, True); np.sum([[1,2],[3]])
np.prod(v); np.prod(a,axis=1); np.prod([]); np.prod(f); i.prod(axis=0); np.prod(b); np.prod(a,axis=(0,1));
np.prod(a[1:],axis=(0,1),keepdims=True)
np.mean(a); a.mean(0); a.mean(axis=1,keepdims=True); np.mean(i); np.mean(f); np.mean(h); np.mean(b); np.mean(z);
np.mean(z,axis=0); np.mean([1,2]); np.mean(3); a.mean(dtype=np.float32); np.mean(a,axis=(0,1)); np.mean(a, axis=5)
np.std(a); a.std(0); np.std(a,ddof=1); np.var(f); np.std(h); np.var(i,axis=1); np.var(z); np.std([1]);
np.std([1],ddof=1); a.var(axis=0,keepdims=True); np.var(b); np.std(3.0); np.var(a, dtype=np.float32)
np.max(a); a.max(0); a.min(axis=1,keepdims=True); np.max([]); np.max(z,axis=0);
np.max(z,axis=1); np.min(n); np.max(v); np.max(b); np.amax(f); np.amin(i,axis=0); np.max(3);
np.max(a,axis=(0,1)); np.max(a, axis=3); np.min(s); max(v); np.max([1,2.5])
np.any(b); np.all(b); np.any(a>5,axis=0); np.all(a>=0,axis=1,keepdims=True); np.any([]); np.all([]); np.any(3);
b.any(); b.all(); np.all(a, axis=(0,1)); np.any(n); np.all([[True,False],[True,True]],axis=0)
np.argmax(a); a.argmax(0); a.argmin(axis=1); np.argmax([]); np.argmax(z,axis=0); np.argmax(b); np.argmax(n);
np.argmax(v,keepdims=True); np.argmax(i,axis=1,keepdims=True); np.argmin([3,1,2]); np.argmax(3); np.argmax(a,axis=2);
type(np.argmax(v)).__name__
np.cumsum(v); np.cumsum(i); np.cumsum(i,axis=1); i.cumsum(0); np.cumprod(v); np.cumsum(b); np.cumsum(3);
np.cumsum(i,axis=4); np.cumsum(v,dtype=float); np.count_nonzero(i); np.count_nonzero(i,axis=0);
np.count_nonzero([0,1]); np.count_nonzero(i,axis=1,keepdims=True)
np.sort(v); np.sort(a[::-1],axis=0); np.sort([3,1,2]); np.sort(i,axis=None); np.sort(n); np.sort(["b","a"]);
np.argsort(v); np.argsort([[3,1],[2,5]],axis=0); v.argsort(); np.sort(v,kind="stable"); np.sort(v,kind="x");
np.sort(3); np.sort(v,axis=1); np.argsort(-v); np.argsort(v)[::-1]; np.argpartition(v,1)[:1]; np.sort(b)
np.where(v>1); np.where(v>1,v,0); np.where(b,1.5,0); np.where([True,False],[1,2],[3,4]); np.where(v>1,1);
np.where(b,i,v).shape; np.where(b,[1,2],3); np.where(True,1,2); np.where(i>2,-np.inf,i);
np.where(b, i, a); np.where(i)
np.nonzero(v>1); np.nonzero(i); i.nonzero(); np.flatnonzero(i); np.argwhere(i>2); np.nonzero(a[0]); np.argwhere(b)
np.take(v,[0,2]); np.take(a,1); np.take(a,[0,1],axis=1); np.take(a,0,axis=0); v.take([0,-1]); np.take(v,5);
np.take(a,[[0,1],[2,3]]).shape;
np.take(v,1); np.take([4,5,6],[1]); np.take(v,[-4]); np.take(i, [0, 5], axis=1)
np.take_along_axis(i,np.argsort(i,axis=1),axis=1); np.take_along_axis(a,np.array([[1],[0],[2]]),1);
np.take_along_axis(a,np.array([1]),1); np.take_along_axis(a,np.array([[9]]),1);
np.take_along_axis(v,np.array([0,-1]),0); np.take_along_axis(a,np.array([[1.0]]),1)
put(np.array([[1],[0],[2]]), 9.0, 1); put(np.array([[0],[2]]), 9.0, 1); put(np.array([[1]]), 5, 1); put(np.array([[2, 0, 1, 1]]), -1, 0);
put(np.array([0, 1]), 1, 0); put(np.array([[7]]), 1, 1); np.interp([0, 1, 2], [1], [5]); np.interp([0, 1, 2], [1, 2], [5, 7]);
np.nan_to_num(np.float64("nan"), nan=3.0); np.nan_to_num(f / 0, posinf=8.0); np.median([]); np.median(z, axis=0); a == None; a != None;
np.searchsorted([1,2,3],2); np.searchsorted([1,2,3],[0,2,9]); np.searchsorted([1,2,3],2,side="right");
np.searchsorted([1,2,3],2,side="x"); np.isin(v,[1,2]); np.isin(i,[1]); np.isin(v,[1],invert=True); np.isin(3,[3]);

np.clip(a,2,5); a.clip(0,1); np.clip(v,None,2); np.clip(v,2,None); np.clip(v,None,None); np.clip(3,0,2);
np.clip(i,0.5,2); a.clip(min=3); a.clip(max=3); np.clip(v,[1,2,3],3); np.clip(n,-1,1); np.clip(7.5,0,1);
type(np.clip(3,0,2)).__name__; np.clip(a,0); np.clip(v,1,2,out=v.copy())
np.round(2.5); np.round([1.234,5.678],2); np.round(i); np.round(f,1); np.round(1234,-2); np.round([15,25],-1);
a.round(); np.around(0.5); np.round(np.float32(1.26),1); np.round(123.456,-1); np.round(True)
a @ a.T; a @ a; v @ v; np.matmul(a,v); np.matmul(3,a); np.matmul(np.ones((2,3,4)),np.ones((2,4,5))).shape;
np.matmul(np.ones((2,3,4)),np.ones((3,5))); i @ v; b @ b; np.dot(a,a.T); np.dot(v,v); np.dot(3,v); np.dot(a,v);
a.dot(a.T).shape; np.dot(np.ones((2,3)),np.ones((4,3,5))).shape; [1,2,3] @ v; np.dot([1,2],[3,4]); np.dot(2,3);
f @ f; a @ 3
np.inner(v,v); np.inner(i,i); np.inner(a,v); np.inner(3,v); np.outer(v,v); np.outer(i,v).shape; np.outer([1,2],[3]);
np.tensordot(a,a,axes=([0],[0])).shape; np.tensordot(a,a.T,1).shape;
np.tensordot(i,i,2); np.tensordot(a,i,1); np.tensordot(v,v,0)
np.einsum("ij,jk->ik",a,a.T); np.einsum("ii",np.eye(3)); np.einsum("ij->j",i); np.einsum("i,j",v,v);
np.einsum("...ij,...jk->...ik",np.ones((2,2,3)),np.ones((2,3,4))).shape; np.einsum("ij,jk->il",a,a.T);
np.einsum("ij",v); np.einsum("i",a); np.einsum("ij,ij",a,a); np.einsum("ij",a,a); np.einsum("ij,jk",a);
np.einsum("i,i->",b,b);
np.einsum("bhqd,bhkd->bhqk",np.ones((1,2,3,4)),np.ones((1,2,3,4))).shape
np.diag(v); np.diag(i); np.diag(a,1); np.diag(v,-1); np.diag(3); np.diagonal(a); a.diagonal(1); np.diagonal(v);
np.trace(np.eye(3)); np.trace(i); i.trace(); np.tril(np.ones((3,3))); np.triu(a,1); np.tril(v); np.tri(3);
np.tri(2,3,1); np.tri(3,dtype=int); np.tri(2,k=-1); np.triu(np.full((2,2),-np.inf),k=1);
np.tril(np.ones((2,2,2)))[0]; np.triu_indices(3,1); np.tril_indices(2); np.fill_diagonal(np.zeros((2,2)),1)
np.logspace(0,2,3); np.meshgrid([1,2],[3,4]);
np.flip(v); np.flip(i,axis=1); np.append(v,4);
np.pad(v,1); np.pad(i,((1,0),(0,1))); np.unique([3,1,1]); np.unique(v,return_counts=True); np.median(a);
np.percentile(a,50); np.average(v,weights=[1,2,3]);
np.cov(a).shape; np.corrcoef(v,[1,2,3]); np.histogram([1,2,2]); np.bincount(v); np.diff(v);
np.convolve(v,[1,1]); np.interp(1.5,[1,2],[10,20]); np.allclose(a,a); np.array_equal(v,v);
np.isclose(1,1+1e-9); np.broadcast_shapes((2,1),(3,));
np.unravel_index(5,(2,3)); np.add.reduce(v); np.add.at(v.copy(),[0],1); np.add.outer(v,v);
np.maximum.reduce(i); np.logical_and.reduce(b); np.add.reduce(i, axis=1);
np.average(i)
np.exp(v); np.add(v,1,out=np.zeros(3)); np.divide(1.0,v,where=v>1,out=np.zeros(3)); np.sqrt(a).sum();
np.maximum(v,2); np.float64(3).sum(); np.float32(2).mean(); np.int64(3).reshape(1); np.float64(2.5).round();
np.float64(3).max(); np.abs(n); v.tolist(); v.copy(); np.copy(v); a.T.copy().strides; v.fill(3);
v.sort(); v.sum; np.sum.__name__; v.foo; np.zeros(2).fill(1.5); b.sum()
np.arange(2**60, 2**60+3); np.arange(-5, 5, 4); np.arange(5, -5, -3); np.arange(2**62, 2**63-1, 2**61);
np.arange(0, 5, 2, dtype=np.int32); np.arange(10, 0, 3); np.take(np.zeros(0), [0]);
np.take(v, []); np.roll(v, 0); np.einsum("ij->ji", i); np.add(1, 2, 3);
np.exp(v, foo=1); np.exp(v, where=[True, False, True]).shape;
np.add(f, 1.5, out=f); np.logical_not(v); np.exp2(v); np.tanh(v);
np.hypot(3, 4); np.logaddexp(0, 0); ~b; -v; abs(-v); v % 2; v // 2; 7 % v; v ** 2; 2 ** v; v ** -1; v == 2;
v != [3, 1, 0]; v > np.float32(1.5); (v > 1) & (v < 3); divmod(v, 2); v / 0 > 1; np.float32(3) * v;
np.add.reduce([[1, 2], [3, 4]]); np.subtract.outer(v, v); np.multiply.reduce(v);
np.append(i, [[7, 8, 9]], axis=0);
np.vectorize(lambda x: x * 2)(v); np.quantile(v, 0.3);
np.histogram(v, bins=2); np.histogram(v, bins=[0, 2, 4], density=True); np.cov([1, 2, 3], [3, 2, 1]);
np.fill_diagonal(i, 0); np.unravel_index([1, 5], (2, 3)); np.ndenumerate; list(np.ndindex(2, 2));
np.isclose([1, np.inf], [1, np.inf]); np.nan_to_num(n); np.real(v); np.imag(v);
v[::-1]; v[[0, 2]]; v[b]; i[:, 1]; i[..., None].shape;
v[5]; i[0, 7]; v["a"]; i[[0, 1], [1, 2]]; np.array([[1, 2], [3, 4]])[np.array([True, False])]
np.array([1+2j]); np.array([1,2], dtype=complex); np.zeros(2, dtype=complex); np.exp(1j*v); (v*1j).real;
np.sum([1j,2]); np.vstack([[1j],[2]]); np.eye(2,dtype=complex);
np.abs(np.array([3+4j])); v.astype(complex); np.concatenate([np.array([1j]),v])
"""


def each(line):
    """The calls of a line: what is between semicolons outside of brackets."""
    depth, part = 0, ""
    for ch in line:
        depth += (ch in "([{") - (ch in ")]}")
        if ch == ";" and not depth:
            yield part.strip()
            part = ""
        else:
            part += ch
    yield part.strip()


for line in calls.strip().splitlines():
    for call in filter(None, each(line)):
        v = np.array([3, 1, 2])
        try:
            made = eval(call)
            kind = f" {made.dtype}" if hasattr(made, "dtype") else ""
            text = "callable" if callable(made) else f"{type(made).__name__} {made!r}{kind}"
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        print(call, "=>", text)

# %% formatted-scalars-and-numbers-that-are-not-finite
import numpy as np
x = np.float32(.1)
print(f"{x}", "{}".format(x), format(x), f"{np.float16(.1)}", f"{np.float32(1e-5)}", f"{np.bool_(True)}", f"{np.int64(3)}", f"{np.int64(3):04d}")
print(f"{np.float64(.1)}", f"{np.float64(2)}", f"{np.float32('nan')} {np.float32(np.inf)} {x:.3f} {x!s} {x!r}", "%s" % x, str(x))
print(np.array([1e10, np.nan]), np.array([-np.inf, 1e20]), np.where(np.eye(2) == 1, 1e-9, -np.inf), repr(np.array([1e10, np.inf])))
print(np.array([1e10, -2.5e-3, np.nan, -np.inf]), np.array([np.nan, 1e-10 + 1j]), np.array([1e200, np.nan]), np.float32([1e-9, np.nan]))

# %% resized
import numpy as np
a = np.array([[3, 7], [1, 9]])
print(np.resize(a, 7), np.resize(a, (2, 3)), np.resize(a, (3, 4)).dtype, np.resize(2.5, (2, 2)), np.resize([], 3), np.resize(a, (0, 2)).shape)
print(np.resize(["a", "b"], 5), np.resize([True, False, True], (2, 2)))
