"""Commands to a running daemon: what they mean, and the local socket they come over."""
