"""Figures from the journal: are the dice fair, how lucky was who, how well was it played."""
