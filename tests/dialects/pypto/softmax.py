@pl.function(type=pl.FunctionType.InCore)
def softmax(x: pl.Tensor[[32, 128], pl.FP32], out: pl.Tensor[[32, 128], pl.FP32]) -> pl.Tensor[[32, 128], pl.FP32]:
    t: pl.Tile[[32, 128], pl.FP32] = pl.tile.load(x, [0, 0], [32, 128])
    scratch: pl.Tile[[32, 128], pl.FP32] = pl.tile.create([32, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
    top: pl.Tile[[32, 1], pl.FP32] = pl.tile.row_max(t, scratch)
    centred: pl.Tile[[32, 128], pl.FP32] = pl.tile.row_expand_sub(t, top)
    e: pl.Tile[[32, 128], pl.FP32] = pl.tile.exp(centred)
    total: pl.Tile[[32, 1], pl.FP32] = pl.tile.row_sum(e, scratch)
    p: pl.Tile[[32, 128], pl.FP32] = pl.tile.row_expand_div(e, total)
    result: pl.Tensor[[32, 128], pl.FP32] = pl.tile.store(p, [0, 0], out)
    return result
