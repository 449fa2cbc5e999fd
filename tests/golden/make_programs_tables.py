"""The templates of make_programs.py, by family. Holes are drawn there, against the tensor x."""

# family: (kinds of x, least and most dimensions, share that requires gradients)
F, I, B, D, S, H = "float", "int", "bool", "double", "small", "half"
MIXED = [F] * 6 + [I] * 3 + [B, D, S]
KINDS = {
    "*": (MIXED, 0, 4, 0.1),
    "pointwise": ([F] * 6 + [I, B, D, H], 0, 4, 0.1),
    "views": (MIXED, 0, 5, 0.1),
    "softmax": ([F] * 5 + [D], 0, 4, 0.2),
    "matmul": ([F] * 5 + [I, D], 1, 4, 0.15),
    "einsum": ([F] * 4 + [I, D], 1, 4, 0.1),
    "statistics": ([F] * 4 + [D], 0, 4, 0.1),
    "norms": ([F], 1, 3, 0.1),
    "assignment": (MIXED, 1, 4, 0),
    "inplace": (MIXED, 0, 3, 0),
    "aliasing": (MIXED, 1, 4, 0),
    "indexing": (MIXED, 1, 5, 0.05),
    "printing": ([F] * 5 + [D, H, I, B], 0, 5, 0.2),
    "marks": ([F] * 4 + [D], 0, 4, 1.0),
    "matrices": ([F] * 3 + [I, B], 2, 4, 0.1),
    "losses": ([F], 1, 1, 0),
}

FAMILIES = {
    "pointwise": """x.exp()|torch.log(x.abs() + {p})|x.sqrt()|torch.rsqrt(x.abs() + 1)|x.abs()|-x|x.sign()|torch.sin(x)|x.cos()|x.tanh()|torch.sigmoid(x)|x.relu()|F.gelu(x)|F.silu(x)
        |x.round()|torch.floor(x)|x.ceil()|x.trunc()|x.frac()|x.square()|x.reciprocal()|torch.log1p(x.abs())|x.expm1()|torch.erf(x)|x.pow({k})|x ** {f}|{f} ** x|x.clamp({f}, {p})|x.clamp(min={f})|torch.clamp(x, max={number})
        |F.softplus(x)|F.leaky_relu(x, {p})|F.elu(x)|x.isnan()|torch.isfinite(x / 0)|x.log()|torch.log2(x.abs() + 1)|x.logical_not()|torch.nan_to_num(x / 0)|x.neg()|torch.positive(x)|F.gelu(x, approximate="tanh")|F.logsigmoid(x)
        |x.round(decimals={k})|torch.sinh(x)|x.cosh()|torch.atan(x)|x.tan()|torch.exp2(x)|x.log10()""",
    "arithmetic": """x + {y}|x - {y}|x * {y}|x / {y}|x // {y}|x % {y}|x ** {n}|x + {number}|{number} - x|x * {number}|x / {number}|{number} / x|x // {number}|x % {number}|{number} // x|torch.add(x, {y}, alpha={k})|torch.sub(x, {number})
        |torch.div(x, {y}, rounding_mode="floor")|torch.div(x, {k}, rounding_mode="trunc")|torch.remainder(x, {k})|torch.maximum(x, {y})|torch.minimum({y}, x)|torch.lerp(x, {same}, {p})|torch.addcmul(x, {same}, {same}, value={f})
        |(x + {y}).dtype|(x * {number}).dtype|torch.result_type(x, {y})|({any} + x).shape|x.mul({y}).sum()|torch.where({mask}, x, {number})|torch.where({mask}, x, {same})|x & {y}|x \\| {number}|~x|x ^ {same}|torch.pow(x, {same})|x.true_divide({k})""",
    "comparison": """x == {y}|x != {number}|x < {y}|x >= {number}|{number} > x|torch.eq(x, {y})|x.le({number})|torch.equal(x, {same})|torch.allclose(x.float(), {same}.float())|torch.isclose(x, {same})|(x > {f}).sum()|(x > {f}) & (x < {p})|(x == {same}).all()
        |((x > 0) \\| (x < {f})).any()|torch.logical_and(x, {y})|x.logical_or({same})|torch.logical_xor(x, {y})|(x > 0).float()|~(x > {f})|{number} in x|(x > {f}).any({dim})|(x > {f}).all({dim}, keepdim={flag})|torch.isin(x, {any})""",
    "reductions": """x.sum()|x.sum({dim})|x.sum({dims}, keepdim={flag})|torch.sum(x, dim={dim}, keepdim=True)|x.prod()|x.prod({dim})|x.max()|x.min()|x.max({dim})|torch.min(x, {dim}, keepdim={flag})|x.max(dim={dim}).indices|x.amax({dims})|x.amin({dim}, keepdim={flag})
        |x.argmax()|x.argmin({dim})|x.argmax(dim={dim}, keepdim={flag})|x.any()|x.all({dim})|x.cumsum({dim})|torch.cumprod(x, dim={dim})|x.count_nonzero()|x.sum(dtype={floating})|x.sum(axis={dim})|torch.any(x, dim={dim}, keepdim={flag})|(x > {f}).sum({dim})
        |x.sum({dim}).shape|x.sum(dim={dims}).sum()|torch.count_nonzero(x, dim={dim})|x.aminmax()|x.nansum()|torch.logsumexp(x.float(), {dim})""",
    "statistics": """x.mean()|x.mean({dim})|x.mean({dims}, keepdim={flag})|x.var()|x.var({dim})|x.var(dim={dim}, unbiased=False)|x.std({dim}, keepdim={flag})|torch.std(x, unbiased={flag})|x.var({dims}, correction={n})|x.norm()|x.norm(dim={dim})|torch.norm(x, p=1, dim={dim})
        |x.median()|x.median({dim})|x.float().mean(0, True)|(x - x.mean({dim1}, keepdim=True))|torch.mean(x, dim={dim}, dtype=torch.float64)|x.logsumexp({dims})|F.normalize(x, dim={dim})|torch.linalg.norm(x)|x.norm(p=float("inf"))|torch.var_mean(x, dim={dim})|x.quantile({p} / 2)""",
    "sorting": """x.sort()|x.sort({dim})|torch.sort(x, dim={dim}, descending=True)|x.argsort({dim})|torch.argsort(x, descending={flag}, stable=True)|x.topk({n})|torch.topk(x, {k}, dim={dim})|x.topk({k}, largest=False, dim={dim}).values|x.unique()|torch.unique(x, return_counts=True)
        |torch.unique(x, return_inverse=True)|x.flatten().sort().values|x.kthvalue({k}, dim={dim}).values|x.sort(dim={dim}, stable=True).indices|torch.msort(x)|x.flatten().unique_consecutive()""",
    "softmax": """x.softmax({dim})|torch.softmax(x, dim={dim})|F.softmax(x, dim={dim})|x.log_softmax({dim})|F.log_softmax(x, dim={dim})|x.softmax({dim}).sum()|x.softmax({dim1}).sum({dim1})|torch.softmax(x * {p}, {dim})|x.masked_fill({mask}, float("-inf")).softmax({dim})
        |torch.softmax(x, -1, dtype=torch.float64)|torch.logsumexp(x, {dim}, keepdim={flag})|x.exp() / x.exp().sum({dim1}, keepdim=True)|torch.softmax(x / {p}, {dim}).argmax()|F.softmin(x, dim={dim})|x.masked_fill({mask}, -1e9).softmax(-1)""",
    "views": """x.view({shape})|x.reshape({shape})|x.transpose({dim}, {dim})|x.permute({perm})|x.T|x.mT|x.t()|x.squeeze()|x.squeeze({dim})|x.unsqueeze({dim})|x.flatten()|x.flatten({dim}, {dim})|x.expand({expandable})|x.movedim({dim}, {dim})|x.swapaxes({dim}, {dim})
        |x.stride()|x.transpose({dim}, {dim}).stride()|x.transpose({dim}, {dim}).is_contiguous()|x.permute({perm}).contiguous().stride()|x.reshape({shape}).shape|x.narrow({dim}, {n}, {k})|x.select({dim}, {n})|x.unflatten({dim}, ({k}, -1))|x.contiguous().view({shape})
        |x[{index}].stride()|x[{index}].storage_offset()|x.permute({perm}).reshape({shape})|x.transpose({dim}, {dim}).view({shape})|x.unsqueeze({dim}).shape|x.squeeze({dims}).shape|x.view(-1)|x.clone().stride()|x.diagonal()|x.unfold({dim}, {k}, {k})|x.ravel()
        |torch.zeros_like(x).stride()|x.to(torch.float64).stride()|(x + 1).stride()|torch.broadcast_to(x, ({expandable},)).shape|x.is_contiguous(), x.numel(), x.dim(), x.shape|x.element_size() * x.nelement()""",
    "indexing": """x[{index}]|x[{index}]|x[{index}]|x[{index}].shape|x[{index}]|x[x > {f}]|x[{mask}]|x[{n}]|x[-1]|x[..., {slice}]|x[{slice}, {slice}]|x[:, None]|x[{i}].sum()|torch.nonzero(x)|x.nonzero(as_tuple=True)|torch.where(x > {f})|x[x.argmax() % x.shape[0]]|[r.shape for r in x]|list(x)[0]
        |len(x)|torch.index_select(x, {positions})|x.index_select({positions})|torch.gather(x, {along})|x.gather({along})|x.masked_select({mask})|torch.take(x, torch.tensor([0, -1]))|x.flatten()[{slice}]|x[x.bool()]|torch.argwhere(x)""",
    "assignment": """!x[{index}] = {number}|!x[{index}] = {number}|!x[{index}] += 1|!x[{index}] *= {number}|!x[{mask}] = {number}|!x[{n}] = {y}|!x[{index}] = x[{index}]|!x[..., {slice}] = {number}|!x[{slice}] = {number}|!x[x > {f}] = {number}|!x[:] = {y}|!x[{index}] = torch.tensor({number})
        |x.masked_fill({mask}, {number})|!x.masked_fill_({mask}, {number})|!x.index_fill_({positions}, {i})|x.scatter({along}, {i})|!x.scatter_({along}, {number})|x.index_fill({positions}, {f})|!x[[0]] = {number}|x.index_add(0, torch.tensor([0]), x[-1:])|x.scatter_add({along}, {same})|x.masked_scatter({mask}, {same})""",
    "inplace": """!x.add_({number})|!x.mul_({y})|!x.sub_({y}, alpha={k})|!x.div_({k})|!x += {number}|!x *= {y}|!x -= {y}|!x /= {p}|!x //= {k}|!x **= {k}|!x %= {k}|!x.neg_()|!x.abs_()|!x.clamp_({f}, {p})|!x.fill_({number})|!x.zero_()|!x.copy_({y})|!x.relu_()|!x.exp_()|!x.sqrt_()|!x.round_()|!x.pow_({k})
        |!x.t_()|!x.squeeze_()|!x.unsqueeze_({dim})|!x.transpose_({dim}, {dim})|!x.tril_({i})|!x.triu_()|!x.logical_not_()|!x.sigmoid_()|!x.tanh_()|!x.floor_()|!x.eq_({number})|!x.lt_({f})|!x &= {same}|!x \\|= {same}|!x.masked_fill_(x > {f}, {number})|!x.cumsum_({dim})|!x.lerp_({same}, {p})""",
    "aliasing": """!v = x.view(-1); v[0] = {number}|!v = x[{n}]; v += 1|!v = x.T; v[0] = {number}|!v = x[{slice}]; v.fill_({number})|!v = x.clone(); v.zero_()|!v = x.reshape({shape}); v[0] = {i}|!v = x.transpose(0, -1); v *= 2|!v = x.flatten(); v[-1] = {i}|!v = x.detach(); v.add_(1)|!v = x.unsqueeze(0); v[0, 0] = {i}
        |!v = x.contiguous(); v[0] = {i}|!v = x.to(x.dtype); v.zero_()|!v = x.diagonal(); v.fill_({i})|!v = x.expand_as(x); v[0] = {i}|!a, *b = x.split(1); a.mul_(3)|!a = x.chunk(2, -1)[-1]; a.fill_({i})|!a = x.unbind(0)[-1]; a.sub_(1)|!x = x[..., {slice}]|!x = x.permute({perm})|!v = x[{index}]; v += 1|!v = x.data; v.neg_()
        |!y = x; y += 1|!y = x; y = y + 1|!x = x.T; x[0] = {i}|!v = x.narrow(0, 0, 1); v.zero_()|!v = x.squeeze(); v.add_(2)|!v = x.movedim(0, -1); v[..., 0] = {i}|x.stride(), x.storage_offset()|!x[0], x[-1] = x[-1], x[0]|!v = x[[0]]; v.zero_()|!v = x.swapaxes(0, -1)[0]; v.copy_(v * 2)""",
    "joining": """torch.cat([x, x], {dim})|torch.cat([x, {same}], dim={dim})|torch.stack([x, x], {dim})|torch.stack((x, {same}), dim={dim})|torch.cat([x, {any}])|x.split({sizes})|torch.split(x, {sizes})|x.chunk({k}, {dim})|x.unbind({dim})|torch.hstack([x, x])|torch.vstack([x, x])|x.repeat({k})|x.repeat({k}, {k}, {k}, {k}).shape
        |x.repeat_interleave({k}, {dim})|torch.repeat_interleave(x, {k})|x.tile({k})|torch.tile(x, ({k}, {k}))|x.flip({dim})|torch.flip(x, {dims})|x.roll({i})|torch.roll(x, {i}, {dim})|F.pad(x, ({k}, {n}))|F.pad(x, (1, 0, 0, 1), value={f})|torch.stack(list(x))|torch.cat(list(x))|torch.cat([x[:1], x])|[t.shape for t in x.split({sizes})]
        |torch.broadcast_tensors(x, {y})|torch.meshgrid(torch.arange({k}), torch.arange({k}), indexing="ij")|torch.concat([x.float(), {same}], {dim})|torch.block_diag(x, x)|torch.stack([x, x]).sum({dim})|torch.cat([x.unsqueeze(0)] * {k}).shape""",
    "matmul": """x @ {right}|torch.matmul(x, {right})|x @ x.transpose(-1, -2)|x.transpose(0, -1) @ x|torch.mm(x, {right})|torch.bmm(x, {right})|x.mv({right})|torch.dot(x, {same})|torch.outer(x, {same})|({right}.T @ {right}).shape|x.matmul(x.mT) / {p}|(x @ {right}).shape|torch.inner(x, {same})|x @ x|F.linear(x, torch.ones({k}, x.shape[-1], dtype=x.dtype))
        |torch.tensordot(x, {right}, dims=1)|F.linear(x, {same})|(x @ {right}).stride()|x[..., ::2] @ x[..., ::2].mT|torch.addmm(torch.zeros(1, dtype=x.dtype), x, {right})|torch.cdist(x, x)|(x @ x.mT).diagonal(dim1=-2, dim2=-1)|torch.chain_matmul(x, x.T, x)|x.T @ x|torch.baddbmm(torch.zeros(1, 1, 1), x, {right}, alpha={p})""",
    "einsum": "torch.einsum({equation})|torch.einsum({equation})|torch.einsum({equation}).shape|torch.einsum('...i,...i->...', x, {same})|torch.einsum('...ij->...ji', x)|torch.einsum('i...->...', x)|torch.einsum('...i,ij->...j', x, {right})|torch.einsum('ii->i', x)|torch.einsum('ij,ij->', x, {same})",
    "matrices": """torch.tril(x)|x.triu({i})|x.tril(diagonal={i})|torch.triu(x, diagonal=1).bool()|torch.diag(x)|x.diagonal({i})|x.diagonal(0, -2, -1)|x.trace()|torch.eye({k}, {n})|x.masked_fill(torch.ones(x.shape[-2:]).triu(1).bool(), {f})|torch.diag(x.flatten()[:3])|torch.tril(torch.ones({n}, {n}))|torch.ones({k}, {k}).triu({i}) == 0
        |x.float().det() if x.dim() == 2 else 0|torch.diag_embed(x).shape|torch.tril_indices({k}, {k}, {i})|torch.trace(x.float())|x.fill_diagonal_({i})|x.norm() if x.is_floating_point() else 1""",
    "creation": """torch.arange({n})|torch.arange({i}, {n})|torch.arange({f}, {p}, 0.25)|torch.arange({n}, {i}, -1)|torch.linspace({f}, {p}, {n})|torch.linspace({i}, {k}, steps={k}, dtype=torch.float64)|torch.zeros({n}, {k})|torch.ones(({k}, {n}), dtype={dtype})|torch.full(({k},), {number})|torch.full_like(x, {number})|torch.zeros_like(x, dtype={dtype})
        |torch.ones_like(x)|torch.eye({n})|torch.tensor({number})|torch.tensor([{number}, {number}])|torch.tensor([[{number}], [{number}]])|torch.tensor([{number}, {number}], dtype={dtype})|x.new_zeros({k})|x.new_full((2,), {number})|torch.as_tensor([{number}])|torch.arange({p})|torch.zeros({i}, {k})|torch.empty({n}, 0)|torch.tensor([x.sum(), {number}])
        |torch.full((), {number})|torch.arange({k}, dtype={dtype})|torch.arange({k}) / {k}|x.new_tensor([{number}])|torch.tensor(x.tolist())|torch.zeros(x.shape)""",
    "conversions": """x.tolist()|x.item()|x.to({dtype})|x.type({dtype})|x.float()|x.long()|x.bool()|x.double().dtype|x.half()|x.int()|x.dtype|x.shape|x.size({dim})|x.numel()|x.sum().item()|float(x.sum())|int(x.flatten()[0])|bool(x.any())|x.to(torch.float64) + x|len(x)|x.type()|str(x.dtype)|tuple(x.shape)|x.shape[{i}]|x.ndim|x.device|x.is_floating_point()
        |f"{x.sum()}"|f"{x.float().mean():.{k}f}"|repr(x)|f"{x!s}"|[x]|(x, x.shape)|{"x": x}|"%s" % x|f"{x.flatten()[0]:8.2f}\\|" if x.numel() else 0|format(x.float().sum(), ".3e")|x.max().item()|[v.item() for v in x.flatten()]|[float(v) for v in x.flatten()]|x.element_size()|torch.is_tensor(x), x.is_leaf, x.requires_grad""",
    "printing": """x|x * 1000|x / 1000|x * 1e5|x / 7|[x, x.shape]|x.sum()|x.float().mean()|x / 0|x.masked_fill({mask}, float("nan"))|x.masked_fill({mask}, float("-inf"))|-x|x.repeat(40)|x.flatten().repeat({k}0)|torch.cat([x.flatten()] * 50)[:{n}00]|x.expand(2, 2, 2, 2, *x.shape[:1]) if x.dim() == 1 else x|x.double() / 3|x.half()|x.bfloat16()|x.to(torch.int64) * 1000|nn.Parameter(x.detach().float())
        |torch.set_printoptions(precision={k})|torch.set_printoptions(linewidth=40)|torch.set_printoptions(sci_mode={flag})|torch.set_printoptions(threshold=5, edgeitems={k})|torch.set_printoptions(profile="short")|torch.set_printoptions(profile="default")|x.detach().requires_grad_()|(x.detach().float().requires_grad_() * 2).sum({dim})|x > {f}|x * 0|x.abs().sqrt()|torch.arange(1200.).view(-1, {k}0) + x.float().sum()""",
    "marks": """x + 1|x * {y}|-x|x.sum()|x.sum({dim})|x.mean({dim})|x.exp()|x / {p}|x ** 2|x.view({shape})|x.reshape({shape})|x.transpose({dim}, {dim})|x.T|x.permute({perm})|x[{index}]|x.unsqueeze({dim})|x.squeeze()|x.softmax({dim})|x @ {right}|torch.cat([x, x], {dim})|torch.stack([x, x])|x.split({sizes})|x.unbind({dim})|x.masked_fill({mask}, {f})|x.max({dim})|x.clone()|x.detach()|x.flatten()|x.expand({expandable})|x.tanh()
        |x.relu()|x.sqrt()|torch.where({mask}, x, 0.)|x.tril()|x.gather({along})|x.index_select({positions})|x.contiguous()|x.double()|x.cumsum({dim})|x.var({dim})|x.norm()|x.clamp({f}, {p})|x.repeat(2, {k}, 1, 1)|x.flip({dim})|x.log_softmax({dim})|x.sort({dim})|x.topk(1)|x.prod()|x.abs()|1 - x|2 / x|x - {y}|x.sigmoid()|F.gelu(x)|x.chunk(2, {dim})|x.diagonal()|x.std()|x.logsumexp({dim})|x.movedim({dim}, {dim})|x.is_leaf, x.requires_grad, x.grad|(x > 0).requires_grad|x.argmax()""",
    "losses": """F.mse_loss(x, {same})|F.l1_loss(x, {same})|F.cross_entropy(x, torch.tensor(0))|F.cross_entropy(x[None], torch.tensor([0]))|F.cross_entropy(torch.stack([x, -x]), torch.tensor([0, {n}]), reduction="{reduction}")|F.cross_entropy(torch.stack([x, x * 2]), torch.tensor([0, -100]))|F.binary_cross_entropy_with_logits(x, {same}.sigmoid())|F.binary_cross_entropy(x.sigmoid(), (x > 0).float())
        |F.nll_loss(x.log_softmax(0)[None], torch.tensor([{n}]))|F.one_hot(torch.tensor([0, {k}]), {n})|F.one_hot(torch.tensor([[{n}, {k}]]))|F.cosine_similarity(x, {same}, dim=0)|F.kl_div(x.log_softmax(0), {same}.softmax(0), reduction="sum")|F.smooth_l1_loss(x, {same})|F.cross_entropy(x, {same}.softmax(0))|F.cross_entropy(x[None], torch.tensor([0]), label_smoothing=0.1)|nn.CrossEntropyLoss(reduction="{reduction}")(torch.stack([x, x]), torch.tensor([0, 0]))""",
    "norms": """F.layer_norm(x, x.shape[-1:])|F.layer_norm(x, x.shape[-1:], torch.ones(x.shape[-1]) * {p}, torch.zeros(x.shape[-1]) + {f})|nn.LayerNorm(x.shape[-1])(x)|nn.LayerNorm({k})(x)|F.normalize(x, dim={dim})|F.normalize(x, p=1, dim={dim})|(x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()|x / x.norm(dim={dim1}, keepdim=True)|F.layer_norm(x, x.shape)|nn.LayerNorm(x.shape, eps={p}, elementwise_affine=False)(x)""",
    "random": """=torch.manual_seed({seed})|torch.rand({n})|torch.rand({k}, {k})|torch.randn({n})|torch.randn({k}, {k}, {k})|torch.randn(17)|torch.randn(4, 5)|torch.randint(0, {k}0, ({k},))|torch.randint({k}, ({n}, 2))|torch.randperm({n})|torch.empty({k}).uniform_({f}, 3)|torch.empty({k}, 2).normal_({f}, {p})|torch.rand_like(x.float())|torch.randn_like(x.double())|torch.normal({f}, {p}, ({k},))|torch.rand({k}, dtype=torch.float64)
        |torch.randn(20, dtype=torch.float64)[:4]|torch.multinomial(torch.tensor([0.1, 0.5, 0.4]), 1 + {k}, replacement=True)|nn.Linear({k}, {k}).weight|nn.Linear({k}, 2).bias|nn.Embedding({k}, 3).weight|torch.randperm(7)[:{k}]|torch.rand({k}, generator=torch.Generator().manual_seed({seed}))|nn.init.xavier_uniform_(torch.empty(2, {k}))|nn.init.normal_(torch.empty({k}), 0, 0.02)|nn.init.kaiming_normal_(torch.empty({k}, 2))|torch.initial_seed()|torch.empty(3).random_({k}, 9)""",
}


def split(table):
    """`a|b` to its parts; a bar inside a template is written `\\|`."""
    parts = table.replace("\\|", "\0").split("|")
    return [p.strip().replace("\0", "|") for p in parts if p.strip()]


FAMILIES = {family: split(table) for family, table in FAMILIES.items()}
