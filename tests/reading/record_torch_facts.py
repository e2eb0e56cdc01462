"""Record what the functions of PyTorch save for the backward pass, and which return views.

    /path/to/python-with-torch -m tests.reading.record_torch_facts

Each function is called with tensors of which some require a gradient. A tensor is saved if a change of it in
place makes the backward pass an error; something is, if a second backward pass is one.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "torch_facts.json"

PLAIN = {
    "a.NAME": ("T mT "),
    "torch.NAME(a)": (
        "abs absolute acos arccos arcsin arcsinh arctan arctanh as_tensor asarray asin asinh atan "
        "atanh ceil celu cos cosh deg2rad digamma erf erfc exp exp2 expm1 fix fliplr flipud floor "
        "frac hardshrink i0 lgamma log log10 log1p log2 negative rad2deg reciprocal relu "
        "resolve_conj round rsqrt selu sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc "
    ),
    "a.NAME()": ("cpu "),
    "F.NAME(a)": (
        "elu gelu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 silu softplus "
        "softshrink softsign tanhshrink "
    ),
}
"""Functions of one tensor, by how they are called."""

CALLS = {
    "acosh": ["torch.acosh(a)"],
    "adaptive_avg_pool2d": ["F.adaptive_avg_pool2d(a[None,None],2)", "F.adaptive_avg_pool2d(a[None,None],1)"],
    "add": ["torch.add(a,b)"],
    "addcdiv": ["torch.addcdiv(a,b,c)"],
    "addcmul": ["torch.addcmul(a,b,c)"],
    "addmm": ["torch.addmm(c,a,b)"],
    "addmv": ["torch.addmv(c[0],a,b[0])"],
    "addr": ["torch.addr(c,a[0],b[0])"],
    "adjoint": ["a.adjoint()"],
    "alpha_dropout": ["F.alpha_dropout(a,0.5)"],
    "amax": ["a.amax(1)", "a.amax()"],
    "amin": ["a.amin(1)"],
    "arccosh": ["torch.acosh(a)"],
    "arctan2": ["torch.arctan2(a,b)"],
    "argsort": ["a.argsort()"],
    "atan2": ["torch.atan2(a,b)"],
    "atleast_1d": ["torch.atleast_1d(a)"],
    "atleast_2d": ["torch.atleast_2d(a)", "torch.atleast_2d(a[0])"],
    "avg_pool1d": ["F.avg_pool1d(a[None],2)"],
    "avg_pool2d": ["F.avg_pool2d(a[None,None],2)"],
    "baddbmm": ["torch.baddbmm(c[None],a[None],b[None])"],
    "batch_norm": [
        "F.batch_norm(a,None,None,b[0],c[0],training=True)",
        "F.batch_norm(a,torch.zeros(3),torch.ones(3),b[0],c[0])",
    ],
    "bfloat16": ["a.bfloat16()"],
    "bilinear": ["F.bilinear(a,b,w3)", "F.bilinear(a,b,c[None])"],
    "binary_cross_entropy": ["F.binary_cross_entropy(a,b)", "F.binary_cross_entropy(a,b,c)"],
    "binary_cross_entropy_with_logits": [
        "F.binary_cross_entropy_with_logits(a,b)",
        "F.binary_cross_entropy_with_logits(a,b,pos_weight=c)",
    ],
    "bmm": ["torch.bmm(a[None],b[None])"],
    "broadcast_to": ["a.broadcast_to((2,3,3))"],
    "cat": ["torch.cat([a,b])"],
    "cdist": ["torch.cdist(a,b)"],
    "chain_matmul": ["torch.chain_matmul(a,b)"],
    "cholesky": ["torch.linalg.cholesky(a)"],
    "chunk": ["a.chunk(3)"],
    "clamp": ["a.clamp(0.2,0.5)", "a.clamp(min=0.2)"],
    "clamp_max": ["a.clamp_max(0.2)"],
    "clamp_min": ["a.clamp_min(0.2)", "torch.clamp_min(a,b)"],
    "clip": ["a.clip(0.2,0.5)"],
    "clone": ["a.clone()"],
    "column_stack": ["torch.column_stack([a,b])"],
    "concat": ["torch.cat([a,b])"],
    "concatenate": ["torch.cat([a,b])"],
    "contiguous": ["a.T.contiguous()", "a.contiguous()"],
    "conv1d": ["F.conv1d(a[None],b[:,:,None])", "F.conv1d(a[None],b[:,:,None],c[0])"],
    "conv2d": ["F.conv2d(a[None,None],b[None,None])", "F.conv2d(a[None,None],b[None,None],c[0,:1])"],
    "conv_transpose1d": ["F.conv_transpose1d(a[None],b[:,:,None])"],
    "conv_transpose2d": ["F.conv_transpose2d(a[None,None],b[None,None])"],
    "cosine_embedding_loss": ["F.cosine_embedding_loss(a,b,torch.ones(3))"],
    "cosine_similarity": ["F.cosine_similarity(a,b)"],
    "cross_entropy": ["F.cross_entropy(a,i0)", "F.cross_entropy(a,b)", "F.cross_entropy(a,i0,b[0])"],
    "ctc_loss": ["F.ctc_loss(a[:,None].log_softmax(-1),i0[:1]*0+1,torch.tensor([3]),torch.tensor([1]))"],
    "cummax": ["a.cummax(0)"],
    "cummin": ["a.cummin(0)"],
    "cumprod": ["a.cumprod(0)"],
    "cumsum": ["a.cumsum(0)"],
    "det": ["a.det()"],
    "detach": ["a.detach()"],
    "diag": ["a.diag()", "a[0].diag()"],
    "diag_embed": ["a.diag_embed()"],
    "diagonal": ["a.diagonal()"],
    "diff": ["a.diff()"],
    "dist": ["torch.dist(a,b)"],
    "div": ["torch.div(a,b)", "torch.div(a,2.0)", "(2.0/a)"],
    "divide": ["torch.divide(a,b)", "torch.divide(a,2.0)"],
    "dot": ["torch.dot(a[0],b[0])"],
    "double": ["a.double()"],
    "dropout": ["F.dropout(a,0.5)", "F.dropout(a,0.5,False)"],
    "dropout1d": ["F.dropout1d(a[None],0.5)"],
    "dropout2d": ["F.dropout2d(a[None],0.5)"],
    "einsum": ["torch.einsum('ij,jk->ik',a,b)", "torch.einsum('ij->i',a)"],
    "embedding": ["F.embedding(i0,a)"],
    "erfinv": ["a.erfinv()"],
    "expand": ["a.expand(2,3,3)"],
    "expand_as": ["a.expand_as(a[None])"],
    "flatten": ["a.flatten()"],
    "flip": ["a.flip(0)"],
    "float": ["a.float()", "a.double().float()"],
    "float_power": ["torch.float_power(a,b)", "torch.float_power(a,2.0)"],
    "floor_divide": ["torch.floor_divide(a,b)"],
    "fmax": ["torch.fmax(a,b)"],
    "fmin": ["torch.fmin(a,b)"],
    "fmod": ["torch.fmod(a,b)", "torch.fmod(a,2.0)"],
    "fold": [
        "F.fold(a[None,:1].expand(1,1,3)[:, :, :1].expand(1,4,1) if 0 else F.unfold(a[None,None],2),(3,3),2)"
    ],
    "gather": ["a.gather(1,i)"],
    "gaussian_nll_loss": ["F.gaussian_nll_loss(a,b,c)"],
    "ger": ["torch.ger(a[0],b[0])"],
    "getitem": ["a[0]", "a[:,1:]"],
    "glu": ["F.glu(torch.cat([a,b],1))"],
    "grid_sample": ["F.grid_sample(a[None,None],g)"],
    "group_norm": ["F.group_norm(a[None],3,b[0],c[0])"],
    "gumbel_softmax": ["F.gumbel_softmax(a)"],
    "half": ["a.half()"],
    "heaviside": ["torch.heaviside(a,b)"],
    "hinge_embedding_loss": ["F.hinge_embedding_loss(a,b)"],
    "hstack": ["torch.hstack([a,b])"],
    "huber_loss": ["F.huber_loss(a,b)"],
    "hypot": ["torch.hypot(a,b)"],
    "index": ["a[i0]", "a[m]"],
    "index_add": ["a.index_add(0,i0,b)"],
    "index_fill": ["a.index_fill(0,i0,1.0)"],
    "index_select": ["a.index_select(0,i0)"],
    "inner": ["torch.inner(a[0],b[0])", "torch.inner(a,b)"],
    "interpolate": [
        "F.interpolate(a[None,None],scale_factor=2)",
        "F.interpolate(a[None,None],scale_factor=2,mode='bilinear')",
    ],
    "inv": ["torch.linalg.inv(a)"],
    "inverse": ["a.inverse()"],
    "kl_div": ["F.kl_div(a,b)"],
    "kron": ["torch.kron(a,b)"],
    "kthvalue": ["a.kthvalue(2)"],
    "l1_loss": ["F.l1_loss(a,b)"],
    "layer_norm": ["F.layer_norm(a,(3,),b[0],c[0])", "F.layer_norm(a,(3,))"],
    "lerp": ["torch.lerp(a,b,0.3)", "torch.lerp(a,b,c)"],
    "linear": ["F.linear(a,b)", "F.linear(a,b,c[0])"],
    "log_softmax": ["a.log_softmax(0)"],
    "logaddexp": ["torch.logaddexp(a,b)"],
    "logcumsumexp": ["a.logcumsumexp(0)"],
    "logdet": ["a.logdet()"],
    "logit": ["a.logit()"],
    "logsumexp": ["a.logsumexp(0)"],
    "margin_ranking_loss": ["F.margin_ranking_loss(a,b,c.sign())"],
    "masked_fill": ["a.masked_fill(m,0.0)"],
    "masked_select": ["a.masked_select(m)"],
    "matmul": ["a@b", "a@b[0]", "a[0]@b", "a[None]@b"],
    "matrix_norm": ["torch.linalg.matrix_norm(a)", "torch.linalg.matrix_norm(a,1)"],
    "max": ["a.max()"],
    "max_dim": ["a.max(1)"],
    "max_pool1d": ["F.max_pool1d(a[None],2)"],
    "max_pool2d": ["F.max_pool2d(a[None,None],2)"],
    "maximum": ["torch.maximum(a,b)"],
    "mean": ["a.mean()", "a.mean(0)"],
    "median": ["a.median()", "a.median(1)"],
    "meshgrid": ["torch.meshgrid(a[0],b[0],indexing='ij')"],
    "min": ["a.min()"],
    "min_dim": ["a.min(1)"],
    "minimum": ["torch.minimum(a,b)"],
    "mm": ["torch.mm(a,b)"],
    "moveaxis": ["a.moveaxis(0,1)"],
    "movedim": ["a.movedim(0,1)"],
    "mse_loss": ["F.mse_loss(a,b)"],
    "msort": ["torch.msort(a)"],
    "mul": ["a*b", "a*2.0"],
    "multi_dot": ["torch.linalg.multi_dot([a,b])"],
    "multiply": ["torch.multiply(a,b)", "torch.multiply(a,2.0)"],
    "mv": ["torch.mv(a,b[0])"],
    "nan_to_num": ["a.nan_to_num()"],
    "nanmean": ["a.nanmean()"],
    "nansum": ["a.nansum()"],
    "narrow": ["a.narrow(0,0,1)"],
    "neg": ["-a"],
    "nll_loss": ["F.nll_loss(a,i0)", "F.nll_loss(a,i0,b[0])"],
    "norm": ["a.norm()", "a.norm(1)", "a.norm(dim=1)", "torch.linalg.norm(a)", "a.norm(3)"],
    "normalize": ["F.normalize(a)"],
    "one_hot": ["F.one_hot(i0)"],
    "outer": ["torch.outer(a[0],b[0])"],
    "pad": ["F.pad(a,(1,1))"],
    "pairwise_distance": ["torch.pairwise_distance(a,b)"],
    "permute": ["a.permute(1,0)"],
    "poisson_nll_loss": ["F.poisson_nll_loss(a,b)"],
    "positive": ["torch.positive(a)"],
    "pow": ["torch.pow(a,b)", "torch.pow(a,2.0)", "torch.pow(2.0,a)"],
    "prelu": ["F.prelu(a,b[0,:1])"],
    "prod": ["a.prod()", "a.prod(1)"],
    "qr": ["torch.linalg.qr(a)[1]"],
    "quantile": ["a.quantile(0.4)", "a.quantile(0.4,dim=0)"],
    "ravel": ["a.ravel()", "a.T.ravel()"],
    "remainder": ["torch.remainder(a,b)", "torch.remainder(a,2.0)", "torch.remainder(2.0,a)"],
    "repeat": ["a.repeat(2,1)"],
    "repeat_interleave": ["a.repeat_interleave(2,0)"],
    "reshape": ["a.reshape(9)", "a.T.reshape(9)"],
    "reshape_as": ["a.reshape_as(b)"],
    "rms_norm": ["F.rms_norm(a,(3,),b[0])", "F.rms_norm(a,(3,))"],
    "roll": ["a.roll(1,0)", "a.roll(1)"],
    "row_stack": ["torch.row_stack([a,b])"],
    "rrelu": ["F.rrelu(a,training=True)", "F.rrelu(a)"],
    "rsub": ["torch.rsub(a,b)", "torch.rsub(a,1.0)"],
    "scaled_dot_product_attention": ["F.scaled_dot_product_attention(a,b,c)"],
    "scatter": ["a.scatter(1,i,b)", "a.scatter(1,i,1.0)"],
    "scatter_add": ["a.scatter_add(1,i,b)"],
    "select": ["a.select(0,0)"],
    "slogdet": ["a.slogdet()[1]"],
    "smooth_l1_loss": ["F.smooth_l1_loss(a,b)"],
    "soft_margin_loss": ["F.soft_margin_loss(a,b)"],
    "softmax": ["a.softmax(0)", "F.softmax(a,1)"],
    "softmin": ["F.softmin(a,1)"],
    "solve": ["torch.linalg.solve(a,b)"],
    "sort": ["a.sort()"],
    "split": ["a.split(1)"],
    "squeeze": ["a[None].squeeze()"],
    "stack": ["torch.stack([a,b])"],
    "std": ["a.std()", "a.std(1)"],
    "std_mean": ["torch.std_mean(a)"],
    "sub": ["torch.sub(a,b)", "torch.sub(a,2.0)"],
    "subtract": ["torch.subtract(a,b)", "torch.subtract(a,2.0)"],
    "sum": ["a.sum()", "a.sum(0)"],
    "sum_to_size": ["a.sum_to_size(3)"],
    "svd": ["torch.linalg.svd(a)[1]"],
    "swapaxes": ["a.swapaxes(0,1)"],
    "swapdims": ["a.swapdims(0,1)"],
    "t": ["a.t()"],
    "take": ["a.take(i)"],
    "take_along_dim": ["a.take_along_dim(i,1)"],
    "threshold": ["F.threshold(a,0.4,0.0)"],
    "tile": ["a.tile((2,))"],
    "to": ["a.to(torch.float64)", "a.to(torch.float32)"],
    "topk": ["a.topk(2)"],
    "trace": ["a.trace()"],
    "transpose": ["a.transpose(0,1)"],
    "tril": ["a.tril()"],
    "triplet_margin_loss": ["F.triplet_margin_loss(a,b,c)"],
    "triu": ["a.triu()"],
    "true_divide": ["torch.true_divide(a,b)", "torch.true_divide(a,2.0)"],
    "type": ["a.type(torch.float64)"],
    "type_as": ["a.type_as(b.double())"],
    "unbind": ["a.unbind()"],
    "unflatten": ["a.unflatten(0,(3,1))"],
    "unfold": ["a.unfold(1,2,1)"],
    "unsqueeze": ["a.unsqueeze(0)"],
    "var": ["a.var()", "a.var(1)"],
    "var_mean": ["torch.var_mean(a)"],
    "vdot": ["torch.vdot(a[0],b[0])"],
    "vector_norm": ["torch.linalg.vector_norm(a)"],
    "view": ["a.view(9)"],
    "view_as": ["a.view_as(b)"],
    "vstack": ["torch.vstack([a,b])"],
    "where": ["torch.where(m,a,b)", "torch.where(m,a,0.0)"],
    "xlogy": ["torch.xlogy(a,b)", "torch.xlogy(a,2.0)", "torch.xlogy(2.0,a)"],
}
"""Other functions, with one call for each way of calling that saves other things."""


def calls() -> dict[str, list[str]]:
    """Return the calls of each function."""
    plain = {name: [form.replace("NAME", name)] for form, names in PLAIN.items() for name in names.split()}
    return {**plain, **CALLS}


def measured() -> dict[str, dict[str, Any]]:
    """Return what each function saves, by its name, a slash and how many tensors it got."""
    import torch
    import torch.nn.functional as F

    torch.manual_seed(0)
    first = torch.rand(3, 3) * 0.1 + 0.1
    tensors = [(first + first.T) / 2 + 0.65 * torch.eye(3), *(torch.rand(3, 3) * 0.8 + 0.1 for _ in range(2))]
    names = {
        "torch": torch,
        "F": F,
        "m": torch.tensor([[True, False, True], [False, True, True], [True, True, False]]),
        "i": torch.tensor([[0, 1, 2], [1, 0, 2], [2, 1, 0]]),
        "i0": torch.tensor([2, 0, 1]),
        "g": torch.rand(1, 2, 2, 2) * 2 - 1,
        "w3": torch.rand(2, 3, 3),
    }

    def made(call: str, which: str) -> tuple[dict[str, Any], Any]:
        """Return the tensors, of which those need a gradient, and the first result of a call of them."""
        given = {k: x.clone().requires_grad_(k in which).clone() for k, x in zip("abc", tensors, strict=True)}
        torch.manual_seed(1)
        result = eval(call, {**names, **given})
        return given, result[0] if isinstance(result, (tuple, list)) else result

    def differentiable(call: str, which: str) -> bool:
        try:
            made(call, which)[1].sum().backward()
        except RuntimeError:  # not by all of these, or not at all
            return False
        return True

    def fails(call: str, which: str, changed: str) -> bool:
        """Return whether a change of one of the tensors, or of the result, makes the backward pass fail."""
        given, result = made(call, which)
        try:
            (result if changed == "r" else given[changed]).mul_(1.0)
            result.sum().backward()
        except RuntimeError as error:
            return "modified by an inplace" in str(error)
        return False

    def frees(call: str, which: str) -> bool:
        result = made(call, which)[1].sum()
        result.backward()
        try:
            result.backward()
        except RuntimeError:
            return True
        return False

    def depends(call: str, which: str) -> tuple[dict[str, set[str]], bool]:
        """Return what the derivative by each depends on, and whether one cannot be differentiated."""
        given, result = made(call, which)
        found: dict[str, set[str]] = {k: set() for k in which}
        once = False
        asked = [given[k] for k in which]
        try:
            slopes = torch.autograd.grad(result.sum(), asked, create_graph=True, allow_unused=True)
        except RuntimeError:
            return found, False
        for k, slope in zip(which, slopes, strict=True):
            if slope is not None and slope.requires_grad:
                try:
                    again = torch.autograd.grad(slope.sum(), asked, allow_unused=True, retain_graph=True)
                    found[k] = {other for other, one in zip(which, again, strict=True) if one is not None}
                except RuntimeError as error:
                    once |= "not implemented" in str(error)
        return found, once

    def ends(call: str, which: str, weight: Any = 1.0) -> int:
        """Return how often the derivative is differentiated until nothing depends on the tensors; at most 4.

        With a weight that requires a gradient, until nothing depends on what arrives either.
        """
        given, result = made(call, which)
        asked, total = [given[k] for k in which], (weight * result).sum()
        for count in range(4):
            try:
                slopes = torch.autograd.grad(total, asked, create_graph=True, allow_unused=True)
            except RuntimeError:
                return 0
            total = sum(slope.sum() for slope in slopes if slope is not None)
            if not (isinstance(total, torch.Tensor) and total.requires_grad):
                return count
        return 4

    def refuses(call: str, args: str, which: str, kind: str) -> bool:
        """Return whether a call is an error where some of the tensors are bools (b) or whole numbers (i)."""
        given = dict(zip("abc", tensors, strict=True))
        given |= {k: given[k] > 0.4 if kind == "b" else (given[k] * 10).long() + 1 for k in which}
        try:
            eval(call, {**names, **{k: given[k] for k in args}})
        except (RuntimeError, TypeError, IndexError):
            return True
        return False

    facts: dict[str, dict[str, Any]] = {}
    for name, forms in sorted(calls().items()):
        for call in forms:
            args = "".join(k for k in "abc" if re.search(rf"\b{k}\b", call))
            if not args:
                continue
            given, result = made(call, "")
            shared = [x for x in given.values() if x.data_ptr() == result.data_ptr()]
            memory = "itself" if any(x is result for x in shared) else "view" if shared else "copy"
            one = facts.setdefault(
                f"{name}/{'r' if name in REVERSED and '(2.0' in call else len(args)}",
                {
                    "saves": [set() for _ in args],
                    "again": [set() for _ in args],
                    "once": False,
                    "ends": 0,
                    "flat": False,
                    "memory": set(),
                    "refuses": None,
                    "converts": False,
                },
            )
            told = {
                f"{kind}{place}"
                for kind in "bi"
                for place, which in (*enumerate(args), ("*", args))
                if not re.search(OTHER_TENSORS, call) and name not in OF_CLASSES
                if refuses(call, args, which, kind)
            }
            one["refuses"] = told if one["refuses"] is None else one["refuses"] & told
            told_a_dtype = re.sub(r"(\(?)\)$", lambda end: f"{end[1] or ', '}dtype=torch.float32)", call)
            one["converts"] |= "i*" in told and not refuses(told_a_dtype, args, args, "i")
            one["memory"].add("copy" if result.is_contiguous() or shared else "scattered")
            one["memory"].add(memory)
            for size in range(1, len(args) + 1):
                for which in map("".join, itertools.combinations(args, size)):
                    if not differentiable(call, which):
                        continue
                    found, once = depends(call, which)
                    one["once"] |= once
                    one["ends"] = max(one["ends"], ends(call, which))
                    weight = torch.ones((), requires_grad=True)
                    one["flat"] = one["ends"] > 0 and ends(call, which, weight) == one["ends"]
                    for k in which:
                        one["again"][args.index(k)] |= found[k]
                    if size == 1:
                        saved = {k for k in (*args, "r") if fails(call, which, k)}
                        one["saves"][args.index(which)] |= saved or ({"m"} if frees(call, which) else set())
    return {name: {key: _letters(key, value) for key, value in one.items()} for name, one in facts.items()}


OTHER_TENSORS = r"\b(m|i|i0|g|w3)\b|torch\.(ones|zeros)|\.sign"
"""What stands in a call beside the tensors that it may refuse by their dtypes."""

OF_CLASSES = ("cross_entropy", "nll_loss")
"""Functions that get whole numbers of another shape than floats."""

REVERSED = ("pow", "float_power", "div", "remainder", "xlogy")
"""Functions that save other things if their first argument is a number."""


def _letters(key: str, value: Any) -> Any:
    """Return letters for what is saved for each tensor: `o` for every other one, `s` for itself.

    A digit is the place of a tensor among those that the call gets, `r` the result, `m` anything else.
    """
    if key in ("once", "ends", "flat", "converts"):
        return value
    if key == "memory":
        return sorted(value - {"copy"} - ({"scattered"} if "view" in value else set())) or ["copy"]
    if key == "refuses":
        return sorted(value)
    made = []
    for at, letters in enumerate(value):
        own, given = "abc"[at], set("abc"[: len(value)])
        core = letters & given
        if len(value) == 2:
            text = "".join(w for w, part in (("o", given - {own}), ("s", {own})) if part <= core)
        else:
            text = "s" if core == {own} else "".join(str("abc".index(k)) for k in sorted(core))
        made.append(text + "".join(k for k in "rm" if k in letters and (k == "r" or len(letters) == 1)))
    while len(made) > 1 and made[-1] == made[-2]:
        made.pop()
    return made


if __name__ == "__main__":
    rows = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in measured().items()]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
