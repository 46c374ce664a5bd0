"""The likelihoods of relations in a Gibbs sampler of x = a_i R_k a_jᵀ + b_k, one module each."""
