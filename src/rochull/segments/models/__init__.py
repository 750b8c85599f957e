"""Models from a score and a segment to the benefit-cost ratio: Gaussian, logistic, the paper's baselines, and
without bins.

They stand on `base`, whose class says what a model must offer. They never choose among themselves:
`segments.choice` does.
"""
