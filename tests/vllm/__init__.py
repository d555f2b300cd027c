"""vLLM asked for real, on the CPU: run by `make test-vllm` alone, in an environment of its own."""
