"""What pages compute from a fitted model: edges, groups, factors, explanations, new objects, reliability, replay."""
