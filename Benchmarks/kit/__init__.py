"""What the benchmarks share. Standard library only, but for `duck`."""
