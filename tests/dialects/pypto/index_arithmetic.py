@pl.function
def index_arithmetic(n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
    a: pl.Scalar[pl.INDEX] = (n + 127) // 128 * 128
    b: pl.Scalar[pl.INDEX] = a - (m - (n - 1)) % 7
    c: pl.Scalar[pl.FP32] = 0.5
    d: pl.Scalar[pl.INDEX] = -a * (b + 1)
    e: pl.Scalar[pl.INT64] = pl.cast(d // 2, pl.INT64)
    return e
