"""The figures that texts quote, each as text, by subject."""
