"""The candidate's side: its host code runs here, on tensors whose content is withheld from it."""
