@pl.function(type=pl.FunctionType.InCore)
def tile_add(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], out: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
    ta: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
    tb: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
    tc: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.tile.add(ta, tb)
    result: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(tc, [0, 0], out)
    return result
