"""What an engine costs: a node beside a sink in its place, and reports from real ones."""
