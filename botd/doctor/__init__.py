"""`botd doctor`: what works on this machine with this configuration, what does not, and what to do."""
