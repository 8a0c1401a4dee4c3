"""Learners: training runs that fit a policy to the game's own payoffs."""

import os

# Torch's threads wait for each other by spinning, which costs nothing while every thread has a
# core to itself and makes training ten times slower where another process wants that core. A short
# spin keeps the speed of the one and mends the other; it must be said before torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "2000")
