"""Where the device time of a compiled model goes: kernel by kernel, as they run in its graphs."""
