@pl.function(type=pl.FunctionType.InCore)
def layer_norm(x: pl.Tensor[[64, 128], pl.FP16], out: pl.Tensor[[64, 128], pl.FP16]) -> pl.Tensor[[64, 128], pl.FP16]:
    for i in pl.parallel(0, 64, 16):
        h: pl.Tile[[16, 128], pl.FP16] = pl.tile.load(x, [i, 0], [16, 128])
        f: pl.Tile[[16, 128], pl.FP32] = pl.tile.cast(h, target_type=pl.FP32)
        scratch: pl.Tile[[16, 128], pl.FP32] = pl.tile.create([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        total: pl.Tile[[16, 1], pl.FP32] = pl.tile.row_sum(f, scratch)
        mean: pl.Tile[[16, 1], pl.FP32] = pl.tile.divs(total, 128.0)
        centred: pl.Tile[[16, 128], pl.FP32] = pl.tile.row_expand_sub(f, mean)
        squared: pl.Tile[[16, 128], pl.FP32] = pl.tile.mul(centred, centred)
        spread: pl.Tile[[16, 1], pl.FP32] = pl.tile.row_sum(squared, scratch)
        variance: pl.Tile[[16, 1], pl.FP32] = pl.tile.adds(pl.tile.divs(spread, 128.0), 0.001)
        inverse: pl.Tile[[16, 1], pl.FP32] = pl.tile.rsqrt(variance)
        normal: pl.Tile[[16, 128], pl.FP32] = pl.tile.row_expand_mul(centred, inverse)
        rounded: pl.Tile[[16, 128], pl.FP16] = pl.tile.cast(normal, target_type=pl.FP16, mode="rint")
        stored: pl.Tensor[[64, 128], pl.FP16] = pl.tile.store(rounded, [i, 0], out)
    return out
