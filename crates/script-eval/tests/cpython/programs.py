"""Records what CPython makes of the programs in programs/*.py: run with CPython 3.11, writes programs.jsonl beside this file.

A line `# case: NAME` starts a program, which sets `result`. Recorded is `repr(result)`, or the exception it raises and its text.
"""

import json
import pathlib

here = pathlib.Path(__file__).parent


def record(name, code):
    scope = {"__name__": "__main__"}
    case = {"name": name, "code": code}
    try:
        exec(compile(code, name, "exec"), scope)
        case["result"] = repr(scope["result"])
    except BaseException as error:
        case["error"] = type(error).__name__
        case["message"] = str(error)
    return case


lines = []
for path in sorted((here / "programs").glob("*.py")):
    for part in ("\n" + path.read_text()).split("\n# case: ")[1:]:
        name, code = part.split("\n", 1)
        lines.append(json.dumps(record(f"{path.stem}: {name}", code.rstrip("\n"))))
(here / "programs.jsonl").write_text("\n".join(lines) + "\n")
