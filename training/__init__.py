"""Learners: training runs that fit a policy to the game's own payoffs."""
