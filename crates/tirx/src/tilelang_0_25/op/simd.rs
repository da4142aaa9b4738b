//! Vector instructions of Ascend, `T.tl.simd.vadd(..)`. Names that begin with `p` work on masks.

use tvmscript_ir_macros::operators;
use tvmscript_prim::{DataType, Expr};
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::VOID;

/// Type of masks.
const MASK: DataType = DataType::BOOL.with_lanes(256);

operators! {
    prefix = "tl.simd.";
    namespace = "tl.simd";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// Adds the elements to a cumulative histogram.
    chistv2(dst, src, mask, bin) -> VOID;
    /// Adds the elements to a histogram.
    dhistv2(dst, src, mask, bin) -> VOID;
    /// Orders the accesses of vector instructions to memory.
    mem_bar(kind) -> VOID;
    /// A vector of a pair.
    pair_get(pair, index) -> same_as(pair), effect = Pure;
    /// Conjunction of masks.
    pand(src0, src1, mask) -> MASK;
    /// The masks of even and odd elements of two masks, as a pair.
    pdintlv(src0, src1, width) -> MASK;
    /// A mask by a pattern, for elements of a width.
    pge(elem_width, dist) -> MASK;
    /// Two masks with the elements of two masks in turn, as a pair.
    pintlv(src0, src1, width) -> MASK;
    /// Loads a mask.
    pld(src, dist) -> MASK;
    /// Negation of a mask.
    pnot(src, mask) -> MASK;
    /// Disjunction of masks.
    por(src0, src1, mask) -> MASK;
    /// A mask for elements of half the number.
    ppack(src, part) -> MASK;
    /// Elements of one mask or another.
    psel(src0, src1, mask) -> MASK;
    /// A mask by a pattern, for elements of a width.
    pset(elem_width, dist) -> MASK;
    /// Stores a mask.
    pst(dst, src, dist) -> VOID;
    /// A mask for elements of twice the number.
    punpack(src, part) -> MASK;
    /// Exclusive disjunction of masks.
    pxor(src0, src1, mask) -> MASK;
    /// A mask of the first `value` elements.
    update_mask(value, width) -> MASK;
    /// Absolute values.
    vabs(src, mask, mode) -> same_as(src);
    /// Absolute differences.
    vabsdif(src0, src1, mask, mode) -> same_as(src0);
    /// Sums.
    vadd(src0, src1, mask, mode) -> same_as(src0);
    /// Sums and carries, as a pair.
    vaddc(src0, src1, mask) -> open;
    /// [`vaddc`] of two vectors and carries.
    vaddcs(src0, src1, carry, mask) -> open;
    /// Sums with a scalar.
    vadds(src, scalar, mask, mode) -> same_as(src);
    /// Bits set in both operands.
    vand(src0, src1, mask, mode) -> same_as(src0);
    /// Adds products with a scalar to a vector.
    vaxpy(dst, src, scalar, mask, mode) -> VOID;
    /// Sum of all elements.
    vcadd(src, mask, mode) -> open;
    /// Sum of the elements of each group.
    vcgadd(src, mask, mode) -> same_as(src);
    /// Maximum of the elements of each group.
    vcgmax(src, mask, mode) -> same_as(src);
    /// Minimum of the elements of each group.
    vcgmin(src, mask, mode) -> same_as(src);
    /// Consecutive numbers from `index` on, in an order.
    vci(index, order) -> open;
    /// Maximum of all elements, with its position.
    vcmax(src, mask, mode) -> same_as(src);
    /// Minimum of all elements, with its position.
    vcmin(src, mask, mode) -> same_as(src);
    /// Comparisons.
    vcmp(src0, src1, mask, op) -> MASK;
    /// Comparisons with a scalar.
    vcmps(src, scalar, mask, op) -> MASK;
    /// Sums of neighbours.
    vcpadd(src, mask, mode) -> same_as(src);
    /// Conversion, with rounding, saturation, part and mode where the types have a choice.
    vcvt(src, mask, *args) -> open;
    /// The even and odd elements of two vectors, as a pair.
    vdintlv(src0, src1) -> open;
    /// Quotients.
    vdiv(src0, src1, mask, mode, **annotations) -> same_as(src0);
    /// A scalar in every element.
    vdup(src, mask, mode) -> open;
    /// An element in every element.
    vdupv(src, mask, pos, mode) -> same_as(src);
    /// Exponentials.
    vexp(src, mask, mode, **annotations) -> same_as(src);
    /// Exponentials of differences.
    vexpdif(src0, src1, mask) -> open;
    /// Elements at indices.
    vgather2(base, index, mask) -> open;
    /// Blocks at offsets.
    vgatherb(base, index, mask = None) -> open;
    /// Two vectors with the elements of two vectors in turn, as a pair.
    vintlv(src0, src1) -> open;
    /// Loads a vector; with `post_inc`, a pair of it and the pointer moved by so many elements.
    vld(src, dist, post_inc = None) -> open;
    /// Loads two vectors, as a pair.
    vld2(src, dist, offset = None) -> open;
    /// Natural logarithms.
    vln(src, mask, mode, **annotations) -> same_as(src);
    /// Leaky rectified linear unit.
    vlrelu(src, alpha, mask) -> same_as(src);
    /// Multiplies a vector by another one and adds a third one.
    vmadd(dst, src0, src1, mask, mode) -> VOID;
    /// Larger values.
    vmax(src0, src1, mask, mode) -> same_as(src0);
    /// Larger values of elements and a scalar.
    vmaxs(src, scalar, mask, mode) -> same_as(src);
    /// Smaller values.
    vmin(src0, src1, mask, mode) -> same_as(src0);
    /// Smaller values of elements and a scalar.
    vmins(src, scalar, mask, mode) -> same_as(src);
    /// Products.
    vmul(src0, src1, mask, mode) -> same_as(src0);
    /// Adds products to a vector.
    vmula(dst, src0, src1, mask, mode) -> VOID;
    /// Low and high parts of products, as a pair.
    vmull(src0, src1, mask) -> open;
    /// Products with a scalar.
    vmuls(src, scalar, mask, mode) -> same_as(src);
    /// Negated elements.
    vneg(src, mask, mode) -> same_as(src);
    /// All bits inverted.
    vnot(src, mask, mode) -> same_as(src);
    /// Bits set in either operand.
    vor(src0, src1, mask, mode) -> same_as(src0);
    /// Elements of half the size.
    vpack(src, part) -> open;
    /// Rectified linear unit with a slope per element.
    vprelu(src0, src1, mask) -> same_as(src0);
    /// Rectified linear unit.
    vrelu(src, mask, mode) -> same_as(src);
    /// Stores elements at indices.
    vscatter(src, base, index, mask) -> VOID;
    /// Elements of one vector or another.
    vsel(src0, src1, mask) -> same_as(src0);
    /// Elements at positions of the vector.
    vselr(src, index) -> open;
    /// Shifts to the left.
    vshl(src0, src1, mask, mode) -> same_as(src0);
    /// Shifts to the left by a scalar.
    vshls(src, scalar, mask, mode) -> same_as(src);
    /// Shifts to the right.
    vshr(src0, src1, mask, mode) -> same_as(src0);
    /// Shifts to the right by a scalar.
    vshrs(src, scalar, mask, mode) -> same_as(src);
    /// Square roots.
    vsqrt(src, mask, mode, **annotations) -> same_as(src);
    /// The elements of the mask, moved together.
    vsqz(src, mask, mode) -> same_as(src);
    /// Stores blocks at a stride; with `post_update`, its value is the pointer moved on.
    vsstb(src, base, stride, mask, post_update = None) -> open;
    /// Stores a vector.
    vsts(dst, src, mask, dist) -> VOID;
    /// Differences.
    vsub(src0, src1, mask, mode) -> same_as(src0);
    /// Differences and borrows, as a pair.
    vsubc(src0, src1, mask) -> open;
    /// [`vsubc`] of two vectors and borrows.
    vsubcs(src0, src1, carry, mask) -> open;
    /// Elements of twice the size.
    vunpack(src, part) -> open;
    /// The number of elements of the mask before each element.
    vusqz(mask) -> open;
    /// Bits that differ.
    vxor(src0, src1, mask, mode) -> same_as(src0);
}
