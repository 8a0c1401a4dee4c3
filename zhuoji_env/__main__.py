"""`python -m zhuoji_env`: the `zhuoji` command."""

import sys

from zhuoji_env.cli import main

if __name__ == "__main__":
    sys.exit(main())
