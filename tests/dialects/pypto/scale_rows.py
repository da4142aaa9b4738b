@pl.function(type=pl.FunctionType.InCore)
def scale_rows(x: pl.Tensor[[128, 32], pl.FP16], factors: pl.Tensor[[128, 1], pl.FP16], out: pl.Tensor[[128, 32], pl.FP16]) -> pl.Tensor[[128, 32], pl.FP16]:
    for i in pl.range(0, 8, 1):
        rows: pl.Tile[[16, 32], pl.FP16] = pl.tile.load(x, [i * 16, 0], [16, 32])
        factor: pl.Tile[[16, 1], pl.FP16] = pl.tile.load(factors, [i * 16, 0], [16, 1])
        scaled: pl.Tile[[16, 32], pl.FP16] = pl.tile.row_expand_mul(rows, factor)
        out_next: pl.Tensor[[128, 32], pl.FP16] = pl.tile.store(scaled, [i * 16, 0], out)
    return out
