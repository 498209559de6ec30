"""The First Internet Backgammon Server and its relatives: CLIP over TCP."""
