"""Host code and its launches: what `kernel[grid](...)` means, and a module's code run."""
