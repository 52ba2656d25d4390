"""Problems and pairs to learn from, and what keeps copies of evaluation problems out of them."""
