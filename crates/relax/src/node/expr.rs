//! Expressions.

use std::sync::OnceLock;

use tvmscript_ir::{Attrs, DictAttrs};
use tvmscript_ir::{BaseFunc, EnvFunc, RelaxExpr};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::type_table::{EqSteps, Shape, TypeDecl, register_node};
use tvmscript_ir_core::{
    Array, Class, DataType, EqKind, FieldRef, NameCell, Node, Object, Ref, Span, Str, TypeInfo,
};
use tvmscript_prim as prim;
use tvmscript_prim::{BaseExpr, Op};

use super::{BindingBlock, StructInfo};

/// Any expression of this dialect, operators included, which are of no dialect.
pub type Expr = Ref<BaseExpr>;

/// Expressions that need no evaluation (`relax.expr.LeafExpr`).
#[derive(Class)]
#[class(key = "relax.expr.LeafExpr", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct LeafExpr(());

/// A call of an operator, a function, a variable that holds one, or an external function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Call", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct Call {
    /// Where it was written.
    pub span: Span,
    /// The struct info, once inferred.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// What is called.
    pub op: Expr,
    /// The arguments.
    pub args: Array<Expr>,
    /// What is said besides the arguments; its class depends on the operator.
    pub attrs: Option<Ref<Attrs>>,
    /// Struct info that is an argument itself.
    pub sinfo_args: Array<Ref<StructInfo>>,
}

impl Call {
    /// A call of an operator by its name (`relax.add`), of which nothing is inferred yet.
    pub fn of_op(name: &str, args: impl IntoIterator<Item = Expr>, attrs: Option<Ref<Attrs>>) -> Ref<Call> {
        Call::new(Op::get(name).upcast(), args, attrs, [])
    }

    /// A call of which nothing is inferred yet.
    pub fn new(
        op: Expr,
        args: impl IntoIterator<Item = Expr>,
        attrs: Option<Ref<Attrs>>,
        sinfo_args: impl IntoIterator<Item = Ref<StructInfo>>,
    ) -> Ref<Call> {
        let (args, sinfo_args) = (args.into_iter().collect(), sinfo_args.into_iter().collect());
        Ref::new(Call { span: Span::current(), struct_info_: None, op, args, attrs, sinfo_args })
    }

    /// The name of the operator called, if one is.
    pub fn op_name(&self) -> Option<&str> {
        self.op.as_node::<Op>().map(|op| op.name.as_str())
    }
}

/// Several values as one.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Tuple", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct Tuple {
    /// Where it was written.
    pub span: Span,
    /// The struct info, once every field has one.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The values.
    pub fields: Array<Expr>,
}

impl Tuple {
    /// These values as one. The struct info is known when that of every value is.
    pub fn new(fields: impl IntoIterator<Item = Expr>) -> Ref<Tuple> {
        let fields: Array<Expr> = fields.into_iter().collect();
        let infos: Option<Vec<_>> = fields.iter().map(struct_info_of).collect();
        let struct_info_ = infos.map(|infos| super::TupleStructInfo::new(infos).into());
        Ref::new(Tuple { span: Span::current(), struct_info_, fields })
    }
}

/// The struct info that an expression carries; operators have none.
pub fn struct_info_of(expr: &Expr) -> Option<Ref<StructInfo>> {
    let object = expr.object();
    let index = object.info().field_index("struct_info_")?;
    match object.field(index) {
        FieldRef::Node(info) => info.downcast_ref::<StructInfo>().cloned(),
        _ => None,
    }
}

/// One value of a tuple.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.TupleGetItem", parent = RelaxExpr, ancestors(BaseExpr), check = TupleGetItem::check)]
pub struct TupleGetItem {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The tuple.
    pub tuple_value: Expr,
    /// Which value, from 0.
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

/// A shape as a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.ShapeExpr", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr), check = ShapeExpr::check)]
pub struct ShapeExpr {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The dimensions, `int64` each.
    pub values: Array<prim::Expr>,
}

impl ShapeExpr {
    fn check(&self) -> Checked {
        super::struct_info::check_dimensions("values", &self.values)
    }

    /// A shape with these dimensions.
    ///
    /// # Errors
    /// When one is not `int64` and no literal.
    pub fn try_new(
        values: impl IntoIterator<Item = prim::Expr>,
    ) -> Result<Ref<ShapeExpr>, super::NotADimension> {
        Ok(ShapeExpr::of(values.into_iter().map(super::dimension).collect::<Result<_, _>>()?))
    }

    /// A shape with these dimensions, `int64` each.
    pub(crate) fn of(values: Array<prim::Expr>) -> Ref<ShapeExpr> {
        let info = super::ShapeStructInfo::of(values.clone());
        Ref::new(ShapeExpr { span: Span::current(), struct_info_: Some(info.into()), values })
    }
}

/// The identity of a variable.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.Id", eq = free_var)]
pub struct Id {
    /// A hint for the printed name.
    #[node(skip_eq)]
    pub name_hint: NameCell,
}

/// A variable. Two variables are equal when their identities are, and their struct info is.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Var", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr), eq = dag, custom_eq = var_eq)]
pub struct Var {
    /// Where it was defined.
    pub span: Span,
    /// The struct info.
    #[node(class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The identity.
    pub vid: Ref<Id>,
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
    /// A variable with this struct info.
    pub fn new(name: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Ref<Var> {
        Ref::new(Var::parts(name, struct_info))
    }

    /// A variable that is visible in its dataflow block only.
    pub fn dataflow(name: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Ref<Var> {
        Ref::new_as(dataflow_var_type(), Var::parts(name, struct_info))
    }

    fn parts(name: impl Into<Str>, struct_info: Option<Ref<StructInfo>>) -> Var {
        let vid = Ref::new(Id { name_hint: NameCell::from(name.into()) });
        Var { span: Span::current(), struct_info_: struct_info.map(Into::into), vid }
    }
}

/// Whether a variable is visible in its dataflow block only.
pub fn is_dataflow_var(var: &Ref<Var>) -> bool {
    std::ptr::eq(var.object().info(), dataflow_var_type())
}

/// The entry of `relax.expr.DataflowVar`, a subtype of [`Var`] that shares its struct.
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
    /// A constant of these elements.
    pub fn new(data: Ref<TensorNode>) -> Ref<Constant> {
        let dims: Array<prim::Expr> = data.shape.iter().map(|dim| prim::IntImm::int64(*dim)).collect();
        let info = super::TensorStructInfo::of_shape(ShapeExpr::of(dims), data.dtype, None);
        Ref::new(Constant { span: Span::current(), struct_info_: Some(info.into()), data })
    }
}

impl PrimValue {
    /// A scalar as a value.
    pub fn new(value: prim::Expr) -> Ref<PrimValue> {
        let info = super::PrimStructInfo::of_value(value.clone());
        Ref::new(PrimValue { span: Span::current(), struct_info_: Some(info.into()), value })
    }
}

impl StringImm {
    /// Text as a value.
    pub fn new(value: impl Into<Str>) -> Ref<StringImm> {
        let info = super::ObjectStructInfo::new();
        Ref::new(StringImm { span: Span::current(), struct_info_: Some(info.into()), value: value.into() })
    }
}

impl DataTypeImm {
    /// A data type as a value.
    pub fn new(value: DataType) -> Ref<DataTypeImm> {
        let info = super::ObjectStructInfo::new();
        Ref::new(DataTypeImm { span: Span::current(), struct_info_: Some(info.into()), value })
    }
}

/// A tensor's value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Constant", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct Constant {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The elements.
    pub data: Ref<TensorNode>,
}

/// A scalar as a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.PrimValue", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct PrimValue {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The scalar.
    pub value: prim::Expr,
}

/// Text as a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.StringImm", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct StringImm {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The text.
    pub value: Str,
}

/// A data type as a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.DataTypeImm", parent = LeafExpr, ancestors(RelaxExpr, BaseExpr))]
pub struct DataTypeImm {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The data type.
    pub value: DataType,
}

/// Blocks of bindings, then a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.SeqExpr", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct SeqExpr {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The blocks.
    pub blocks: Array<Ref<BindingBlock>>,
    /// The value.
    pub body: Expr,
}

/// A choice between two values.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.If", parent = RelaxExpr, ancestors(BaseExpr), eq = dag)]
pub struct If {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// The condition.
    pub cond: Expr,
    /// The value where it holds.
    pub true_branch: Ref<SeqExpr>,
    /// The value where it does not.
    pub false_branch: Ref<SeqExpr>,
}

/// A function.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.Function", parent = BaseFunc, ancestors(RelaxExpr, BaseExpr), eq = dag, defines = Function::defines)]
pub struct Function {
    /// Where it was written.
    pub span: Span,
    /// The struct info of the function.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// What is said about it.
    pub attrs: Ref<DictAttrs>,
    /// The parameters.
    #[node(def)]
    pub params: Array<Ref<Var>>,
    /// The body.
    pub body: Ref<SeqExpr>,
    /// The struct info of the result.
    pub ret_struct_info: Ref<StructInfo>,
    /// Calls change nothing outside.
    pub is_pure: bool,
}

impl Function {
    /// The parameters, and the variables of their shapes that stand here for the first time.
    fn defines(&self, definitions: &mut Definitions) {
        for param in self.params.iter() {
            param.struct_info_.iter().for_each(|info| definitions.define_unused_below(info));
            definitions.define(param.object());
        }
    }
}

/// A function that is found by name at run time.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.ExternFunc", parent = BaseFunc, ancestors(RelaxExpr, BaseExpr))]
pub struct ExternFunc {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// What is said about it.
    pub attrs: Ref<DictAttrs>,
    /// The name.
    pub global_symbol: Str,
}

impl ExternFunc {
    /// The function of this name; without struct info, its callers say what it gives.
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
