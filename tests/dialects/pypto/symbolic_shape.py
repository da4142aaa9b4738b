@pl.function
def symbolic_shape(n: pl.Scalar[pl.INDEX], x: pl.Tensor[[n, 64], pl.FP32]) -> pl.Tensor[[n, 64], pl.FP32]:
    rows: pl.Scalar[pl.INDEX] = pl.tensor.dim(x, 0)
    part: pl.Tensor[[rows, 32], pl.FP32] = pl.tensor.slice(x, [rows, 32], [0, 32])
    low: pl.Tensor[[rows, 32], pl.FP32] = pl.tensor.minimum(part, part)
    return x
