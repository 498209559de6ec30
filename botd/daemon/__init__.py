"""The daemon: sessions that play accounts on servers, and the process around them."""
