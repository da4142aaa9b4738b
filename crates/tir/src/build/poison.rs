//! What stands for nodes of this dialect that could not be made.

use tvmscript_ir_core::{Array, DataType, NameCell, Ref, Span, poison_node};
use tvmscript_prim::{PrimExpr, Var};

use crate::node::{Buffer, BufferRegion, BufferType, IterType, IterVar};

poison_node! {
    Buffer => Ref::new(Buffer {
        data: Var::poison(),
        dtype: DataType::VOID,
        shape: Array::default(),
        strides: Array::default(),
        axis_separators: Array::default(),
        elem_offset: PrimExpr::poison(),
        name: NameCell::from("poison"),
        data_alignment: 0,
        offset_factor: 0,
        buffer_type: BufferType::Default,
        span: Span::UNKNOWN,
    });
    BufferRegion => Ref::new(BufferRegion { buffer: Buffer::poison(), region: Array::default() });
    IterVar => Ref::new(IterVar {
        dom: None,
        var: Var::poison(),
        iter_type: IterType::Opaque,
        thread_tag: "".into(),
    });
}
