"""Page 05."""

from costmodel import ACCELERATORS, H100, LLAMA_3_8B, PLATE, attainable, count, decode, estimate, prefill
from course.figures import roofline

PAGE = "notebooks/05_roofline.ipynb"


def facts():
    reached = PLATE.reached(H100)
    step, prompt = decode(1000), prefill(1024)
    short, many, many_long = prefill(64), decode(128, batch=512), decode(1000, batch=512)
    for one_pass, bound in ((prompt, "compute"), (short, "memory"), (many, "compute"), (many_long, "memory")):
        assert estimate(one_pass, LLAMA_3_8B, H100).bound == bound
    one = count(LLAMA_3_8B, step)
    share = attainable(one.intensity, reached) / reached.peak_flops
    assert 0.004 < share < 0.005, "less than half a percent"
    attention = count(LLAMA_3_8B, many_long)
    assert 3.9 < attention.flops_by_part["attention"] / attention.kv_bytes < 4.1, "about four FLOPs per byte"
    exercise = decode(4000, batch=8)
    eight = count(LLAMA_3_8B, exercise)
    assert 0.24 < eight.kv_bytes / eight.weight_bytes < 0.27, "a quarter"
    held = LLAMA_3_8B.weight_bytes + count(LLAMA_3_8B, many).kv_bytes
    return [
        f"{one.intensity:.2f} for the one token",
        f"{count(LLAMA_3_8B, prompt).intensity:,.0f} for the {prompt.tokens:,} of the prompt",
        f"{prompt.tokens:,} tokens",
        f"{H100.peak_flops / 1e12:.0f} TFLOP/s",
        f"{H100.bandwidth / 1e12:.2f} TB/s",
        f"{H100.ridge:.0f} FLOP/byte",
        f"{H100.ridge:.0f} FLOPs per byte",
        f"{PLATE.compute_efficiency:.0%} of the peak arithmetic",
        f"{PLATE.bandwidth_efficiency:.0%} of the peak bandwidth",
        f"to {reached.ridge:.0f} FLOP/byte",
        f"{step.positions_read():,} positions cached",
        f"{step.positions_read():,} cached positions",
        f"{attainable(one.intensity, reached) / 1e12:.2f} TFLOP/s of the {reached.peak_flops / 1e12:.0f} that",
        f"{short.tokens} tokens",
        f"{many.requests} requests",
        f"{many.tokens} tokens",
        f"{many.positions_read() // many.requests} cached positions",
        f"{count(LLAMA_3_8B, many).intensity:.0f} FLOP/byte",
        f"{held / 1e9:.1f} GB",
        f"{H100.memory / 1e9:.0f} GB",
        f"{count(LLAMA_3_8B, many_long).intensity:.0f} FLOP/byte",
        # where the weights' share of the bytes vanishes
        f"tends to {one.flops / one.kv_bytes:.0f} FLOP/byte",
        f"{roofline.STOPS[-1]:,}",
        f"{ACCELERATORS['H200 SXM'].bandwidth / 1e12:.2f} TB/s",
        f"{ACCELERATORS['A100 SXM 80GB'].peak_flops / 1e12:.0f} TFLOP/s",
        next(heading for heading in roofline.ridges().values if heading.endswith(" tokens")),
        f"{exercise.positions_read() // exercise.requests:,} cached positions",
        # in the names of the model, the accelerators and the number format
        *(LLAMA_3_8B.name, "H100", "H200", "A100", "BF16"),
    ]
