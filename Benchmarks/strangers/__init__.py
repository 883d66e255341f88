"""Clients that mean no good, the honest one beside them, and what it noticed."""
