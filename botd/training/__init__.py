"""Training of botd's own small networks. Needs numpy; nothing else of botd imports this."""
