@pl.function(type=pl.FunctionType.Orchestration)
def orchestrate(x: pl.Tensor[[256, 256], pl.FP32], w: pl.Tensor[[256, 256], pl.FP32]) -> pl.Tensor[[256, 256], pl.FP32]:
    y: pl.Tensor[[256, 256], pl.FP32] = pl.tensor.matmul(x, w, b_trans=True)
    z: pl.Tensor[[256, 256], pl.FP32] = pl.tensor.create([256, 256], dtype=pl.FP32)
    s: pl.Tensor[[256, 256], pl.FP32] = pl.tensor.add(y, z)
    e: pl.Tensor[[256, 256], pl.FP32] = pl.tensor.exp(s)
    return e
