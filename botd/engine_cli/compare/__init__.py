"""`botd-engine compare`: our answers beside GNU Backgammon's, recorded or asked for.

The only part of the engine's front that starts another program, and only if it is asked to.
"""
