"""bgammon.org and servers like it: commands as text, events as JSON, over TCP or WebSocket."""
