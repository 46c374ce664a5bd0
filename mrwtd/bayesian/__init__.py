"""Bayesian methods: MrWTD-B, BTF and BPTF, with their Gibbs steps."""
