"""What make cluster-chaos is made of: a cluster with proxies, devices with a ledger, and faults."""
