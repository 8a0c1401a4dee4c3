"""Imitation: a network learns what a teacher does, as a warm start for self-play.

`args` what a run is made of, `stream` decisions straight from the engine, `learn` the fitting,
`run` the loop and its checkpoints, `report` what is left for the reader.
"""
