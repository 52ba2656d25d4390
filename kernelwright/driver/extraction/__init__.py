"""The kernels that Inductor generates for a model, taken out as problems of their own and answered."""
