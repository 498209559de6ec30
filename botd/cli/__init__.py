"""The command `botd`: one module for each subcommand."""
