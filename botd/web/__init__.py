"""HTTP for people and their browsers: the server that `botd.metrics` uses too, and the status page."""
