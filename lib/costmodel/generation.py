"""One request from prompt to last token: a prefill, then decodes with a growing cache."""

import math
from dataclasses import dataclass

import numpy as np

from . import _check
from ._contents import ByContents
from .estimate import PLATE, estimate
from .forward_pass import decode, prefill

# Each decode is timed and handed out: 80 MB, and several times as much on the way.
LARGEST_DECODES = 10**7


@dataclass(frozen=True, eq=False)
class Generation(ByContents):
    """The two latencies of a request, and the passes they come from. Numbers, or arrays over a sweep.

    time_to_first_token_seconds: of the prefill, which yields the first output token.
    time_per_output_token_seconds: mean over the decodes, which yield one token each; None where there is none.
    total_seconds: until the last output token.
    decode_seconds: array of the decodes' times in order, output - 1 of them along its last axis.
    """

    time_to_first_token_seconds: float
    time_per_output_token_seconds: float | None
    total_seconds: float
    decode_seconds: np.ndarray

    def __post_init__(self):
        _check.instance("decode_seconds", self.decode_seconds, np.ndarray)
        for field, value in vars(self).items():
            if field != "time_per_output_token_seconds" or value is not None:
                object.__setattr__(self, field, _check.reals(field, value, at_least=0))


def generation(prompt, output, model, accelerator, assumptions=PLATE, batch=1):
    """The `Generation` of `output` tokens for each of `batch` like requests that run together.

    One prefill of `prompt` tokens, then output - 1 decodes: the first has `prompt` positions cached, and each adds
    one. total = time to first token + sum of the decodes. `prompt` and `batch` are ints or integer arrays that
    broadcast; `output` is an int. Nothing waits: requests arrive together, and passes follow without a gap.

    ValueError where prompt + output exceeds 2**53, or a sweep holds more than 10**7 decodes, each of which is timed.
    """
    prompt = _check.whole("prompt", prompt, 1)
    batch = _check.whole("batch", batch, 1)
    output = _check.whole_number("output", output, 1)
    decodes, sweep = output - 1, math.prod(_check.common_shape(prompt=prompt, batch=batch))
    if decodes * sweep > LARGEST_DECODES:
        most = LARGEST_DECODES // sweep + 1
        raise ValueError(f"output must be a whole number of at most {most}, as each decode is timed, not {output}")
    longest = int(np.max(prompt, initial=1))
    if longest + output > _check.LARGEST_COUNT:
        raise ValueError(f"prompt and output must be at most 2**53 together, not {longest} and {output}")
    first = estimate(prefill(prompt, batch=batch), model, accelerator, assumptions).seconds
    cached = np.expand_dims(prompt, -1) + np.arange(decodes)
    steps = estimate(decode(cached, np.expand_dims(batch, -1)), model, accelerator, assumptions).seconds
    rest = steps.sum(axis=-1)
    if steps.ndim == 1:
        rest = float(rest)
    return Generation(
        time_to_first_token_seconds=first,
        time_per_output_token_seconds=rest / decodes if decodes else None,
        total_seconds=first + rest,
        decode_seconds=steps,
    )
