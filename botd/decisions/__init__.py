"""Decisions made by worker processes, with a deadline, whatever happens to a worker."""
