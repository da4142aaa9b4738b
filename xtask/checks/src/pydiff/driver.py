"""Runs programs for `cargo xtask pydiff`: one JSON text a line in, one JSON object a line out."""

import io
import json
import signal
import sys
import warnings

warnings.simplefilter("ignore")
# Programs may print.
answers, sys.stdout = sys.stdout, io.StringIO()


class TooSlow(BaseException):
    pass


def too_slow(*_):
    raise TooSlow


signal.signal(signal.SIGALRM, too_slow)
sys.setrecursionlimit(1000)

def run(code):
    names = {"__name__": "__main__"}
    try:
        exec(code, names)
        return {"value": repr(names["result"])}
    except SyntaxError:
        # The project reads newer f-strings, too.
        return {"skip": "syntax"}
    except MemoryError:
        return {"skip": "memory"}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


for line in sys.stdin:
    try:
        signal.setitimer(signal.ITIMER_REAL, 5)
        answer = run(json.loads(line))
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TooSlow:
        answer = {"skip": "too slow"}
    # What this project does not have: complex numbers, halves of surrogate pairs, errors of memory that can be caught.
    text = answer.get("value", "") + answer.get("message", "")
    if "complex" in text or "\\ud" in text or "MemoryError" in text:
        answer = {"skip": "not supported"}
    sys.stdout.truncate(sys.stdout.seek(0))
    print(json.dumps(answer), file=answers)
answers.flush()
