"""Record what each function of PyTorch saves and refuses, and whether what it returns is a view.

`tests/reading/record_torch_facts.py` records with PyTorch what stands here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Facts:
    """What is known of a function.

    Attributes:
      saves: what the derivative by each tensor that a call gets needs, in their order; the last stands for
        all that follow. Letters: `o` every other tensor, `s` that one, a digit the tensor at this place, `r`
        the result, `m` something that no text can change, such as a condition.
      again: in the same way what that derivative depends on, where it is differentiated again.
      once: whether it cannot be.
      ends: how often that can be differentiated until nothing depends on the tensors; 0 for ever, and
        with `flat` not at all.
      flat: whether the last of these is 0 whatever arrives, as of a step; else it is a multiple of that.
    """

    saves: tuple[str, ...]
    again: tuple[str, ...]
    once: bool = False
    ends: int = 0
    flat: bool = False

    def saved(self, needing: Iterable[int], count: int) -> set[int | str]:
        """Return the places of what is saved, and "r" and "m"; `needing` are those that need a gradient."""
        return _read(self.saves, needing, count)

    def differentiated(self, needing: Iterable[int], count: int) -> set[int | str]:
        """Return the places of what the derivatives depend on."""
        return _read(self.again, needing, count)


def _read(letters: tuple[str, ...], needing: Iterable[int], count: int) -> set[int | str]:
    found: set[int | str] = set()
    for at in needing:
        for letter in letters[min(at, len(letters) - 1)]:
            others = {"o": set(range(count)) - {at}, "s": {at}, "r": {"r"}, "m": {"m"}}
            found |= others[letter] if letter in others else {int(letter)} & set(range(count))
    return found


_GROUPS: tuple[tuple[Facts, str], ...] = (
    (
        Facts(("",), ("",)),
        "H T add adjoint alpha_dropout argsort as_tensor asarray atleast_1d atleast_2d bfloat16 "
        "broadcast_to cat ceil chunk clone column_stack concat concatenate contiguous cpu cumsum "
        "deg2rad detach diag diag_embed diagonal diff double einsum/1 expand expand_as fix "
        "flatten flip fliplr flipud float floor floor_divide fmod/1 fold frac getitem half "
        "heaviside hstack interpolate lerp/2 mT mean meshgrid moveaxis movedim narrow neg "
        "negative pad permute positive rad2deg ravel remainder/1 remainder/r repeat repeat_interleave "
        "reshape reshape_as resolve_conj roll round row_stack rsub select sign split squeeze stack sub "
        "subtract sum sum_to_size swapaxes swapdims t tile to trace transpose tril triu trunc "
        "type type_as unbind unflatten unfold unsqueeze view view_as vstack ",
    ),
    (
        Facts(("s",), ("s",)),
        "abs absolute acos acosh adaptive_avg_pool2d arccos arccosh arcsin arcsinh arctan arctanh "
        "asin asinh atan atanh avg_pool1d avg_pool2d celu cos cosh digamma elu erf erfc erfinv "
        "gelu hardshrink hardswish hardtanh i0 layer_norm/1 leaky_relu lgamma log log10 log1p "
        "log2 logdet logit logsigmoid max_pool1d max_pool2d mish nll_loss/1 normalize pow/1 relu6 "
        "rms_norm/1 rrelu selu silu sin sinc sinh slogdet softplus softshrink softsign square threshold "
        "var var_mean xlogy/r ",
    ),
    (Facts(("m",), ("o",)), "kron/2"),
    (
        Facts(("m",), ("",)),
        "div/1 divide/1 dropout dropout1d dropout2d embedding index index_fill index_select "
        "kthvalue masked_fill max_dim min_dim msort mul/1 multiply/1 quantile scatter sort topk "
        "true_divide/1 where ",
    ),
    (
        Facts(("r",), ("s",)),
        "cholesky exp exp2 expit expm1 gumbel_softmax inv inverse log_softmax qr reciprocal relu "
        "rsqrt sigmoid softmax softmin sqrt svd tan tanh ",
    ),
    (
        Facts(("o",), ("o",)),
        "bilinear/2 bmm chain_matmul dot einsum/2 ger inner linear/2 matmul mm mul/2 multi_dot "
        "multiply/2 mv outer vdot ",
    ),
    (
        Facts(("s",), ("",)),
        "clamp clamp_max clamp_min/1 clip cummax cummin gather grid_sample masked_select "
        "nan_to_num nanmean nansum take take_along_dim xlogy/1 ",
    ),
    (
        Facts(("sr",), ("s",)),
        "cumprod det logcumsumexp logsumexp matrix_norm norm pow/r prod std std_mean vector_norm ",
    ),
    (
        Facts(("os",), ("os",)),
        "arctan2 atan2 cosine_embedding_loss huber_loss logaddexp mse_loss "
        "multi_head_attention_forward prelu smooth_l1_loss ",
    ),
    (Facts(("sr",), ("",)), "amax amin max median min sgn "),
    (Facts(("1", "0", ""), ("1", "0", "")), "addmm addmv addr baddbmm linear/3 "),
    (Facts(("os",), ("",)), "clamp_min/2 fmax fmin maximum minimum "),
    (Facts(("o", "os"), ("o", "os")), "div/2 divide/2 kl_div true_divide/2 "),
    (Facts(("m",), ("o",)), "kron "),
    (Facts(("m",), ("s",)), "cross_entropy/1 div/r float_power/1 tanhshrink "),
    (Facts(("os",), ("o",)), "conv1d/2 conv2d/2 conv_transpose1d conv_transpose2d "),
    (Facts(("", "os"), ("", "os")), "fmod/2 remainder/2 "),
    (Facts(("01",), ("01", "0", "")), "batch_norm group_norm "),
    (Facts(("01",), ("1", "0", "")), "conv1d/3 conv2d/3 "),
    (
        Facts(("012", "012", ""), ("01", "0", "")),
        "binary_cross_entropy/3 binary_cross_entropy_with_logits/3 ",
    ),
    (Facts(("m",), ("os",)), "glu l1_loss "),
    (Facts(("os",), ("os", "o")), "binary_cross_entropy/2 binary_cross_entropy_with_logits/2 "),
    (Facts(("os", ""), ("s", "")), "nll_loss/2 soft_margin_loss "),
    (Facts(("osr",), ("os",)), "dist pow/2 "),
    (Facts(("r",), ("os",)), "float_power/2 pairwise_distance "),
    (Facts(("", "2", "1"), ("", "2", "1")), "addcmul "),
    (Facts(("", "m"), ("",)), "scatter_add "),
    (Facts(("", "s"), ("",)), "index_add "),
    (Facts(("012",), ("01", "0", "")), "layer_norm/3 "),
    (Facts(("12", "02", "01"), ("12", "02", "01")), "bilinear/3 "),
    (Facts(("2", "2", "012"), ("2", "2", "01")), "lerp/3 "),
    (Facts(("2", "2", "12"), ("", "2", "12")), "addcdiv "),
    (Facts(("2", "2", "m"), ("012", "012", "01")), "scaled_dot_product_attention "),
    (Facts(("m",), ("",), True), "ctc_loss "),
    (Facts(("m",), ("012",)), "gaussian_nll_loss "),
    (Facts(("m",), ("012", "01", "02")), "triplet_margin_loss "),
    (Facts(("m",), ("2", "2", "")), "margin_ranking_loss "),
    (Facts(("m", ""), ("",)), "hinge_embedding_loss "),
    (Facts(("o",), ("os", "o")), "poisson_nll_loss "),
    (Facts(("o", "m"), ("os", "o")), "cross_entropy/2 "),
    (Facts(("os",), ("o", "os")), "xlogy "),
    (Facts(("os", "m"), ("os", "o")), "rms_norm/2 "),
    (Facts(("osr",), ("",), True), "cdist "),
    (Facts(("s",), ("",), True), "hardsigmoid "),
    (Facts(("s",), ("os",)), "cosine_similarity "),
    (Facts(("sr",), ("os",)), "hypot "),
    (Facts(("sr", "or"), ("os", "o")), "solve "),
    (Facts(("m",), ("o",)), "kron "),
    (
        Facts(("",), ("",)),  # what makes a tensor, asks about one, or returns no floats
        "DoubleTensor FloatTensor Generator LongTensor Tensor __array all allclose any arange argmax argmin "
        "autocast compile register_post_accumulate_grad_hook set_default_device "
        "backward bernoulli bool complex copy cuda device dim element_size empty "
        "empty_like eq equal eye fft fill fill_diagonal from_numpy full full_like ge greater "
        "greater_equal gt identity int inverse_fft is_contiguous is_floating_point "
        "is_grad_enabled isclose isnan item le less less_equal linspace logical_and logical_not "
        "logical_or logspace long lt manual_seed multinomial ndimension ne nelement new_empty "
        "new_full new_ones new_tensor new_zeros nonzero normal not_equal numel numpy one_hot ones "
        "ones_like pin_memory poisson polar rand rand_like randint randn randn_like randperm "
        "Generator compile register_hook register_post_accumulate_grad_hook requires_grad retain_grad "
        "scalar_tensor seed set set_default_device set_default_dtype "
        "set_grad_enabled set_printoptions short size storage_offset stride tensor tolist uniform "
        "use_deterministic_algorithms zero zeros zeros_like ",
    ),
)

_ENDS = {
    (1, True): (
        "abs absolute adaptive_avg_pool2d avg_pool1d avg_pool2d fmod/2 hardshrink hardtanh l1_loss "
        "leaky_relu margin_ranking_loss max_pool1d max_pool2d nll_loss/1 nll_loss/2 relu6 remainder/2 "
        "rrelu softshrink threshold"
    ),
    (1, False): (
        "addcmul addmm addmv addr baddbmm bilinear/2 bmm chain_matmul conv1d/2 conv1d/3 conv2d/2 "
        "conv2d/3 conv_transpose1d conv_transpose2d dot einsum/2 ger hardswish huber_loss inner "
        "kron/2 lerp/3 linear/2 linear/3 matmul mm mse_loss mul/2 multi_dot multiply/2 mv outer "
        "prelu smooth_l1_loss var var_mean vdot"
    ),
    (2, False): "bilinear/3",
}
"""Functions by `ends` and `flat`."""

FACTS: dict[str, Facts] = {name: facts for facts, names in _GROUPS for name in names.split()}
for (_ends, _flat), _names in _ENDS.items():
    FACTS |= {name: replace(FACTS[name], ends=_ends, flat=_flat) for name in _names.split()}
"""Facts by name; "pow/2" are those of a call that gets two tensors, "pow/r" of one with a number first."""

OF_FIRST = frozenset(["expand_as", "hinge_embedding_loss", "reshape_as", "type_as", "view_as"])
"""Functions that pass nothing to a second tensor, such as those that read only its shape or dtype."""

ONE_EACH = frozenset(["meshgrid"])
"""Functions that return a tensor for each one that they get, which passes to that one alone."""

_VIEWS = (
    "H T adjoint atleast_2d broadcast_to chunk detach diagonal expand expand_as flatten getitem mT "
    "meshgrid moveaxis movedim narrow permute ravel reshape reshape_as select split squeeze swapaxes "
    "swapdims t transpose unbind unflatten unfold unsqueeze view view_as"
)
VIEWS = frozenset(_VIEWS.split())
"""Functions that return a view, some only if the strides allow it."""

_ITSELF = (
    "alpha_dropout as_tensor asarray atleast_1d atleast_2d contiguous cpu dropout float positive "
    "resolve_conj to bfloat16 bool cuda double half int long pin_memory requires_grad retain_grad "
    "short type type_as"
)
ITSELF = frozenset(_ITSELF.split())
"""Functions that may return the tensor that they get."""

SCATTERED = frozenset(["cholesky", "inv", "inverse", "qr", "solve"])
"""Functions whose result does not stand in order in memory, whatever they get."""


def facts_of(name: str, count: int, number_first: bool = False) -> Facts:
    """Return the facts of a function that gets so many tensors of floats."""
    kinds = [f"{name}/{'r' if number_first else count}", name, *(f"{name}/{n}" for n in (3, 2, 1))]
    return next((FACTS[kind] for kind in kinds if kind in FACTS), UNKNOWN)


_REFUSED = {
    "b* b0 i* i0": (
        "adaptive_avg_pool2d/1 celu/1 cholesky/1 det/1 dropout1d/1 dropout2d/1 elu/1 frac/1 gelu/1 "
        "gumbel_softmax/1 hardshrink/1 hardsigmoid/1 hardswish/1 hinge_embedding_loss/2 huber_loss/2 "
        "interpolate/1 inv/1 inverse/1 layer_norm/1 leaky_relu/1 log_softmax/1 logcumsumexp/1 "
        "logdet/1 logsigmoid/1 matrix_norm/1 max_pool1d/1 mean/1 mish/1 nanmean/1 norm/1 normalize/1 "
        "qr/1 quantile/1 rms_norm/2 rms_norm/1 rrelu/1 selu/1 silu/1 slogdet/1 soft_margin_loss/2 "
        "softmax/1 softmin/1 softplus/1 softshrink/1 std/1 std_mean/1 svd/1 var/1 var_mean/1 "
        "vector_norm/1"
    ),
    "b* b0": (
        "abs/1 absolute/1 avg_pool1d/1 avg_pool2d/1 ceil/1 fix/1 floor/1 hardtanh/1 kthvalue/1 "
        "max_pool2d/1 median/1 neg/1 negative/1 positive/1 relu/1 relu6/1 round/1 rsub/1 softsign/1 "
        "tanhshrink/1 sub/1 subtract/1 threshold/1 topk/1 trace/1 trunc/1"
    ),
    "b* b0 b1 i0 i1": (
        "bmm/2 chain_matmul/2 conv1d/2 conv2d/2 conv_transpose1d/2 conv_transpose2d/2 dot/2 einsum/2 "
        "inner/2 linear/2 matmul/2 mm/2 multi_dot/2 mv/2 vdot/2"
    ),
    "b* b0 b1 i* i0 i1": (
        "binary_cross_entropy/2 binary_cross_entropy/3 binary_cross_entropy_with_logits/2 cdist/2 "
        "kl_div/2 lerp/2 prelu/2 solve/2"
    ),
    "b* i*": "addcdiv/3 cosine_similarity/2 glu/2 hypot/2 logaddexp/2 mse_loss/2 smooth_l1_loss/2",
    "b* b0 b1 b2 i0 i1 i2": "addmm/3 addmv/3 baddbmm/3 bilinear/3 conv1d/3 conv2d/3 linear/3",
    "b*": "addcmul/3 floor_divide/2 fmod/2 poisson_nll_loss/2 pow/2 remainder/2",
    "b* b0 b1 b2 i* i0 i1 i2": "group_norm/3 layer_norm/3 lerp/3 scaled_dot_product_attention/3",
    "b* b0 b1": "pairwise_distance/2 rsub/2 sub/2 subtract/2",
    "b* b0 b1 i*": "dist/2 l1_loss/2",
    "b0 b1 i0 i1": "heaviside/2 meshgrid/2",
    "b* b0 b1 b2 i* i0 i1": "binary_cross_entropy_with_logits/3",
    "i* i0": "fold/1",
    "b* b0 b1 b2 i* i2": "gaussian_nll_loss/3",
    "b* b0 b1 b2": "triplet_margin_loss/3",
}
REFUSED = {name: frozenset(kinds.split()) for kinds, names in _REFUSED.items() for name in names.split()}
"""Which tensors of bools (b) and of whole numbers (i) a function refuses, by its name and how many it gets.

`b0`: the first of them, where others are floats; `b*`: all of them together.
"""


CONVERTS = frozenset(["log_softmax", "mean", "softmax", "softmin"])
"""Functions that take what they refuse if they are told a dtype, to which they convert it first."""


def refuses(name: str, kinds: str) -> str:
    """Return the letter of a kind that a function refuses; "" if it takes these.

    Args:
      kinds: of each tensor that it gets: "b", "i" or "f" (floats).
    """
    refused = REFUSED.get(f"{name}/{len(kinds)}", frozenset())
    alike = len({*kinds}) == 1
    places = ["*" if alike else str(place) for place in range(len(kinds))]
    return next((kind for kind, place in zip(kinds, places, strict=True) if kind + place in refused), "")


UNKNOWN = Facts(("osr",), ("os",))
"""What is taken of a function that has no facts, which is none of those that are read."""
