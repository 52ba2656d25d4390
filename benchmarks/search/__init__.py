"""How well `search` does for its seconds."""
