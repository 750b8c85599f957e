"""Simulations that documents refer to: how often intervals cover, and whether promises are kept."""
