"""Policies that can be used: vLLM, an OpenAI-compatible server, Hugging Face, and answers recorded before."""
