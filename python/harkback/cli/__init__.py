"""The command `harkback`."""


def main() -> None:
    """Entry point."""
