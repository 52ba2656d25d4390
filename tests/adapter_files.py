"""Files of adapters that hold nothing."""

#: safetensors without a tensor: the length of a header, and an empty one.
NO_WEIGHTS = (2).to_bytes(8, "little") + b"{}"
