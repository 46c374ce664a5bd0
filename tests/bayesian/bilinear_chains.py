"""Chains of BTF and MrWTD-B for tests, and draws from the prior of their relations."""

import numpy as np

from mrwtd.bayesian.gibbs.bilinear_chain import BilinearChain
from mrwtd.model.layout import Factors


def some_factors(data, rank, seed=1):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(data.n_relations, rank, rank))
    for k, relation in enumerate(data.relations):
        if not relation.directed:
            R[k] += R[k].T
    return Factors(rng.normal(size=(data.n_objects, rank)), R, ())


def chain_of(data, y, kinds, start, b, rng, **options):
    """A chain with a kind of likelihood for each relation; their values are views of y."""
    triples = zip(kinds, data.relations, map(data.slice, range(data.n_relations)), strict=True)
    likelihoods = [kind(relation, y[part], data.w[part]) for kind, relation, part in triples]
    return BilinearChain(data, likelihoods, start, b, rng, **options)


def draw_relations(prior, R, rng):
    """The means and all R_k, given the scales of the prior."""
    # The density depends on ‖R‖², which counts an off-diagonal entry of a symmetric R twice.
    scales = {
        unknowns.directed: np.where((unknowns.p == unknowns.q) | unknowns.directed, 1.0, np.sqrt(0.5))
        for unknowns in prior.unknowns
    }
    for directed, scale in scales.items():
        prior.means[directed] = scale * rng.normal(size=scale.size) / np.sqrt(prior.tau_mean)
    for k, unknowns in enumerate(prior.unknowns):
        R[k] = unknowns.unpack(
            prior.mean(k) + scales[unknowns.directed] * rng.normal(size=unknowns.size) / np.sqrt(prior.tau)
        )
    return R
