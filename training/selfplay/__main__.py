"""`python -m training.selfplay`, see `training.selfplay.run`."""

import sys

from training.selfplay.run import main

sys.exit(main())
