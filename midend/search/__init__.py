"""The search for the fastest verified program, and the choices of passes that it draws from."""
