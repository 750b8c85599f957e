"""Speed and memory of rochull beside other libraries: ``python -m benchmarks core``."""
