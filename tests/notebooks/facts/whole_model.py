"""Page 04."""

import math
from dataclasses import replace

from costmodel import DATASHEET, H100, LLAMA_3_8B, PLATE, count, decode, estimate, prefill
from course.figures.whole_model import CACHED, CHOICES, PASSES, PROMPT, calculators, change, counted, reproduced

PAGE = "notebooks/04_whole_model.ipynb"


def facts():
    model, parts, long = LLAMA_3_8B, LLAMA_3_8B.parameters_by_part, 2**17
    reading, writing = (count(model, PASSES[one_pass], PLATE.accounting) for one_pass in ("prefill", "decode 1"))
    by_choice = {choice: {name: change(name, (choice,)) for name in PASSES} for choice in CHOICES}
    embedding, everywhere = by_choice["embedding"], by_choice["head"]
    heads = by_choice["query heads"]
    square = replace(DATASHEET, accounting=replace(DATASHEET.accounting, attention="full square"))
    long_causal, long_square = (estimate(prefill(long), model, H100, each).seconds for each in (DATASHEET, square))
    # attention's FLOPs grow by as much for each attended position
    per_position = count(model, decode(1)).flops_by_part["attention"] / 2
    plate = {name: change(name, ("embedding", "head")) for name in PASSES}
    tools = {tool["name"]: tool for tool in calculators()["calculators"]}
    prefill_ms, decode_ms = (counted(name).seconds * 1e3 for name in ("prefill", "decode 1"))
    return [
        f"{7 * model.layers + 1} linear layers",
        f"{model.parameters:,} parameters",
        f"{model.parameters / 1e9:.2f} billion",
        f"has {model.layers} such layers",
        f"{model.layers} layers, a width of {model.d_model:,}, an MLP of {model.d_ff:,}, {model.heads} heads",
        f"the paper gives {model.vocab - 256:,}, and the released model has {model.vocab:,} rows, since 256 special",
        f"{model.weight_bytes / 1e9:.2f} GB",
        f"{model.weight_bytes / 2**30:.2f} GiB",
        f"are {2**30 / 1e9 - 1:.0%} apart",
        f"{model.kv_bytes_per_token:,} bytes",
        f"prefill of {PROMPT:,} tokens does {reading.flops / 1e9:,.0f} GFLOP",
        f"at {CACHED:,} cached positions {writing.flops / 1e9:.1f} GFLOP",
        *{f"Both move {each.bytes / 1e9:.1f} GB" for each in (reading, writing)},
        f"{reading.flops_by_part['mlp'] / reading.flops:.0%} and {reading.bytes_by_part['mlp'] / reading.bytes:.0%} "
        "for the MLP",
        f"Attention is {writing.flops_by_part['attention'] / writing.flops:.1%}",
        f"the KV cache {writing.kv_bytes / writing.bytes:.2%}",
        f"at {math.ceil(2 * model.parameters / per_position):,} attended positions",
        f"{H100.peak_flops / 1e12:.0f} TFLOP/s",
        f"{H100.bandwidth / 1e12:.2f} TB/s",
        f"{prefill_ms:.1f} ms for the prefill and {decode_ms:.2f} ms for the decode step",
        f"{heads['decode 1']:.1%} to one request's decode step, and {heads['decode 64']:.0%} at batch 64",
        "the cache of 64 requests",
        f"{parts['embedding'] / model.parameters:.1%} of the parameters",
        f"adds {embedding['prefill']:.1%} to the prefill and {embedding['decode 1']:.1%} to the decode step",
        f"adds {everywhere['prefill']:.1%} to the prefill.",
        *{f"shortens every decode step by {-by_choice['GiB'][name]:.1%}" for name in PASSES if name != "prefill"},
        f"{by_choice['square']['prefill']:.1%} at {PROMPT:,} tokens",
        f"but {long_square / long_causal - 1:.0%} at {long:,}",
        f"{plate['prefill']:.1%} more for the prefill and {plate['decode 1']:.1%} more for the decode step",
        calculators()["run"],
        f"reproduced within {_within(tools, ('GenZ', 'prefill'), ('GenZ', 'decode 1'))}",
        f"at batch 1 come within {_within(tools, ('LLM-Viewer', 'decode 1'), ('llm-analysis', 'decode 1'))}",
        *(
            f"{name} prints {tools[name]['milliseconds']['prefill']:.2f} ms{words}, which comes to "
            f"{reproduced(tools[name], 'prefill') * 1e3:.2f} ms"
            for name, words in (("LLM-Viewer", " for the prefill"), ("inference_roofline_tool", ""))
        ),
        f"below the {prefill_ms:.1f} ms",
        f"at batch 64 by **{heads['decode 64']:.0%}**",
        # in the names of models, of the accelerator, of the number format and of a table in a paper
        *(model.name, "Llama 3.2 1B", "H100", "BF16", "Table 3", "Llama 3 paper"),
    ]


def _within(tools, *printed):
    """The largest difference between what tools print and what is reproduced, rounded up to a tenth of a percent."""
    worst = max(abs(reproduced(tools[n], p) * 1e3 / tools[n]["milliseconds"][p] - 1) for n, p in printed)
    return f"{math.ceil(1e3 * worst) / 10}%"
