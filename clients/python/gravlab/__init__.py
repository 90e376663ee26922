"""Drive gravlab, the real-time N-body laboratory.

    import gravlab
    with gravlab.open("galaxy", bodies=65536, accuracy=1e-3) as run:
        run.step(100)
        run.positions          # (N, 3) array in the run's units
        run["softening"] = "0.3 kpc"
        run.picture(1280, 720)

gravlab.connect("http://127.0.0.1:7777/#d=...") joins a run of `gravlab serve` instead.

A refusal is a gravlab.Refused, what could not be done a gravlab.Failed, a program that ended a gravlab.Ended; each
with the program's own sentence.
"""

from .remote import connect
from .run import Ended, Failed, GravlabError, Picture, Refused, Run, help, open, parameters

__all__ = ["Ended", "Failed", "GravlabError", "Picture", "Refused", "Run", "connect", "help", "open", "parameters"]
