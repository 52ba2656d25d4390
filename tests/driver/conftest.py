"""A model of a few thousand weights that every test of training can afford."""

from collections.abc import Iterator
from pathlib import Path

import pytest

CHAT = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}assistant: "


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny models compute on one thread: several wait for one another longer than they work."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model, with a tokenizer of bytes and a chat template."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    from kernelwright.agent.rewards import make_reward
    from kernelwright.frontend.agent import FrontendAgentPass
    from kernelwright.frontend.generate import generate_program
    from kernelwright.frontend.importers import import_source

    folder = tmp_path_factory.mktemp("base")
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=3000, special_tokens=["<unk>", "<end>"], initial_alphabet=alphabet)
    asks = FrontendAgentPass().agent("h100", make_reward("frontend"))
    modules = [import_source(generate_program(seed), "program", shrink="never") for seed in range(4)]
    texts = [message.content for module in modules for message in asks.render(module)]
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>", pad_token="<end>")
    fast.chat_template = CHAT
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(fast), num_key_value_heads=2, eos_token_id=fast.eos_token_id, **sizes)
    config.max_position_embeddings = 16384
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
