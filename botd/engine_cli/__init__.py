"""`botd-engine`: the engine for scripts, tests and comparison, one JSON object per answer."""
