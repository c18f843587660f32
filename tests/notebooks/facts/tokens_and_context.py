"""Page 02."""

from course.figures.tokens_and_context import LENGTHS, STEPS, attended, decode_together, rows
from course.figures.two_phases import run

PAGE = "notebooks/02_tokens_and_context.ipynb"


def facts():
    prefill, *steps = (one.counter for one in run(passes=STEPS + 1))
    first, second, last = steps[0], steps[1], steps[-1]
    linear = [step.flops["projections"] + step.flops["mlp"] for step in steps]
    weights = [sum(step.weight_elements.values()) for step in (*steps, decode_together())]
    lengths = attended(prefill)
    assert len(set(linear)) == len(set(weights)) == 1, "the page says that these stay the same"
    assert decode_together().flops["mlp"] == len(LENGTHS) * first.flops["mlp"] and rows(decode_together()) == 8
    assert prefill.flops["mlp"] == 4 * first.flops["mlp"] and sum(lengths) == 2 * sum(attended(first))
    return [
        f"from {lengths[0]} to {lengths[-1]}, a line for each query",
        f"{STEPS} decode steps",
        f"{linear[0]:,} FLOPs",
        f"{weights[0]:,} elements",
        f"from {first.flops['attention']:,} FLOPs at an attended length of five",
        f"to {last.flops['attention']:,} at {attended(last)[0]}",
        f"which is {second.flops['attention'] - first.flops['attention']} more with each position",
        f"from {first.kv_elements_read} elements to {last.kv_elements_read:,}",
        f"which is {second.kv_elements_read - first.kv_elements_read} more each time",
        f"T = {rows(first)}",
        f"from {first.flops['attention']:,} to {last.flops['attention']:,} FLOPs",
        # inputs of the exercises, and the name of a token
        *("1,000 tokens", "seven and 11 positions"),
    ]
