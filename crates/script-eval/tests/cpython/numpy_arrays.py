"""Records what numpy computes: run with CPython 3.11 and numpy 2, writes numpy_arrays.jsonl beside this file.

Each case is a program that sets `result`; recorded is `repr(result)`, or the exception it raises and its text.
"""

import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import json

from library import record

LINES = """
np.array([1, 2, 3])
np.array([[1, 2], [3, 4]])
np.array([1.5, 2, 3.25])
np.array([True, False])
np.array([1, 2.5], dtype=np.float32)
np.array([1, 2], dtype='int8')
np.array(5), np.array([]), np.array([[], []])
np.array([[1], [2, 3]])
np.array([1, [2]])
np.array([300], dtype='int8')
np.array([1.7, -1.7]).astype('int32')
np.zeros((2, 3)), np.ones(3, dtype=int), np.full((2, 2), 7), np.empty(0)
np.zeros(-1)
np.zeros((2, 'a'))
np.zeros_like(np.array([1, 2])), np.ones_like(np.array([1.5])), np.full_like(np.array([1, 2]), 9)
np.arange(5), np.arange(2, 10, 3), np.arange(0, 1, 0.25), np.arange(3, dtype='float32'), np.arange(5, 0, -2)
np.arange(0)
np.arange(1, 2, 0)
np.linspace(0, 1, 5), np.linspace(1, 2, 3, endpoint=False), np.linspace(0, 10, 1)
np.arange(6).reshape(2, 3), np.arange(6).reshape((3, -1)), np.arange(6).reshape(-1)
np.arange(6).reshape(4, 2)
np.arange(6).reshape(-1, -1)
np.arange(6).reshape(2, 3).T, np.arange(6).reshape(1, 2, 3).transpose(2, 0, 1)
np.arange(6).reshape(2, 3).transpose(0, 0)
np.arange(6).reshape(2, 3).sum(), np.arange(6).reshape(2, 3).sum(axis=0), np.arange(6).reshape(2, 3).sum(axis=1, keepdims=True)
np.arange(6).reshape(2, 3).mean(), np.arange(6).reshape(2, 3).max(axis=0), np.arange(6).reshape(2, 3).argmax(), np.arange(6).min()
np.prod([2, 3, 4]), np.prod((2, 3.5)), np.prod([]), np.sum([True, True]), np.prod(np.array([100, 100], dtype='int8'))
np.max([])
np.sum(np.ones(3, dtype='float32')), np.sum(np.ones(3, dtype='uint8')), np.mean(np.ones(3, dtype='float32'))
np.all([1, 0]), np.any([0, 0, 1]), np.array([True, False]).all()
np.array([1, 2]) + 1, np.array([1, 2]) * 2.5, 2 - np.array([1, 2]), np.array([1, 2]) / 2, np.array([7, -7]) // 2, np.array([7, -7]) % 3
np.array([1, 2]) + np.array([[10], [20]])
np.array([1, 2]) + np.array([1, 2, 3])
np.array([1, 2], dtype='int8') + 1, np.array([1, 2], dtype='float32') * 2.5, np.array([1], dtype='int8') + np.array([1], dtype='uint8')
np.array([100], dtype='int8') + np.array([100], dtype='int8'), np.array([200], dtype='uint8') * np.array([2], dtype='uint8')
np.array([1], dtype='int8') + 300
np.array([1], dtype='uint8') - 1, -np.array([1], dtype='uint8')
np.array([2**62]) * 4, np.array([2**63], dtype='uint64') + 1
np.array([1, 2]) ** 2, np.array([1, 2]) ** 0.5, 2 ** np.array([1, 2]), np.array([-2, 3]) ** 3
np.array([1, 2]) ** -1
np.array([6, 5]) & 3, np.array([6, 5]) | 1, np.array([6, 5]) ^ 7, ~np.array([1, 2]), np.array([1]) << 3, np.array([-8]) >> 1
np.array([1.5]) & 1
~np.array([1.5])
-np.array([True])
np.array([True, False]) + np.array([True, True]), np.array([True]) * np.array([False]), ~np.array([True])
np.array([True]) - np.array([True])
np.array([1, 2, 3]) > 2, np.array([1, 2]) == np.array([1, 3]), np.array([1, 2]) != 2, np.array([1.0, np.nan]) == np.nan
np.array([1, 2]) == 'a'
bool(np.array([1, 2]))
bool(np.array([1])), bool(np.array([0.0])), bool(np.array(3))
bool(np.array([]))
len(np.zeros((3, 2))), list(np.array([1, 2])), [x for x in np.array([[1, 2], [3, 4]])]
len(np.array(5))
list(np.array(5))
np.arange(5)[7]
np.arange(5)[1, 2]
np.arange(5)['a']
np.arange(5)[1.5]
np.arange(12).reshape(3, 4)[1], np.arange(12).reshape(3, 4)[1, 2], np.arange(12).reshape(3, 4)[:, 1], np.arange(12).reshape(3, 4)[1:, ::2], np.arange(12).reshape(3, 4)[..., 0]
np.float32(1.1), np.float64(1.1), np.int8(5), np.float16(1.1), np.bool_(True), np.int64(7), np.uint8(255)
np.float32(1.1) + 1, np.float32(1) + np.float64(1), np.int8(5) + 1, np.int32(5) * 2.0, 1 + np.int64(2), np.int64(7) // 2, np.float32(0.1) * 3
np.int8(300)
str(np.float32(1.1)), str(np.int8(3)), f'{np.float32(1.5)}', '%s' % np.int64(3), str(np.float16(0.1)), str(np.float32(1e20)), str(np.float32(1e-7)), str(np.float64(0.1))
f'{np.float32(1.5):.3f}', f'{np.int64(5):04d}', '%d' % np.int64(5), '%.2f' % np.float32(2.5), round(np.float64(2.567), 1)
int(np.int64(5)), float(np.float32(1.5)), [10, 20, 30][np.int64(1)], list(range(np.int64(3))), int(np.float64(2.9))
np.int64(3) == 3, np.float32(0.5) == 0.5, np.int64(3) < 4, np.int64(3) == np.float64(3)
isinstance(np.int64(3), np.int64), isinstance(np.zeros(1), np.ndarray), isinstance(np.float32(1), np.float64), type(np.int64(1)).__name__
np.array([1, 2, 3]).shape, np.zeros((2, 3)).ndim, np.zeros((2, 3)).size, str(np.zeros(1).dtype), np.zeros(2, dtype='float32').itemsize, np.zeros(3).nbytes
np.zeros(1).dtype == 'float64', np.zeros(1, dtype='int8').dtype == np.int8, np.dtype('float32') == np.float32, np.dtype('f4').name, str(np.dtype(int)), np.dtype('int16').itemsize
np.dtype('nope')
np.array([[1, 2], [3, 4]]).tolist(), np.array(5).tolist(), np.array([1.5]).item(), np.array([[1, 2]]).flatten(), np.array([1, 2]).item(1)
np.array([1, 2]).item()
np.concatenate([[1], [[2]]])
np.concatenate([])
np.sqrt(np.array([4], dtype='int8')), np.sqrt(np.array([4], dtype='int16')), np.sqrt(np.array([4], dtype='int32'))
np.squeeze(np.zeros((1, 3, 1))).shape, np.expand_dims(np.zeros(3), 0).shape, np.broadcast_to([1, 2], (2, 2)), np.ravel([[1, 2], [3, 4]])
np.pi, np.inf, np.e, np.nan
np.array([0.1, 0.25, 1 / 3]), np.array([1e10, 2.5]), np.array([1e-5, 1.0]), np.array([1.0, np.nan, np.inf, -1.5]), np.array([0.1], dtype='float32'), np.array([1e20, 1.0], dtype='float32'), np.array([1.5, 2.25], dtype='float16')
np.array([-1, 10, 100]), np.array([[1.5, -22.25], [3, 4]]), np.zeros((2, 2, 2), dtype=int)
str(np.array([1, 2])), str(np.array([[1.5, 2], [3, 4]])), str(np.array([True, False])), str(np.array([]))
np.arange(40), np.arange(30.0), np.arange(2000), str(np.arange(1200).reshape(40, 30)), np.arange(20, dtype='int8')
np.array([5, 0]) // 0, np.array([5, 0]) % 0
{np.int64(1): 2}[np.int64(1)], hash(np.array([1, 2]))
tuple(np.array([1, 2]).shape) + (3,), np.array(range(3)), np.array((1, 2)), np.array([np.int8(1), np.float32(2)])
sum(np.array([1, 2, 3])), max(np.array([1, 5])), sorted(np.array([3, 1])), 2 in np.array([1, 2])
abs(np.array([-1, 2])), abs(np.float32(-1.5)), divmod(np.int64(7), 2), round(np.float32(2.5)), pow(np.int64(2), 3)
"""

PROGRAMS = r"""
import numpy as np\na = np.zeros((2, 3))\na[0, 1] = 5\na[1] = [1, 2, 3]\na[:, 0] += 10\nresult = a
import numpy as np\na = np.arange(6).reshape(2, 3)\nb = a[0]\nb[0] = 99\nc = a.copy()\nc[1, 1] = -1\nresult = a, b, c
import numpy as np\na = np.arange(3)\na[0] = 2.9\nresult = a
import numpy as np\na = np.arange(3)\na[:2] = [1, 2, 3]
import numpy as np\na = np.arange(3, dtype='float32')\nb = a\na *= 2\na += np.ones(3)\nresult = a, b is a
import numpy as np\na = np.zeros(3, dtype='int8')\na[0] = 300
import numpy as np\na = np.zeros(2)\na.fill(3)\na.shape\nresult = a
import numpy as np\nresult = np.random
from numpy import array, float32\nresult = array([1], dtype=float32)
import numpy as np\nresult = float(sum(0.1 * np.ones(100))), float(np.sum(np.full(1000, 0.1))), float(np.sum(np.full(1000, 0.1, dtype='float32')))
"""


def programs():
    for line in filter(None, LINES.split("\n")):
        yield f"import numpy as np\nresult = ({line})"
    for line in filter(None, PROGRAMS.split("\n")):
        if "np.random" not in line:
            yield line.replace("\\n", "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with open(pathlib.Path(__file__).with_name("numpy_arrays.jsonl"), "w") as out:
        for code in programs():
            out.write(json.dumps(record(code)) + "\n")
