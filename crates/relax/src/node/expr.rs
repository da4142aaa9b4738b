//! Expressions.

use std::sync::OnceLock;

use tvmscript_ir::{Attrs, DictAttrs};
use tvmscript_ir::{BaseFunc, EnvFunc, Omitted, RelaxExpr};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::type_table::{EqSteps, Shape, TypeDecl, register_node};
use tvmscript_ir_core::{
    Array, Class, DataType, EqKind, FieldRef, NameCell, Node, Object, Ref, Span, Str, TypeInfo,
};
use tvmscript_prim as prim;
use tvmscript_prim::{BaseExpr, Op, PrimExpr};

use super::{BindingBlock, ObjectStructInfo, StructInfo, TensorStructInfo};

/// A Relax expression or an operator.
pub type Expr = Ref<BaseExpr>;

/// An expression that needs no evaluation (`relax.expr.LeafExpr`).
#[derive(Class)]
#[class(key = "relax.expr.LeafExpr", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct LeafExpr(());

/// A call of an operator, a function, a variable that holds one, or an external function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Call", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct Call {
    /// Source span.
    pub span: Span,
    /// Struct info, once inferred.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Callee.
    pub op: Expr,
    /// Arguments.
    pub args: Array<Expr>,
    /// Attributes; their class depends on the operator.
    pub attrs: Option<Ref<Attrs>>,
    /// Struct info that the call states.
    pub sinfo_args: Array<Ref<StructInfo>>,
}

impl Call {
    /// Creates a call of the operator with this name (`relax.add`), without struct info.
    pub fn of_op(name: &str, args: impl IntoIterator<Item = Expr>, attrs: Option<Ref<Attrs>>) -> Ref<Call> {
        Call::new(Op::get(name).upcast(), args, attrs, [])
    }

    /// Creates a call without struct info.
    pub fn new(
        op: Expr,
        args: impl IntoIterator<Item = Expr>,
        attrs: Option<Ref<Attrs>>,
        sinfo_args: impl IntoIterator<Item = Ref<StructInfo>>,
    ) -> Ref<Call> {
        let (args, sinfo_args) = (args.into_iter().collect(), sinfo_args.into_iter().collect());
        Ref::new(Call { span: Span::current(), struct_info_: None, op, args, attrs, sinfo_args })
    }

    /// Returns the name of the called operator.
    pub fn op_name(&self) -> Option<&str> {
        self.op.as_node::<Op>().map(|op| op.name.as_str())
    }
}

/// A tuple.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Tuple", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct Tuple {
    /// Source span.
    pub span: Span,
    /// Struct info, once that of every field is known.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Fields.
    pub fields: Array<Expr>,
}

impl Tuple {
    /// Creates a tuple, with struct info if that of every field is known.
    pub fn new(fields: impl IntoIterator<Item = Expr>) -> Ref<Tuple> {
        let fields: Array<Expr> = fields.into_iter().collect();
        let infos: Option<Vec<_>> = fields.iter().map(struct_info_of).collect();
        let struct_info_ = infos.map(|infos| super::TupleStructInfo::new(infos).into());
        Ref::new(Tuple { span: Span::current(), struct_info_, fields })
    }
}

/// Returns the struct info of an expression; operators have none.
pub fn struct_info_of(expr: &Expr) -> Option<Ref<StructInfo>> {
    let object = expr.object();
    let index = object.info().field_index("struct_info_")?;
    match object.field(index) {
        FieldRef::Node(info) => info.downcast_ref::<StructInfo>().cloned(),
        _ => object.as_node::<Omitted>().map(|omitted| match omitted.is_constant() {
            true => TensorStructInfo::of_rank(-1, DataType::VOID, None).upcast(),
            false => ObjectStructInfo::new(),
        }),
    }
}

/// A field of a tuple.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.TupleGetItem", parent = RelaxExpr, ancestors(BaseExpr), check = TupleGetItem::check)]
pub struct TupleGetItem {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Tuple.
    pub tuple_value: Expr,
    /// Index of the field, from 0.
    pub index: i64,
}

impl TupleGetItem {
    fn check(&self) -> Checked {
        match self.index < 0 {
            true => Err(Invalid::at("index", format_args!("{} is negative", self.index))),
            false => Ok(()),
        }
    }
}

/// A shape.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.ShapeExpr", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr), check = ShapeExpr::check)]
pub struct ShapeExpr {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Dimensions, `int64` each.
    pub values: Array<prim::Expr>,
}

impl ShapeExpr {
    fn check(&self) -> Checked {
        super::struct_info::check_dimensions("values", &self.values)
    }

    /// Creates a shape. Literals of other types become `int64`.
    ///
    /// # Errors
    /// Fails for a dimension that is neither `int64` nor a literal.
    pub fn try_new(
        values: impl IntoIterator<Item = prim::Expr>,
    ) -> Result<Ref<ShapeExpr>, super::NotADimension> {
        Ok(ShapeExpr::of(values.into_iter().map(super::dimension).collect::<Result<_, _>>()?))
    }

    /// Creates a shape from dimensions of `int64`.
    pub(crate) fn of(values: Array<prim::Expr>) -> Ref<ShapeExpr> {
        let info = super::ShapeStructInfo::of(values.clone());
        Ref::new(ShapeExpr { span: Span::current(), struct_info_: Some(info.into()), values })
    }
}

/// The identity of a variable.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.Id", eq = free_var)]
pub struct Id {
    /// Name hint.
    pub name_hint: NameCell,
}

/// A variable. Two variables are equal if their identities and struct infos are.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Var", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr), eq = dag, custom_eq = var_eq, namer = name_var)]
pub struct Var {
    /// Span of the definition.
    pub span: Span,
    /// Struct info.
    #[node(class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Identity.
    pub vid: Ref<Id>,
}

fn name_var(var: &Var, name: &Str) {
    var.vid.name_hint.set(name.clone());
}

const VAR_STRUCT_INFO: usize = 1;
const VAR_ID: usize = 2;

/// # Source
/// `VarNode::SEqual`, `include/tvm/relax/expr.h`.
fn var_eq<'a>(_: &'a Object, _: &'a Object, steps: &mut EqSteps<'a>) {
    steps.field(VAR_ID);
    steps.field(VAR_STRUCT_INFO);
}

impl Var {
    /// Creates a variable.
    pub fn new(name: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Ref<Var> {
        Ref::new(Var::parts(name, struct_info))
    }

    /// A dataflow variable.
    pub fn dataflow(name: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Ref<Var> {
        Ref::new_as(dataflow_var_type(), Var::parts(name, struct_info))
    }

    fn parts(name: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Var {
        let vid = Ref::new(Id { name_hint: NameCell::from(name.into()) });
        Var { span: Span::current(), struct_info_: struct_info.map(Into::into), vid }
    }
}

/// Returns `true` for dataflow variables.
pub fn is_dataflow_var(var: &Ref<Var>) -> bool {
    std::ptr::eq(var.object().info(), dataflow_var_type())
}

/// The type of dataflow variables, a subtype of [`Var`] that shares its struct.
pub fn dataflow_var_type() -> &'static TypeInfo {
    static INFO: OnceLock<&'static TypeInfo> = OnceLock::new();
    INFO.get_or_init(|| {
        let var = Var::type_info();
        register_node::<Var>(TypeDecl {
            key: "relax.expr.DataflowVar",
            parent: Some(var),
            missing_parent: None,
            eq: EqKind::Dag,
            custom_eq: Some(var_eq),
            shape: Shape::Fields,
            fields: var.fields(),
        })
    })
}

impl Constant {
    /// Creates a constant.
    pub fn new(data: Ref<TensorNode>) -> Ref<Constant> {
        let dims: Array<prim::Expr> = data.shape.iter().map(|dim| prim::IntImm::int64(*dim)).collect();
        let info = super::TensorStructInfo::of_shape(ShapeExpr::of(dims), data.dtype, None);
        Ref::new(Constant { span: Span::current(), struct_info_: Some(info.into()), data })
    }
}

impl PrimValue {
    /// A scalar expression.
    pub fn new(value: prim::Expr) -> Ref<PrimValue> {
        let info = super::PrimStructInfo::of_value(value.clone());
        Ref::new(PrimValue { span: Span::current(), struct_info_: Some(info.into()), value })
    }

    /// A scalar expression, or the variable that it is.
    pub fn or_variable(value: prim::Expr) -> Expr {
        match value.as_node::<ScalarUse>() {
            Some(used) => used.var.clone().upcast(),
            None => PrimValue::new(value).upcast(),
        }
    }
}

impl ScalarUse {
    /// The variable as a scalar; `None` if it is not a scalar.
    pub fn of(var: &Ref<Var>) -> Option<prim::Expr> {
        let info = var.struct_info_.as_ref()?.as_node::<super::PrimStructInfo>()?;
        let used = ScalarUse { span: var.span, dtype: info.dtype, var: var.clone() };
        Some(Ref::new(used).upcast())
    }
}

impl StringImm {
    /// A text literal.
    pub fn new(value: impl Into<Str>) -> Ref<StringImm> {
        let info = super::ObjectStructInfo::new();
        Ref::new(StringImm { span: Span::current(), struct_info_: Some(info.into()), value: value.into() })
    }
}

impl DataTypeImm {
    /// A data type literal.
    pub fn new(value: DataType) -> Ref<DataTypeImm> {
        let info = super::ObjectStructInfo::new();
        Ref::new(DataTypeImm { span: Span::current(), struct_info_: Some(info.into()), value })
    }
}

/// A constant tensor.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Constant", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct Constant {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Elements.
    pub data: Ref<TensorNode>,
}

/// A scalar expression.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.PrimValue", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct PrimValue {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Scalar.
    pub value: prim::Expr,
}

/// A scalar variable of Relax inside a scalar expression, in releases whose scalars are bare: `p + 1`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.ScalarUse", parent = PrimExpr, ancestors(BaseExpr))]
pub struct ScalarUse {
    /// Source span.
    pub span: Span,
    /// Type of the variable.
    pub dtype: DataType,
    /// The variable.
    pub var: Ref<Var>,
}

/// A text literal.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.StringImm", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct StringImm {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Text.
    pub value: Str,
}

/// A data type literal.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.DataTypeImm", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct DataTypeImm {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Data type.
    pub value: DataType,
}

/// Blocks of bindings followed by a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.SeqExpr", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct SeqExpr {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Blocks.
    pub blocks: Array<Ref<BindingBlock>>,
    /// Value.
    pub body: Expr,
}

/// A conditional.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.If", parent = RelaxExpr, ancestors(BaseExpr), eq = dag)]
pub struct If {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Condition.
    pub cond: Expr,
    /// Value for a true condition.
    pub true_branch: Ref<SeqExpr>,
    /// Value for a false condition.
    pub false_branch: Ref<SeqExpr>,
}

/// A function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Function", parent = BaseFunc, ancestors(RelaxExpr, BaseExpr), eq = dag, defines = Function::defines)]
pub struct Function {
    /// Source span.
    pub span: Span,
    /// Struct info of the function.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Attributes.
    pub attrs: Ref<DictAttrs>,
    /// Parameters.
    #[node(def)]
    pub params: Array<Ref<Var>>,
    /// Body.
    pub body: Ref<SeqExpr>,
    /// Struct info of the result.
    pub ret_struct_info: Ref<StructInfo>,
    /// `true` if calls have no effect.
    pub is_pure: bool,
}

impl Function {
    /// Defines the parameters, and the variables of their struct info at their first occurrence.
    fn defines(&self, definitions: &mut Definitions) {
        for param in self.params.iter() {
            param.struct_info_.iter().for_each(|info| definitions.define_unused_below(info));
            definitions.define(param.object());
        }
    }
}

/// A function that is looked up by name at run time.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.ExternFunc", parent = BaseFunc, ancestors(RelaxExpr, BaseExpr))]
pub struct ExternFunc {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Attributes.
    pub attrs: Ref<DictAttrs>,
    /// Name.
    pub global_symbol: Str,
}

impl ExternFunc {
    /// Creates an external function. Without struct info, callers state the result.
    /// # Source
    /// `GetExternFuncStructInfo`, `src/relax/ir/expr.cc`.
    pub fn new(global_symbol: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Ref<ExternFunc> {
        let info = struct_info.unwrap_or_else(|| {
            let derive_func = Some(EnvFunc::new("tvm.relax.struct_info.infer_by_sinfo_args"));
            let (span, ret) = (Span::current(), super::ObjectStructInfo::new());
            Ref::new(super::FuncStructInfo { span, params: None, ret, derive_func, purity: false }).upcast()
        });
        Ref::new(ExternFunc {
            span: Span::current(),
            struct_info_: Some(info.into()),
            attrs: DictAttrs::new([]),
            global_symbol: global_symbol.into(),
        })
    }
}
