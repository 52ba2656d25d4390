"""One plug-in of each kind: a pass, a reward, an algorithm, a policy, a target, a problem source, and a recipe."""
