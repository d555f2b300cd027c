"""The small packaged GGUF model as a Hugging Face model folder, which is what vLLM loads.

``python -m tests.vllm.hf_folder FOLDER`` makes it. The weights are the GGUF's, dequantised to bfloat16; the tokenizer
and the chat template are the GGUF's too. The folder appears under its name only once the model in it has answered a
question sensibly, so that a folder that exists is a good one.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from polibias.models.llama_local import packaged_model

QUESTION, ANSWER = "What is the capital of France?", "Paris"


def make(folder: Path) -> None:
    """Convert the packaged model to `folder`. Raises ValueError if what comes out does not answer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    gguf = packaged_model()
    place = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    if not tokenizer.chat_template:
        raise ValueError(f"{gguf.name} has no chat template")
    whole = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32)
    half_made = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(half_made, ignore_errors=True)
    _plain(whole, torch.bfloat16).save_pretrained(half_made)
    tokenizer.save_pretrained(half_made)
    reply = greedy_reply(half_made, QUESTION)
    if ANSWER not in reply:
        raise ValueError(f"the converted model answers {reply!r} to {QUESTION!r}")
    shutil.rmtree(folder, ignore_errors=True)
    half_made.rename(folder)
    print(f"{folder}: {reply!r}")


def _plain(whole: Any, dtype: Any) -> Any:
    """The same weights in a model that knows nothing of the GGUF's quantization, which vLLM would refuse."""
    from transformers import AutoModelForCausalLM

    known = {name: value for name, value in whole.config.to_dict().items() if name != "quantization_config"}
    plain = AutoModelForCausalLM.from_config(type(whole.config).from_dict(known), dtype=dtype)
    plain.load_state_dict(whole.state_dict())
    return plain


def greedy_reply(folder: Path, question: str) -> str:
    """What the model in `folder` says to one user message, the likeliest token each time."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = (kind.from_pretrained(folder) for kind in (AutoTokenizer, AutoModelForCausalLM))
    messages = [{"role": "user", "content": question}]
    asked = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    made = model.generate(**asked, max_new_tokens=24, do_sample=False)
    reply: str = tokenizer.decode(made[0, asked["input_ids"].shape[1] :], skip_special_tokens=True)
    return reply


if __name__ == "__main__":
    make(Path(sys.argv[1]))
