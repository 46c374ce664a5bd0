"""Analysis of fitted models for the pages: edges, groups, factors, explanations, new objects, reliability, replay."""
