"""python -m training.imitate"""

import sys

from training.imitate.run import main

if __name__ == "__main__":
    sys.exit(main())
