"""What the exit status of `botd` means."""

EXIT_OK = 0
EXIT_FAILURE = 1
"""Something failed while running."""
EXIT_USAGE = 2
"""Wrong arguments or configuration; nothing was started. The status argparse uses, too."""
EXIT_INTERRUPTED = 130
"""Ended by a second interrupt, as a shell reports it."""
