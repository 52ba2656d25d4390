"""Entry points: command line, torch.compile backend, wiring."""
