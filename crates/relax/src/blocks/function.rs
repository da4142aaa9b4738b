//! Functions: their bodies from blocks of bindings, and a builder that binds values when they are used.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, Map, Ref, Span, Str, Value};

use super::{BlockBuilder, Result, is_leaf_or_tuple};
use crate::analysis::{BaseCheck, base_check};
use crate::node::*;

/// A function under construction, without its bindings.
#[derive(Debug, Default)]
pub struct Signature {
    /// Source span.
    pub span: Span,
    /// Attributes.
    pub attrs: Vec<(Str, Value)>,
    /// Parameters.
    pub params: Vec<Ref<Var>>,
    /// The stated struct info of the result.
    pub ret: Option<Ref<StructInfo>>,
    /// `true` if calls have no effect.
    pub is_pure: bool,
}

impl BlockBuilder {
    /// Makes the function with these bindings, which returns `body`. The struct info of its result is inferred unless
    /// a more specific one is stated; callers know only the variables of parameters.
    pub fn into_function(
        mut self,
        signature: Signature,
        body: Expr,
        body_info: Ref<StructInfo>,
    ) -> Ref<Function> {
        let Signature { span, attrs, params, ret, is_pure } = signature;
        let blocks: Array<Ref<BindingBlock>> = self.end().into_iter().collect();
        let seq = SeqExpr { span, struct_info_: Some(body_info.clone().into()), blocks, body };
        let infos = params.iter().map(|p| struct_info_of(&p.clone().upcast()));
        let infos: Array<Ref<StructInfo>> = infos.map(|i| i.unwrap_or_else(ObjectStructInfo::new)).collect();
        let is_said_better = match &ret {
            Some(said) => base_check(said, &body_info, self.analyzer()) != BaseCheck::Pass,
            None => false,
        };
        let ret = match ret {
            Some(said) if is_said_better => said,
            _ => {
                let mut signature = BlockBuilder::default();
                infos.iter().for_each(|info| signature.define_scalars(info));
                signature.well_defined(&body_info)
            }
        };
        let function_info = FuncStructInfo::new(infos, ret.clone(), is_pure);
        Ref::new(Function {
            span,
            struct_info_: Some(function_info.into()),
            attrs: Ref::new(DictAttrs { dict: Map::new(attrs) }),
            params: params.into_iter().collect(),
            body: Ref::new(seq),
            ret_struct_info: ret,
            is_pure,
        })
    }
}

/// Builds a function from values. [`normalize`](BlockBuilder::normalize) binds the operands of a value and leaves the
/// value itself unbound; it is bound where another value uses it first, or as the result. Bindings are thus in the order
/// of first use, as TVM's importers of models have them. The type of the result does not say the values of scalars, as in
/// TVM from 0.27.
///
/// ```
/// use tvmscript_ir_core::DataType;
/// use tvmscript_prim::IntImm;
/// use tvmscript_relax::blocks::FunctionBuilder;
/// use tvmscript_relax::op::{elementwise::{add, exp}, nn::activation::relu};
/// use tvmscript_relax::{ShapeExpr, TensorStructInfo};
///
/// let mut function = FunctionBuilder::new(true)?;
/// let shape = ShapeExpr::try_new([IntImm::int64(4)]).expect("the dimension is `int64`");
/// let x = function.param("x", TensorStructInfo::of_shape(shape, DataType::FLOAT32, None).upcast());
/// let late = function.blocks().normalize(relu(x.clone().upcast()).upcast())?;
/// let early = function.blocks().normalize(exp(x.upcast()).upcast())?;
/// let sum = function.blocks().normalize(add(early, late).upcast())?;
/// let function = function.finish(sum)?;
/// let names = function.body.blocks.iter().flat_map(|block| block.bindings.iter());
/// assert_eq!(names.count(), 3, "`exp`, then `relu`, then the sum");
/// # Ok::<(), tvmscript_relax::error::RelaxError>(())
/// ```
#[derive(Debug, Default)]
pub struct FunctionBuilder {
    blocks: BlockBuilder,
    signature: Signature,
}

impl FunctionBuilder {
    /// Begins a pure function, whose bindings are one dataflow block or a plain one.
    ///
    /// # Errors
    /// None in practice: a new builder has no open block.
    pub fn new(is_dataflow: bool) -> Result<FunctionBuilder> {
        let signature = Signature { is_pure: true, ..Signature::default() };
        let mut builder = FunctionBuilder { blocks: BlockBuilder::default(), signature };
        if is_dataflow {
            builder.blocks.begin_dataflow()?;
        }
        Ok(builder)
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: impl Into<Str>, info: Ref<StructInfo>) -> Ref<Var> {
        self.blocks.define_scalars(&info);
        let var = Var::new(name, Some(info));
        self.signature.params.push(var.clone());
        var
    }

    /// Adds an attribute.
    pub fn attr(&mut self, key: &str, value: Value) {
        self.signature.attrs.push((Str::from(key), value));
    }

    /// States that calls have effects.
    pub fn set_impure(&mut self) {
        self.signature.is_pure = false;
    }

    /// The bindings.
    pub fn blocks(&mut self) -> &mut BlockBuilder {
        &mut self.blocks
    }

    /// Ends the function with its result.
    ///
    /// # Errors
    /// Fails if inference fails.
    pub fn finish(mut self, result: Expr) -> Result<Ref<Function>> {
        let value = self.blocks.normalize(result)?;
        let body = if self.blocks.in_dataflow() {
            let var = Var::dataflow("gv", struct_info_of(&value)).with_span(value.span());
            self.blocks.emit_to(var.clone(), value)?;
            self.blocks.output(vec![var.clone()])?;
            let replaced = self.blocks.end_dataflow();
            let output: Option<Expr> = replaced.get(var.object()).and_then(|new| new.downcast_ref().cloned());
            output.unwrap_or_else(|| var.upcast())
        } else if is_leaf_or_tuple(&value) {
            value
        } else {
            self.blocks.emit(value, None)?.upcast()
        };
        let info = struct_info_of(&body).unwrap_or_else(ObjectStructInfo::new);
        let info = without_values(&self.blocks.well_defined(&info));
        Ok(self.blocks.into_function(self.signature, body, info))
    }
}
