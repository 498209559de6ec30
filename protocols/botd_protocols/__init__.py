"""Sans-I/O wire protocols of backgammon servers, and local servers that speak them.

Nothing in a protocol module opens a socket, reads a clock or draws a random number: bytes, times and
dice come in as arguments, typed events and bytes to send come out.
"""
