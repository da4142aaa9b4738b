@pl.function(type=pl.FunctionType.InCore)
def matmul(a: pl.Tensor[[128, 256], pl.BF16], b: pl.Tensor[[256, 128], pl.BF16], c: pl.Tensor[[128, 128], pl.FP32]) -> pl.Tensor[[128, 128], pl.FP32]:
    acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc] = pl.tile.create([128, 128], dtype=pl.FP32, target_memory=pl.Mem.Acc)
    for k in pl.range(0, 4, 1):
        a_l1: pl.Tile[[128, 64], pl.BF16, pl.Mem.Mat] = pl.tile.load(a, [0, k * 64], [128, 64], target_memory=pl.Mem.Mat)
        b_l1: pl.Tile[[64, 128], pl.BF16, pl.Mem.Mat] = pl.tile.load(b, [k * 64, 0], [64, 128], target_memory=pl.Mem.Mat, transpose=True)
        a_l0: pl.Tile[[128, 64], pl.BF16, pl.Mem.Left] = pl.tile.move(a_l1, target_memory=pl.Mem.Left)
        b_l0: pl.Tile[[64, 128], pl.BF16, pl.Mem.Right] = pl.tile.move(b_l1, target_memory=pl.Mem.Right)
        if k == 0:
            first: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(a_l0, b_l0)
        else:
            more: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_acc(acc, a_l0, b_l0)
    stored: pl.Tensor[[128, 128], pl.FP32] = pl.tile.store(acc, [0, 0], c)
    return stored
