"""Page 03."""

from costmodel import DTYPE_BYTES, LLAMA_3_8B, linear_flops, linear_intensity, linear_weights

PAGE = "notebooks/03_linear_layer.ipynb"


def facts():
    model, tokens, many, endless = LLAMA_3_8B, 1024, 8192, 2**50
    up = (model.d_model, model.d_ff)
    query = (model.d_model, model.heads * model.head_dim)
    key = (model.d_model, model.kv_heads * model.head_dim)
    up_now, query_now, key_now = (linear_intensity(tokens, *sizes) for sizes in (up, query, key))
    up_limit, query_limit, key_limit = (linear_intensity(endless, *sizes) for sizes in (up, query, key))
    weight_bytes = linear_weights(*up) * DTYPE_BYTES[model.weight_dtype]
    # FLOPs over intensity are bytes; the intensity over that of the weights alone is the weights' share of them
    moved_bytes = linear_flops(tokens, *up) / up_now
    weight_share = linear_intensity(many, *up) / linear_intensity(many, *up, activations=False)
    # the example of the guide to matrix multiplication
    side, rows = 8192, 128
    return [
        f"At {tokens:,} tokens they have come apart: {up_now:.0f} in the up projection, {query_now:.0f} in the query "
        f"projection, {key_now:.0f} in the key projection",
        f"The limits are {up_limit:,.0f}, {query_limit:,.0f} and {key_limit:,.0f}",
        f"the {model.heads} query heads",
        f"reads {weight_bytes / 1e6:.0f} MB of weights for {linear_flops(1, *up) / 1e6:.0f} million FLOPs",
        f"At {tokens:,} tokens it reads the same {weight_bytes / 1e6:.0f} MB for "
        f"{linear_flops(tokens, *up) / 1e9:.0f} billion",
        f"add {(moved_bytes - weight_bytes) / 1e6:.1f} MB",
        f"at {many:,} tokens they are {1 - weight_share:.0%}",
        f"{rows} rows through a square of {side:,} in {8 * DTYPE_BYTES['fp16']} bits, comes to "
        f"{linear_intensity(rows, side, side):.1f} FLOPs per byte",
        f"reaches {up_now:.0f} at {tokens:,} tokens and tends to **{up_limit:,.0f} FLOPs per byte**",
        f"with {tokens:,} tokens",
        # in the names of the model and of number formats
        *(model.name, "BF16", "FP8"),
    ]
