"""`botd bench`: how fast the engine is, beside the peers that are installed, in one run."""
