"""Readers of data that are not in memory. Each imports its engine inside its functions only."""
