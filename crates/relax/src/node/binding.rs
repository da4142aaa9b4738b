//! Bindings of variables, and blocks of them.

use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::type_table::EqSteps;
use tvmscript_ir_core::{Array, Class, Node, Object, Ref, Span};

use super::{Expr, Function, StructInfo, Var};

/// A variable and where its value comes from (`relax.expr.Binding`).
#[derive(Class)]
#[class(key = "relax.expr.Binding")]
pub struct Binding(());

/// `x = value`
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.VarBinding", parent = Binding, custom_eq = var_binding_eq)]
pub struct VarBinding {
    /// Where it was written.
    pub span: Span,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// The value.
    pub value: Expr,
}

const VAR: usize = 1;
const VALUE: usize = 2;

/// The value comes first, so that a variable in it never stands for the bound one; a function may call itself, so there the
/// variable is first.
/// # Source
/// `VarBindingNode::SEqual`, `src/relax/ir/expr.cc`.
fn var_binding_eq<'a>(lhs: &'a Object, _: &'a Object, steps: &mut EqSteps<'a>) {
    let is_function = lhs.as_node::<VarBinding>().is_some_and(|b| b.value.is::<Function>());
    if is_function {
        steps.def_field(VAR);
        steps.field(VALUE);
    } else {
        steps.field(VALUE);
        steps.def_field(VAR);
    }
}

/// `x = R.match_cast(value, struct_info)`: what is known of the value is stated, and names are given to what it holds.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.MatchCast", parent = Binding, defines = MatchCast::defines)]
pub struct MatchCast {
    /// Where it was written.
    pub span: Span,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// The value.
    pub value: Expr,
    /// What is stated.
    #[node(def)]
    pub struct_info: Ref<StructInfo>,
}

impl MatchCast {
    /// The variable, and the variables of the stated shape that stand here for the first time.
    fn defines(&self, definitions: &mut Definitions) {
        definitions.define_unused_below(self.struct_info.object());
        definitions.define(self.var.object());
    }
}

/// Bindings in order.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.BindingBlock")]
pub struct BindingBlock {
    /// The bindings.
    pub bindings: Array<Ref<Binding>>,
    /// Where it was written.
    pub span: Span,
}

/// Bindings without effects and branches; only some of the variables are visible outside. Shares the struct of
/// [`BindingBlock`], whose subtype it is.
pub fn dataflow_block_type() -> &'static tvmscript_ir_core::TypeInfo {
    use tvmscript_ir_core::EqKind;
    use tvmscript_ir_core::type_table::{Shape, TypeDecl, register_node};
    static INFO: std::sync::OnceLock<&'static tvmscript_ir_core::TypeInfo> = std::sync::OnceLock::new();
    INFO.get_or_init(|| {
        let block = BindingBlock::type_info();
        register_node::<BindingBlock>(TypeDecl {
            key: "relax.expr.DataflowBlock",
            parent: Some(block),
            missing_parent: None,
            eq: EqKind::Tree,
            custom_eq: None,
            shape: Shape::Fields,
            fields: block.fields(),
        })
    })
}

/// Whether a block is a dataflow block.
pub fn is_dataflow_block(block: &Ref<BindingBlock>) -> bool {
    std::ptr::eq(block.object().info(), dataflow_block_type())
}

impl BindingBlock {
    /// A block of these bindings.
    pub fn new(bindings: impl IntoIterator<Item = Ref<Binding>>, is_dataflow: bool) -> Ref<BindingBlock> {
        let block = BindingBlock { bindings: bindings.into_iter().collect(), span: Span::current() };
        if is_dataflow { Ref::new_as(dataflow_block_type(), block) } else { Ref::new(block) }
    }
}
