"""Compress formulas and tours for a short link, with a dictionary of the words that they are made of.

A formula of a few lines has little in it that repeats, so that deflate alone finds nothing to save. With the
dictionary it finds nearly every word of it. Source: RFC 1950, preset dictionaries.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib

from autodiff_viz.graph import limits
from autodiff_viz.graph.link import DAMAGED, MORE, TOO_LONG, TRUNCATED, Unreadable, refuse_unreadable

FORMULA = "f"
"""Name of the parameter of an address that has a packed formula in place of a graph."""

VERSION = "1"
"""First letter of a packed formula: the version of `WORDS`."""

WORDS = (
    "reverse cumulative_sum cumulative_product sort argsort top_k one_hot take_along where( gather( pad( "
    "tile( roll( flip( squeeze( expand_dims( broadcast_to( linspace( arange( eye( logaddexp( arctan2( "
    "hypot( arcsin( arccos( arctan( sinh( cosh( arcsinh( erf( gammaln( expm1( log1p( softsign( "
    "hard_tanh( hard_sigmoid( elu( selu( celu( mish( huber_loss( binary_cross_entropy( cross_entropy( "
    "cosine_similarity( dropout( layer_norm( batch_norm( rms_norm( group_norm( avg_pool( max_pool( conv( "
    "embedding( attention( linear( einsum(.at[0].set( clip_gradient( reverse_gradient( def block(x):\n    "
    "return \nfor i in range(3):\n    import torch\nimport jax\nimport jax.numpy as "
    "jnp\nrequires_grad=True) .backward()\n.detach()lambda v, x, y: v * custom( pullback=lambda v, x: v * "
    'rewrite( lambda v: -v) scale_gradient(, 0.5)\nwith branches("gate"):\n    with group("gate_1"):\n     '
    '   with checkpoint("block"):\n    with group("layer_1"):\n    # positions: x -200 0, y 120, w 240, z '
    "360 140 280 480 600 720 960, axis=0) axis=-1) keepdims=True) shape=[4, 3], seed=1, low=0.0, "
    "high=5.0) parameter(normal( input([[1.0, 2.0], [3.0, 4.0]] [0.0, 1.0] minimum(maximum( "
    "concatenate(stack(reshape(transpose( floor(round( sign( abs( sqrt( square( reciprocal( "
    "power(gelu(silu(swish( leaky_relu( softplus( log_softmax( softmax( mean_squared_error( mean( sum( "
    "norm( matmul( dot( grad( cut( bypass( log( tan( exp( cos( sin( tanh( sigmoid( relu( "
    "backward_as(round(x), x)\nstop_gradient(loss = mean(square(target - \nhidden = tanh(x @ w + b)\ny = "
    "parameter(0.5)\nw = parameter(-0.5)\nb = a = 2.0 * x\nb = square(x)\nz = a + b\ny = x * x\nx = 1.0\nx "
    "= 2.0\nx = 3.0\ny = 0.5\nz = x * y + "
)
"""Never change it: links hold what it shortened. Frequent words stand last, where they cost least."""

TOUR_WORDS = (
    '"trained":"","moment":"","ranges":[["x",-1.0,1.0]],"choices":[["forward":[["x",1.0]],"pinned":"'
    '"letter":"B","dtype":"float16bfloat16float64","collapsed":["layer_1"],"training":{"optimiser":"'
    '"momentum","adam","rate":0.1,"seed":1,"steps":10},"reveal":"memory","look_at":"summary":"'
    '"kind":"zero"},"kind":"sign"},"kind":"larger"},"kind":"same"},"kind":"shape"},"kind":"cause"},'
    '"of":"passed","of":"value","of":"kept","of":"runs","slot":0,"element":[0],"other":{"of":"told":[["'
    '"hides":"values"}"hides":"asked"} Then What if Why does How much What comes back to `x`? And now '
    "with a stop, without it, both ways, one way only, the sum of the product of the loss the network the "
    "weights the batch the gradient of the cotangent of the value of the forward pass the backward pass "
    "arrives at is passed to is zero is not the same as before because there are two of them. Let us Ask "
    "your neighbour, vote, "
    + WORDS
    + '"}]}{"autodiff_viz_tour":1,"title":"","summary":"","text":"","steps":[{"title":"},{"title":"'
    '","formula":"x = 1.0\\ny = 2.0\\nz = stop_gradient(x) * y\\n# positions: ","look_at":"x","seed":2.0,'
    '"text":"","figure":"cotangents","caption":"What arrives at `x`?","notes":"","questions":[{"kind":"'
    'choice"},{"kind":"number","about":{"of":"cotangent","node":"x"},"words":"","options":["","right":""}],'
    '"hides":"cotangents"},{"title":"'
)
"""The same for tours, whose text is JSON with formulas and sentences in it. Never change it either."""

_LETTERS = re.compile(r"[A-Za-z0-9_-]*")
_IN_ADDRESS = re.compile(r"[?&;]f=([A-Za-z0-9_-]+)")
_CHECK = 2  # bytes of a checksum: raw deflate has none, and one wrong letter may be another formula


def short_text(text: str, words: str = WORDS) -> str:
    """Compress a formula to letters, digits, - and _, which `read_short_text` reads with the same words."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=words.encode())
    raw = text.encode()
    made = packer.compress(raw) + packer.flush() + _checksum(raw)
    return VERSION + base64.urlsafe_b64encode(made).rstrip(b"=").decode("ascii")


def read_short_text(letters: str, most: int, words: str = WORDS) -> str:
    """Decompress what `short_text` wrote.

    Args:
      letters: untrusted; a few of them may unpack to gigabytes.
      most: greatest number of bytes of the text.
      words: those that the text was shortened with.
    Returns:
      The text, not yet parsed.
    Raises:
      Unreadable: `letters` are not a whole packed text, or the text is longer.
    """
    if letters[:1] != VERSION or not _LETTERS.fullmatch(letters):
        raise Unreadable(DAMAGED)
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=words.encode())
    try:
        compressed = base64.urlsafe_b64decode(letters[1:] + "=" * (-len(letters[1:]) % 4))
        raw = unpacker.decompress(compressed, most + 1)  # no more, however much there would be
    except (ValueError, zlib.error) as error:  # binascii.Error is a ValueError
        raise Unreadable(DAMAGED) from error
    if len(raw) > most:
        raise Unreadable(TOO_LONG)
    if not unpacker.eof or len(unpacker.unused_data) < _CHECK:
        raise Unreadable(TRUNCATED)
    if len(unpacker.unused_data) > _CHECK:
        raise Unreadable(MORE)
    if unpacker.unused_data != _checksum(raw):
        raise Unreadable(DAMAGED)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(DAMAGED) from error


def formula_in(address: str) -> str | None:
    """Read the formula in an address; None if it has none.

    Raises:
      GraphError: codes "link-..." for a packed formula that is truncated, damaged or too long.
    """
    found = _IN_ADDRESS.search(address)
    if found is None:
        return None
    try:
        return read_short_text(found[1], limits.TEXT)
    except Unreadable as error:
        refuse_unreadable(error)


def _checksum(raw: bytes) -> bytes:
    return binascii.crc_hqx(raw, 0).to_bytes(_CHECK, "big")
