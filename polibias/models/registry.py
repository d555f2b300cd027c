"""From a model's declaration to the model."""

from typing import assert_never

from polibias.domain.study import AnthropicAPI, AnyModel, Imported, LlamaLocal, OpenAIHTTP, Scripted, VLLMOffline
from polibias.models.base import Model


def open_model(spec: AnyModel, keyless: bool = False) -> Model:
    """The model that a study declares; its adapter is imported here and only if it is used.

    `keyless` opens it without its key, for a look at its requests: nothing can be sent then.
    """
    match spec:
        case AnthropicAPI():
            from polibias.models.anthropic_api import AnthropicModel

            return AnthropicModel(spec, keyless)
        case Imported():
            from polibias.models.imported import ImportedModel

            return ImportedModel(spec)
        case LlamaLocal():
            from polibias.models.llama_local import LlamaModel

            return LlamaModel(spec)
        case OpenAIHTTP():
            from polibias.models.openai_http import OpenAIModel

            return OpenAIModel(spec, keyless)
        case VLLMOffline():
            from polibias.models.vllm_offline import VLLMOfflineModel

            return VLLMOfflineModel(spec, keyless)
        case Scripted():
            from polibias.models.scripted import ScriptedModel

            return ScriptedModel(spec)
        case _:
            assert_never(spec)
