"""Models: published parameter totals, the sizes derived from them, and Hugging Face configs."""

import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest

from costmodel import DTYPE_BYTES, LLAMA_3_8B, MODELS, Model

PUBLISHED_PARAMETERS = {
    "Llama 3 8B": 8_030_261_248,
    "Llama 3 70B": 70_553_706_496,
    "Llama 3.2 1B": 1_235_814_400,
    "Llama 3.2 3B": 3_212_749_824,
    "Llama 2 7B": 6_738_415_616,
    "Llama 2 13B": 13_015_864_320,
    "Mistral 7B v0.3": 7_248_023_552,
}


def test_every_model_of_the_catalogue_has_its_published_number_of_parameters():
    assert {name: model.parameters for name, model in MODELS.items()} == PUBLISHED_PARAMETERS


def test_the_catalogue_is_keyed_by_name_and_cannot_be_changed():
    assert all(model.name == name for name, model in MODELS.items())
    with pytest.raises(TypeError):
        MODELS["mine"] = LLAMA_3_8B
    with pytest.raises(FrozenInstanceError):
        LLAMA_3_8B.layers = 1


def test_parts_are_the_matrices_of_the_architecture():
    small = Model("small", layers=3, d_model=10, heads=4, kv_heads=2, head_dim=5, d_ff=7, vocab=11)
    assert small.parameters_by_part == {
        "embedding": 11 * 10,
        "projections": 3 * (10 * 4 * 5 + 2 * 10 * 2 * 5 + 4 * 5 * 10),  # queries, keys and values, output
        "mlp": 3 * 3 * 10 * 7,  # gate, up, down
        "norms": 3 * 2 * 10 + 10,
        "output_head": 10 * 11,
    }
    assert sum(small.parameters_by_part.values()) == small.parameters


def test_a_plain_mlp_has_two_matrices():
    plain = replace(LLAMA_3_8B, gated_mlp=False).parameters_by_part["mlp"]
    assert plain * 3 == LLAMA_3_8B.parameters_by_part["mlp"] * 2


def test_a_tied_table_is_counted_once():
    tied = replace(LLAMA_3_8B, tied_embeddings=True)
    assert LLAMA_3_8B.parameters - tied.parameters == 128_256 * 4096
    assert tied.parameters_by_part["embedding"] == 0


@pytest.mark.parametrize("dtype, size", [("fp32", 4), ("bf16", 2), ("fp16", 2), ("fp8", 1), ("int8", 1)])
def test_bytes_follow_the_dtypes(dtype, size):
    assert DTYPE_BYTES[dtype] == size
    assert replace(LLAMA_3_8B, weight_dtype=dtype).weight_bytes == 8_030_261_248 * size
    assert replace(LLAMA_3_8B, kv_dtype=dtype).kv_bytes_per_token == 65_536 * size
    assert replace(LLAMA_3_8B, weight_dtype=dtype).kv_bytes_per_token == 131_072
    assert type(replace(LLAMA_3_8B, weight_dtype=np.str_(dtype)).weight_dtype) is str


def test_kv_follows_the_key_value_heads():
    assert replace(LLAMA_3_8B, kv_heads=32).kv_bytes_per_token == 4 * LLAMA_3_8B.kv_bytes_per_token
    assert replace(LLAMA_3_8B, kv_heads=1).kv_bytes_per_token * 8 == LLAMA_3_8B.kv_bytes_per_token


CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 128000,
    "eos_token_id": 128001,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "initializer_range": 0.02,
    "intermediate_size": 14336,
    "max_position_embeddings": 8192,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "transformers_version": "4.40.0.dev0",
    "use_cache": True,
    "vocab_size": 128256,
}


def without(*fields):
    return {field: value for field, value in CONFIG.items() if field not in fields}


def test_a_config_is_read_as_a_dict_as_text_and_from_a_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG, indent=2), encoding="utf-8")
    for source in (CONFIG, json.dumps(CONFIG), "\n  " + json.dumps(CONFIG), path, str(path)):
        assert Model.from_hf(source) == replace(LLAMA_3_8B, name="llama")


@pytest.mark.parametrize(
    "config, changes",
    [
        ({"_name_or_path": "mine"}, {"name": "mine"}),
        ({"num_key_value_heads": None}, {"kv_heads": 32}),
        ({"head_dim": 64}, {"head_dim": 64}),
        ({"head_dim": None}, {}),
        ({"num_attention_heads": 24, "head_dim": 128}, {"heads": 24}),
        ({"tie_word_embeddings": True}, {"tied_embeddings": True}),
        ({"torch_dtype": "float32"}, {"weight_dtype": "fp32", "kv_dtype": "fp32"}),
        ({"dtype": "float16", "torch_dtype": None}, {"weight_dtype": "fp16", "kv_dtype": "fp16"}),
        ({"model_type": "mistral", "sliding_window": 4096}, {"name": "mistral", "window": 4096}),
        ({"model_type": "mistral", "sliding_window": None}, {"name": "mistral"}),
        (
            {"model_type": "mistral", "sliding_window": None, "num_key_value_heads": None},
            {"name": "mistral", "kv_heads": 32},
        ),
        ({"quantization_config": None}, {}),
        ({"quantization_config": {}, "pruned_heads": {}, "num_local_experts": 0}, {}),
        ({"layer_types": ["full_attention"] * 32}, {}),
        (
            {"model_type": "mistral", "sliding_window": 4096, "layer_types": ["sliding_attention"] * 32},
            {"name": "mistral", "window": 4096},
        ),
        ({"dtype": "bfloat16"}, {}),
        ({"dtype": None}, {}),
        ({"hidden_act": "relu"}, {}),
    ],
)
def test_fields_of_a_config(config, changes):
    assert Model.from_hf(CONFIG | config) == replace(LLAMA_3_8B, **{"name": "llama"} | changes)


def test_what_a_config_may_leave_out():
    assert Model.from_hf(without("num_key_value_heads")).kv_heads == 32
    assert Model.from_hf(without("tie_word_embeddings")).tied_embeddings is False
    assert Model.from_hf(without("torch_dtype") | {"dtype": "bfloat16"}).weight_dtype == "bf16"


REQUIRED = ["model_type", "hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size", "vocab_size"]


@pytest.mark.parametrize("field", [*REQUIRED, "torch_dtype"])
def test_a_missing_field_is_named(field):
    with pytest.raises(ValueError, match=f"{field} is missing"):
        Model.from_hf(without(field))


@pytest.mark.parametrize("field", ["sliding_window", "num_key_value_heads"])
def test_a_field_that_mistral_must_have_is_named(field):
    mistral = CONFIG | {"model_type": "mistral", "sliding_window": 4096}
    del mistral[field]
    with pytest.raises(ValueError, match=f"{field} is missing"):
        Model.from_hf(mistral)


@pytest.mark.parametrize(
    "config, says",
    [
        ({"model_type": "mamba"}, ["model_type", "'llama'", "'mamba'", "Model(...) describes any other dense decoder"]),
        ({"model_type": 3}, ["model_type", "str", "3"]),
        ({"hidden_size": "4096"}, ["hidden_size", "int", "'4096'"]),
        ({"hidden_size": 4096.0}, ["hidden_size", "int", "4096.0"]),
        ({"num_hidden_layers": True}, ["num_hidden_layers", "int", "True"]),
        ({"num_hidden_layers": 0}, ["layers", "at least 1", "0"]),
        ({"num_attention_heads": 0}, ["num_attention_heads", "0"]),
        ({"num_attention_heads": 24}, ["head_dim", "24", "4096"]),
        ({"num_key_value_heads": 5}, ["kv_heads", "32", "5"]),
        ({"tie_word_embeddings": "false"}, ["tie_word_embeddings", "bool", "'false'"]),
        ({"torch_dtype": "int4"}, ["torch_dtype", "'bfloat16'", "'int4'"]),
        ({"torch_dtype": None}, ["torch_dtype", "str", "None"]),
        ({"attention_bias": True}, ["attention_bias", "false", "True"]),
        ({"mlp_bias": True}, ["mlp_bias", "false", "True"]),
        ({"quantization_config": {"quant_method": "awq"}}, ["quantization_config", "absent", "awq"]),
        ({"compression_config": {"format": "dense"}}, ["compression_config", "absent", "dense"]),
        ({"pruned_heads": {"0": [1]}}, ["pruned_heads", "absent", "{'0': [1]}"]),
        ({"num_local_experts": 8}, ["num_local_experts", "absent", "8"]),
        ({"n_routed_experts": 64}, ["n_routed_experts", "absent", "64"]),
        ({"layer_types": "full_attention"}, ["layer_types", "list", "'full_attention'"]),
        (
            {"layer_types": ["full_attention", "linear_attention"]},
            ["layer_types", "'full_attention'", "linear_attention"],
        ),
        ({"layer_types": ["sliding_attention"]}, ["layer_types", "'full_attention'", "['sliding_attention']"]),
        (
            {"model_type": "mistral", "sliding_window": 4096, "layer_types": ["full_attention", "sliding_attention"]},
            ["layer_types", "'sliding_attention' in every layer", "['full_attention', 'sliding_attention']"],
        ),
        ({"dtype": "float16"}, ["torch_dtype", "'float16'", "'bfloat16'"]),
        ({"dtype": ""}, ["dtype must be one of", "'bfloat16'", "not ''"]),
        ({"model_type": "mistral", "sliding_window": 0}, ["window", "at least 1", "0"]),
        ({"model_type": "mistral", "sliding_window": "4096"}, ["sliding_window", "int", "'4096'"]),
    ],
)
def test_a_config_that_is_not_understood_is_an_error(config, says):
    with pytest.raises(ValueError) as error:
        Model.from_hf(CONFIG | config)
    assert all(part in str(error.value) for part in says)


@pytest.mark.parametrize("source", [None, 8, b"{}", ["llama"]])
def test_a_source_of_another_type_is_an_error(source):
    with pytest.raises(TypeError, match="source must be the path of a config.json, its JSON text or a dict, not"):
        Model.from_hf(source)


def test_text_that_is_no_json_object_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="source must hold JSON"):
        Model.from_hf('{"hidden_size": ')
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(ValueError, match="source must hold a JSON object"):
        Model.from_hf(tmp_path / "list.json")
    for text in ("\ufeff" + json.dumps(CONFIG), '{"a": 1\0}', '{"a": ' * 100_000, f'{{"a": {"9" * 5000}}}'):
        with pytest.raises(ValueError, match="source must hold JSON, not "):
            Model.from_hf(text)


@pytest.mark.parametrize("source", ["", "missing.json", "[1]", "a" * 5000, "nul\0.json", "\ufeff[1]"])
def test_a_path_that_cannot_be_read_is_named(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for each in (source, Path(source)):
        with pytest.raises(ValueError) as error:
            Model.from_hf(each)
        accepted = "source must be the path of a config.json, its JSON text or a dict"
        assert str(error.value).startswith(f"{accepted}, not {each!r}: ")


def test_a_file_that_is_no_text_is_named(tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(ValueError, match="source must be the path of .*config.json.*utf-8"):
        Model.from_hf(path)
