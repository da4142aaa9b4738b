"""A package with relative imports."""
from . import kernels
from .kernels import *
from .kernels.common import THREADS, ceil_div
