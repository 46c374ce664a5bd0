"""The steps of the Gibbs samplers: draws of rows, relations and priors given everything else."""
