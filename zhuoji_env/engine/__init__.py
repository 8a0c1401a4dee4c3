"""How the game is played: numba kernels over one structured array, rules arriving as a record."""
