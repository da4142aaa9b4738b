@pl.function
def clamp_rows(x: pl.Tensor[[64], pl.INT32], limit: pl.Scalar[pl.INT32], count: pl.Scalar[pl.INDEX]):
    for i in pl.parallel(0, count, 1):
        v: pl.Scalar[pl.INT32] = pl.tensor.read(x, [i])
        if v > limit and not v == 0 or v < pl.const(-8, pl.INT32):
            done: pl.Tensor[[64], pl.INT32] = pl.tensor.write(x, [i], limit)
        if v != limit:
            kept: pl.Tensor[[64], pl.INT32] = pl.tensor.write(x, [63 - i], v)
        else:
            if v >= 0:
                same: pl.Scalar[pl.BOOL] = True
