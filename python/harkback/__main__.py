"""``python -m harkback`` is the command ``harkback``."""

from harkback.cli import main

if __name__ == "__main__":
    main()
