"""Two kernels made one: the second is read, placed on the tile of the first, and done there."""
