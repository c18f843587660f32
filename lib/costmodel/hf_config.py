"""Hugging Face `config.json` read as the fields of a `Model`. What is not understood is an error, never a guess."""

import json
import reprlib
from pathlib import Path

_DTYPES = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
# Each changes the weights or their bytes in a way that is not counted.
_UNCOUNTED = (
    *("attention_bias", "mlp_bias", "pruned_heads", "quantization_config", "compression_config"),
    *("num_local_experts", "n_routed_experts"),
)


def read_hf_config(source):
    """The arguments of `Model` for a config given as a path, as JSON text or as a dict."""
    config = _load(source)
    family = _field(config, "model_type", str)
    if family not in _READERS:
        raise ValueError(
            f"model_type must be one of {', '.join(map(repr, _READERS))}, not {family!r}. "
            "Model(...) describes any other dense decoder by its sizes."
        )
    return _READERS[family](config)


def _load(source):
    if isinstance(source, dict):
        return source
    accepted = "source must be the path of a config.json, its JSON text or a dict"
    if not isinstance(source, (str, Path)):
        raise TypeError(f"{accepted}, not {source!r}")
    text = source
    if isinstance(source, Path) or not source.lstrip("\ufeff \t\r\n").startswith("{"):
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a NUL in the path
            raise ValueError(f"{accepted}, not {source!r}: {getattr(error, 'strerror', None) or error}") from None
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"source must hold JSON, not {reprlib.repr(text)}: {error}") from None
    if not isinstance(config, dict):
        raise ValueError(f"source must hold a JSON object, not {reprlib.repr(config)}")
    return config


def _llama(config, layer_type="full_attention"):
    """Llama and its kin: RMSNorm, no biases, a gated MLP. The defaults are those of the library that writes configs."""
    for field in _UNCOUNTED:
        if config.get(field):
            raise ValueError(f"{field} must be absent, false or empty, as it is not counted, not {config[field]!r}")
    layer_types = _optional(config, "layer_types", list, [])
    if any(each != layer_type for each in layer_types):
        raise ValueError(f"layer_types must be {layer_type!r} in every layer, not {layer_types!r}")
    d_model = _field(config, "hidden_size", int)
    heads = _field(config, "num_attention_heads", int)
    head_dim = _optional(config, "head_dim", int, None)
    if head_dim is None:
        if heads < 1 or d_model % heads:
            raise ValueError(
                f"head_dim must be given where num_attention_heads ({heads}) does not divide hidden_size ({d_model})"
            )
        head_dim = d_model // heads
    dtype = _dtype(config)
    return {
        "name": _optional(config, "_name_or_path", str, "") or config["model_type"],
        "layers": _field(config, "num_hidden_layers", int),
        "d_model": d_model,
        "heads": heads,
        "kv_heads": _optional(config, "num_key_value_heads", int, heads),
        "head_dim": head_dim,
        "d_ff": _field(config, "intermediate_size", int),
        "vocab": _field(config, "vocab_size", int),
        "tied_embeddings": _optional(config, "tie_word_embeddings", bool, False),
        "weight_dtype": dtype,
        "kv_dtype": dtype,
    }


def _dtype(config):
    """The dtype under its newer name or its older one, which must not disagree."""
    newer, older = (_optional(config, name, str, None) for name in ("dtype", "torch_dtype"))
    name = "torch_dtype" if newer is None else "dtype"
    dtype = _field(config, name, str)
    if dtype not in _DTYPES:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, _DTYPES))}, not {dtype!r}")
    if older not in (None, dtype):
        raise ValueError(f"torch_dtype must be absent or that of dtype, {dtype!r}, not {older!r}")
    return _DTYPES[dtype]


def _mistral(config):
    """Mistral: Llama with a sliding window, which null takes away.

    The library's defaults for the window and the key/value heads are those of one model, and it always writes both.
    """
    for field in ("sliding_window", "num_key_value_heads"):
        if field not in config:
            raise ValueError(f"{field} is missing from the config")
    window = _optional(config, "sliding_window", int, None)
    return _llama(config, "full_attention" if window is None else "sliding_attention") | {"window": window}


def _optional(config, name, kind, default):
    """A field that may be missing or null."""
    return default if config.get(name) is None else _field(config, name, kind)


def _field(config, name, kind):
    if name not in config:
        raise ValueError(f"{name} is missing from the config")
    value = config[name]
    if type(value) is not kind:  # not isinstance: true is no int
        raise ValueError(f"{name} must be of type {kind.__name__} in the config, not {value!r}")
    return value


_READERS = {"llama": _llama, "mistral": _mistral}
