"""What a module takes on this machine's GPU."""
