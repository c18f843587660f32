"""Every argument of every public function and dataclass: what is not accepted is an error that names the argument,
the value and what is accepted, and never a NaN or a ZeroDivisionError."""

import inspect
import math
import re
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

import costmodel
from costmodel import (
    H100,
    LLAMA_3_8B,
    PLATE,
    ForwardPass,
    Group,
    attainable,
    compute_bound_batch,
    count,
    critical_context,
    decode,
    decode_ceiling,
    estimate,
    generation,
    kv_parity_batch,
    linear_flops,
    linear_intensity,
    linear_weights,
    max_batch,
    prefill,
)

pytestmark = pytest.mark.filterwarnings("error")  # NumPy warns where a NaN or an infinity is made


class Kind(NamedTuple):
    """A kind of argument: a value that is accepted, how errors say what is, and values that are not.

    Each of those comes with its error and the words by which the error names it.
    """

    good: object
    accepted: str
    bad: list


MASKED = [
    (np.ma.array([5, 6], mask=[False, True]), ValueError, "masked elements", "[5, --]"),
    ([5, np.ma.masked], ValueError, "masked elements", "[5, masked]"),
]
NO_COUNT = [
    (-1, ValueError, "-1"),
    (np.int64(-3), ValueError, "-3"),
    (math.nan, TypeError, "nan"),
    (math.inf, TypeError, "inf"),
    (2.5, TypeError, "2.5"),
    (2.0, TypeError, "2.0"),
    (np.float64(3), TypeError, "3.0"),
    (Fraction(4, 2), TypeError, "Fraction(2, 1)"),
    (2 + 0j, TypeError, "(2+0j)"),
    ("8", TypeError, "'8'"),
    (True, TypeError, "True"),
    (np.timedelta64(5), TypeError, "np.timedelta64(5)"),
    ({2}, TypeError, "{2}"),
]
NONE = [(None, TypeError, "None")]
ZERO = [(0, ValueError, "0"), (np.int32(0), ValueError, "0")]
ARRAY = [(np.array([2, 3]), TypeError, "array([2, 3])"), ([2], TypeError, "[2]")]
NO_ARRAY_OF_COUNTS = [
    ([5, -1, -2], ValueError, "at index 1", "-1"),
    (np.array([[5, 6], [7, -9]]), ValueError, "at index 1, 1", "-9"),
    ([5, 2.5, 3.5], TypeError, "at index 1", "2.5"),
    ([5, math.nan], TypeError, "at index 1", "nan"),
    ([5, 6, math.inf], TypeError, "at index 2", "inf"),
    ([5.0, 6.0], TypeError, "at index 0", "5.0"),
    ([5, None], TypeError, "at index 1", "None"),
    ([1j], TypeError, "at index 0", "1j"),
    (["8"], TypeError, "at index 0", "'8'"),
    ([True], TypeError, "at index 0", "True"),
    ([2, True], TypeError, "at index 1", "True"),
    (np.array([5], "m8[s]"), TypeError, "at index 0", "np.timedelta64(5,'s')"),
    *MASKED,
    ([[5], [6, 7]], ValueError, "[[5], [6, 7]]"),
    ([], TypeError, "array([]"),
    (np.array(2.5), TypeError, "2.5"),
]
ZERO_IN_ARRAY = [([5, 0, -1], ValueError, "at index 1", "0")]
NO_NUMBER = [
    (math.nan, ValueError, "nan"),
    (-1, ValueError, "-1"),
    (-math.inf, ValueError, "-inf"),
    (-(10**400), ValueError, "-1000"),
    ("0.5", TypeError, "'0.5'"),
    (True, TypeError, "True"),
    (np.timedelta64(5), TypeError, "np.timedelta64(5)"),
    (None, TypeError, "None"),
    (1j, TypeError, "1j"),
]
NO_ARRAY_OF_NUMBERS = [
    ([1, -2, -3], ValueError, "at index 1", "-2"),
    ([1, math.nan], ValueError, "at index 1", "nan"),
    ([1, math.inf], ValueError, "at index 1", "inf"),
    (np.array([[1.0, 2.0], [3.0, -4.0]]), ValueError, "at index 1, 1", "-4.0"),
    (["1"], TypeError, "at index 0", "'1'"),
    ([1.0, True], TypeError, "at index 1", "True"),
    (np.array([1], "m8[s]"), TypeError, "at index 0", "np.timedelta64(1,'s')"),
    *MASKED,
    ([[1], [2, 3]], ValueError, "[[1], [2, 3]]"),
]
INFINITE = [(math.inf, ValueError, "inf")]
ABOVE_ONE = [(1.01, ValueError, "1.01"), (2, ValueError, "2"), *INFINITE]
NO_CHOICE = [("none", ValueError, "'none'"), ("", ValueError, "''"), (None, TypeError, "None"), (2, TypeError, "2")]
NO_INSTANCE = [(None, TypeError, "None"), ("H100", TypeError, "'H100'"), (8e9, TypeError, "8000000000.0")]

COUNT = Kind(2, "whole number of at least 1", NO_COUNT + NONE + ZERO + NO_ARRAY_OF_COUNTS + ZERO_IN_ARRAY)
COUNT_FROM_0 = Kind(3, "whole number of at least 0", NO_COUNT + NONE + NO_ARRAY_OF_COUNTS)
SINGLE_COUNT = Kind(2, "whole number of at least 1", NO_COUNT + NONE + ZERO + ARRAY)
COUNT_OR_NONE = Kind(2, "whole number of at least 1", NO_COUNT + ZERO + ARRAY)
# 989 TFLOP/s, 3,350 GB/s and 80 GB in other units than the argument's
IN_OTHER_UNITS = [(989, ValueError, "989"), (3350.0, ValueError, "3350.0"), (80, ValueError, "80")]
OUT_OF_RANGE = [*NO_NUMBER, *ZERO, *INFINITE, *IN_OTHER_UNITS, (1.1e30, ValueError, "1.1e+30")]
PEAK = Kind(1e12, "finite number of FLOP/s at least 1e+06 and at most 1e+30", OUT_OF_RANGE)
BANDWIDTH = Kind(1e12, "finite number of bytes per second at least 1e+06 and at most 1e+30", OUT_OF_RANGE)
MEMORY = Kind(1e12, "finite number of bytes at least 10000 and at most 1e+30", OUT_OF_RANGE)
SIZE = Kind(
    2,
    "finite number at least 0.001 and at most 1000",
    [*NO_NUMBER, *ZERO, *INFINITE, (1e-320, ValueError, "1e-320"), (1e300, ValueError, "1e+300")],
)
SHARE = Kind(0.5, "finite number above 0 and at most 1", NO_NUMBER + ZERO + ABOVE_ONE)
SHARE_FROM_0 = Kind(0.1, "finite number at least 0 and at most 1", NO_NUMBER + ABOVE_ONE)
SECONDS = Kind(
    0.1, "finite number at least 0 and at most 1e+06", [*NO_NUMBER, *INFINITE, (1e7, ValueError, "10000000.0")]
)
KNEE = Kind(3, "number at least 1", [*NO_NUMBER, *ZERO, (0.99, ValueError, "0.99")])
INTENSITY = Kind(
    100,
    "number",
    [*NO_NUMBER, *INFINITE, *NO_ARRAY_OF_NUMBERS, ([1, 1e31], ValueError, "at index 1", "1e+31")],
)
TIMES = Kind(0.1, "number", NO_NUMBER + INFINITE + NO_ARRAY_OF_NUMBERS)
TIMES_OR_NONE = TIMES._replace(bad=[bad for bad in TIMES.bad if bad[0] is not None])
ARRAY_OF_TIMES = Kind(np.array([0.1]), "", [(0.1, TypeError, "ndarray", "0.1"), (None, TypeError, "ndarray", "None")])
RATE = Kind(10.0, "number", TIMES.bad + ZERO)
TEXT = Kind("name", "a string", [(None, TypeError, "None"), (7, TypeError, "7")])
FLAG = Kind(True, "True or False", [(1, TypeError, "1"), (None, TypeError, "None"), ("yes", TypeError, "'yes'")])
DTYPE = Kind("bf16", "one of 'fp32', 'bf16', 'fp16', 'fp8', 'int8'", NO_CHOICE)
BOUND = Kind(
    "memory",
    "one of 'compute', 'memory'",
    [
        *NO_CHOICE,
        (np.array(["compute", "kv"]), ValueError, "at index 1", "'kv'"),
        (["compute"], TypeError, "['compute']"),
    ],
)
PARAMETERS = Kind("all", "one of 'all', 'linear'", NO_CHOICE)
OUTPUT_HEAD = Kind("last position", "one of 'every position', 'last position'", NO_CHOICE)
ATTENTION = Kind("causal", "one of 'causal', 'full square'", NO_CHOICE)
KV_HEADS = Kind("heads", "one of 'kv_heads', 'heads'", NO_CHOICE)
GROUPS = Kind(
    decode(10).groups,
    "Group",
    [*NO_INSTANCE, ((), TypeError, "()"), ([Group(1)], TypeError, "["), ((Group(1), 7), TypeError, "7")],
)
MODEL = Kind(LLAMA_3_8B, "of type Model", [*NO_INSTANCE, (H100, TypeError, "H100 SXM")])
PASS = Kind(decode(10), "of type ForwardPass", [*NO_INSTANCE, (decode(10).groups, TypeError, "Group(")])
ACCELERATOR = Kind(H100, "of type Accelerator", [*NO_INSTANCE, (LLAMA_3_8B, TypeError, "Llama 3 8B")])
ACCOUNTING = Kind(PLATE.accounting, "of type Accounting", [*NO_INSTANCE, (PLATE, TypeError, "Assumptions(")])
ASSUMPTIONS = Kind(PLATE, "of type Assumptions", [*NO_INSTANCE, (PLATE.accounting, TypeError, "Accounting(")])

ARGUMENTS = {
    linear_flops: {"tokens": COUNT, "d_in": COUNT, "d_out": COUNT},
    linear_weights: {"d_in": COUNT, "d_out": COUNT},
    linear_intensity: {
        **{"tokens": COUNT, "d_in": COUNT, "d_out": COUNT},
        **{"bytes_per_element": SIZE, "activations": FLAG},
    },
    Group: {"new": COUNT, "cached": COUNT_FROM_0, "batch": COUNT},
    ForwardPass: {"groups": GROUPS},
    decode(10).attended_pairs: {"window": COUNT_OR_NONE},
    decode(10).positions_read: {"window": COUNT_OR_NONE},
    prefill: {"tokens": COUNT, "cached": COUNT_FROM_0, "batch": COUNT},
    decode: {"cached": COUNT_FROM_0, "batch": COUNT},
    attainable: {"intensity": INTENSITY, "accelerator": ACCELERATOR},
    PLATE.reached: {"accelerator": ACCELERATOR},
    count: {"model": MODEL, "forward_pass": PASS, "accounting": ACCOUNTING},
    estimate: {"forward_pass": PASS, "model": MODEL, "accelerator": ACCELERATOR, "assumptions": ASSUMPTIONS},
    kv_parity_batch: {"model": MODEL, "cached": COUNT_FROM_0, "accounting": ACCOUNTING},
    compute_bound_batch: {
        **{"model": MODEL, "accelerator": ACCELERATOR, "cached": COUNT_FROM_0, "assumptions": ASSUMPTIONS},
    },
    decode_ceiling: {"model": MODEL, "accelerator": ACCELERATOR, "cached": COUNT_FROM_0, "assumptions": ASSUMPTIONS},
    critical_context: {"model": MODEL, "accelerator": ACCELERATOR, "assumptions": ASSUMPTIONS},
    max_batch: {"model": MODEL, "accelerator": ACCELERATOR, "cached": COUNT_FROM_0, "reserve": SHARE_FROM_0},
    generation: {
        **{"prompt": COUNT, "output": SINGLE_COUNT, "model": MODEL, "accelerator": ACCELERATOR},
        **{"assumptions": ASSUMPTIONS, "batch": COUNT},
    },
}
FIELDS = {
    LLAMA_3_8B: {
        "name": TEXT,
        **dict.fromkeys(["layers", "d_model", "heads", "kv_heads", "head_dim", "d_ff", "vocab"], SINGLE_COUNT),
        **{"tied_embeddings": FLAG, "gated_mlp": FLAG, "window": COUNT_OR_NONE},
        **{"weight_dtype": DTYPE, "kv_dtype": DTYPE},
    },
    H100: {
        **{"name": TEXT, "peak_flops": PEAK, "bandwidth": BANDWIDTH, "memory": MEMORY},
        **{"source": TEXT, "date": TEXT},
    },
    PLATE: {
        **{"compute_efficiency": SHARE, "bandwidth_efficiency": SHARE, "overhead_seconds": SECONDS},
        **{"accounting": ACCOUNTING, "knee": KNEE},
    },
    count(LLAMA_3_8B, decode(10)): {"model": MODEL, "forward_pass": PASS, "accounting": ACCOUNTING},
    estimate(decode(10), LLAMA_3_8B, H100): {
        **{"forward_pass": PASS, "model": MODEL, "accelerator": ACCELERATOR, "assumptions": ASSUMPTIONS},
    },
    generation(10, 5, LLAMA_3_8B, H100): {
        **{"time_to_first_token_seconds": TIMES, "time_per_output_token_seconds": TIMES_OR_NONE},
        **{"total_seconds": TIMES, "decode_seconds": ARRAY_OF_TIMES},
    },
    decode_ceiling(LLAMA_3_8B, H100, 10): {"tokens_per_second": RATE, "bound": BOUND},
    PLATE.accounting: {
        **{"parameters": PARAMETERS, "output_head": OUTPUT_HEAD, "attention": ATTENTION, "kv_heads": KV_HEADS},
    },
}


def calls():
    """A call for each argument and each value that is not accepted for it."""
    for function, kinds in ARGUMENTS.items():
        for argument, kind in kinds.items():
            good = {name: other.good for name, other in kinds.items()}
            for bad in kind.bad:
                call = partial(function, **good | {argument: bad[0]})
                yield pytest.param(call, argument, kind, bad, id=f"{function.__name__} {argument} {bad[-1]}")
    for instance, kinds in FIELDS.items():
        for field, kind in kinds.items():
            for bad in kind.bad:
                call = partial(replace, instance, **{field: bad[0]})
                yield pytest.param(call, field, kind, bad, id=f"{type(instance).__name__} {field} {bad[-1]}")


@pytest.mark.parametrize("call, argument, kind, bad", list(calls()))
def test_the_error_names_argument_value_and_what_is_accepted(call, argument, kind, bad):
    _, error_type, *words = bad
    with pytest.raises((ValueError, TypeError)) as error:
        call()
    assert error.type is error_type
    message = str(error.value)
    assert re.match(rf"{argument}\b", message)
    assert kind.accepted in message
    assert all(word in message.replace(kind.accepted, "") for word in words)


def test_what_the_table_calls_good_is_accepted():
    for function, kinds in ARGUMENTS.items():
        function(**{name: kind.good for name, kind in kinds.items()})
    for instance, kinds in FIELDS.items():
        for field, kind in kinds.items():
            if field != "heads":
                replace(instance, **{field: kind.good})


def test_the_table_holds_every_public_argument():
    tabled = {function: set(kinds) for function, kinds in ARGUMENTS.items()}
    for name in costmodel.__all__:
        public = getattr(costmodel, name)
        if inspect.isfunction(public):
            assert set(inspect.signature(public).parameters) == tabled[public], name
    for instance, kinds in FIELDS.items():
        assert set(kinds) == {field.name for field in fields(instance) if field.init}


TOO_LARGE = [2**53 + 1, 10**30, [5, 2**60], np.array([5, 2**63], np.uint64), [5, 2**70]]


@pytest.mark.parametrize("value", TOO_LARGE, ids=str)
def test_a_count_that_no_float64_holds_is_an_error(value):
    where = "" if isinstance(value, int) else " at index 1"
    number = value if isinstance(value, int) else value[1]
    for call in (prefill, decode, partial(linear_flops, 1, 1), partial(max_batch, LLAMA_3_8B, H100)):
        with pytest.raises(ValueError, match=rf"{where} must be at most 2\*\*53, not {number}"):
            call(value)


def test_heads_must_be_a_multiple_of_kv_heads():
    with pytest.raises(ValueError, match="heads must be a multiple of kv_heads, not 32 heads for 5 kv_heads"):
        replace(LLAMA_3_8B, kv_heads=5)


TWO, THREE = np.array([1, 2]), np.array([1, 2, 3])


@pytest.mark.parametrize(
    "call, names",
    [
        (lambda: prefill(TWO, THREE), ["new (2,)", "cached (3,)"]),
        (lambda: prefill(TWO, batch=THREE), ["new (2,)", "batch (3,)"]),
        (lambda: decode(TWO, THREE), ["cached (2,)", "batch (3,)"]),
        (lambda: decode(TWO) + decode(THREE), ["cached of group 0 (2,)", "cached of group 1 (3,)"]),
        (lambda: linear_flops(TWO, 4, THREE), ["tokens (2,)", "d_out (3,)"]),
        (lambda: linear_weights(TWO, THREE), ["d_in (2,)", "d_out (3,)"]),
        (lambda: linear_intensity(1, TWO, THREE), ["d_in (2,)", "d_out (3,)"]),
        (lambda: generation(TWO, 5, LLAMA_3_8B, H100, batch=THREE), ["prompt (2,)", "batch (3,)"]),
    ],
)
def test_shapes_that_do_not_broadcast_are_named(call, names):
    with pytest.raises(ValueError, match="must broadcast against each other") as error:
        call()
    assert all(name in str(error.value) for name in names)


def test_an_efficiency_that_leaves_nothing_of_a_peak_is_an_error():
    with pytest.raises(ValueError, match="peak_flops must be a finite number of FLOP/s at least"):
        estimate(decode(10), LLAMA_3_8B, H100, replace(PLATE, compute_efficiency=5e-324))
    with pytest.raises(ValueError, match="bandwidth must be a finite number of bytes per second at least"):
        decode_ceiling(LLAMA_3_8B, H100, 10, replace(PLATE, bandwidth_efficiency=1e-300))


@pytest.mark.parametrize(
    "prompt, output, says",
    [
        (2**53, 2, "prompt and output must be at most 2**53 together, not 9007199254740992 and 2"),
        (np.array([5, 2**53 - 2]), 3, "prompt and output must be at most 2**53 together, not 9007199254740990 and 3"),
        (10, 10**12, "output must be a whole number of at most 10000001, as each decode is timed, not 1000000000000"),
        (
            np.full(1000, 10),
            10_002,
            "output must be a whole number of at most 10001, as each decode is timed, not 10002",
        ),
    ],
)
def test_a_generation_too_long_to_count_or_to_hold_is_an_error(prompt, output, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        generation(prompt, output, LLAMA_3_8B, H100)


def test_results_are_finite_at_the_edges_of_what_is_accepted():
    largest = 2**53
    for forward_pass in (prefill(1), decode(0), prefill(largest, largest, largest), decode([0, largest], largest)):
        for accelerator in (
            replace(H100, peak_flops=2e6, bandwidth=2e6),
            replace(H100, peak_flops=1e30, bandwidth=1e30),
        ):
            for knee in (1, 2, math.inf):
                result = estimate(forward_pass, LLAMA_3_8B, accelerator, replace(PLATE, knee=knee))
                for value in (result.seconds, result.seconds_per_token, result.compute_utilisation, result.intensity):
                    assert np.isfinite(value).all() and (np.asarray(value) >= 0).all()
    for bytes_per_element in (1e-3, 1e3):
        assert np.isfinite(linear_intensity(largest, [1, largest], largest, bytes_per_element)).all()
    for accelerator in (replace(H100, bandwidth=1e6), replace(H100, bandwidth=1e30)):
        assert attainable([0, 1e-300, 1e30], accelerator)[[0, 2]].tolist() == [0, H100.peak_flops]
