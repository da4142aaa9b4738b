//! Bindings and blocks of bindings.

use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::type_table::EqSteps;
use tvmscript_ir_core::{Array, Class, Node, Object, Ref, Span};

use super::{Expr, Function, StructInfo, Var};

/// A binding of a variable (`relax.expr.Binding`).
#[derive(Class)]
#[class(key = "relax.expr.Binding")]
pub struct Binding(());

/// `x = value`
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.VarBinding", parent = Binding, custom_eq = var_binding_eq)]
pub struct VarBinding {
    /// Source span.
    pub span: Span,
    /// Struct info of the variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// Value.
    pub value: Expr,
}

const VAR: usize = 1;
const VALUE: usize = 2;

/// Compares the value first, so that a variable in it never matches the bound one; functions may be recursive, so there
/// the variable is first.
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

/// `x = R.match_cast(value, struct_info)`: checks a value at run time, and binds the variables of the stated struct
/// info.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.MatchCast", parent = Binding, defines = MatchCast::defines)]
pub struct MatchCast {
    /// Source span.
    pub span: Span,
    /// Struct info of the variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// Value.
    pub value: Expr,
    /// Struct info that the cast states.
    #[node(def)]
    pub struct_info: Ref<StructInfo>,
}

impl MatchCast {
    /// Defines the variable, and the variables of the stated struct info at their first occurrence.
    fn defines(&self, definitions: &mut Definitions) {
        definitions.define_unused_below(self.struct_info.object());
        definitions.define(self.var.object());
    }
}

/// Returns the variable and the value of a binding.
pub fn binding_parts(binding: &Ref<Binding>) -> Option<(&Ref<Var>, &Expr)> {
    if let Some(node) = binding.as_node::<VarBinding>() {
        return Some((&node.var, &node.value));
    }
    binding.as_node::<MatchCast>().map(|node| (&node.var, &node.value))
}

/// A sequence of bindings.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.BindingBlock")]
pub struct BindingBlock {
    /// Bindings.
    pub bindings: Array<Ref<Binding>>,
    /// Source span.
    pub span: Span,
}

/// Returns the type of dataflow blocks: pure bindings without branches. A subtype of [`BindingBlock`] that shares its
/// struct.
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

/// Returns `true` for dataflow blocks.
pub fn is_dataflow_block(block: &Ref<BindingBlock>) -> bool {
    std::ptr::eq(block.object().info(), dataflow_block_type())
}

impl BindingBlock {
    /// Creates a block.
    pub fn new(bindings: impl IntoIterator<Item = Ref<Binding>>, is_dataflow: bool) -> Ref<BindingBlock> {
        let block = BindingBlock { bindings: bindings.into_iter().collect(), span: Span::current() };
        if is_dataflow { Ref::new_as(dataflow_block_type(), block) } else { Ref::new(block) }
    }
}
