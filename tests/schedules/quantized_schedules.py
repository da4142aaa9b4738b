def conv2d_cast(sch):
    cast = sch.get_block("cast")
    n, f, y, x = sch.get_loops(cast)
    y0, y1 = sch.split(y, factors=[None, 4])
    sch.reorder(y0, f)
    sch.compute_at("conv2d", y0)
    sch.parallel(y0)

def add(sch):
    loops = sch.get_loops("add")
    sch.vectorize(sch.split(sch.fuse(*loops), factors=[None, 16])[1])
