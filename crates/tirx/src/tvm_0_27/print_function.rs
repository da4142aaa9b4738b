//! Functions whose buffers are parameters.
//!
//! The shapes of parameters define variables: those of type `int32` by text, `T.Buffer(("n", 4))`, with a declaration in
//! the body; others are type variables, which are declared before the script and shared by its functions.

use std::collections::HashSet;

use tvmscript_docsifier::doc::{ExprDoc, FunctionParts, StmtDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame, expr_text};
use tvmscript_ir::GLOBAL_SYMBOL;
use tvmscript_ir::print::{function_name, function_name_doc, type_variable};
use tvmscript_ir_core::{DataType, PathId, PtrSet, Ref, Value, Visitor, Walk};
use tvmscript_prim::{Expr, TupleType, Var};
use tvmscript_tir::print::body;
use tvmscript_tir::print::parts::{
    TirDocsifier as _, attributes, define_buffer, define_variable, full_annotation, implicit_root, root_body,
    variable_creation,
};
use tvmscript_tir::{Buffer, PrimFunc};

use super::{PERSISTENT, SCHEDULABLE};

/// Data of a function's frame.
pub(crate) struct FunctionFrame {
    pub(crate) is_schedulable: bool,
}

/// Returns `true` in a function that schedules work on.
pub(super) fn is_schedulable(d: &Docsifier<'_>) -> bool {
    d.frame_data::<FunctionFrame>().is_some_and(|frame| frame.is_schedulable)
}

/// The attributes that the decorator shows, with its arguments.
const FLAGS: [(&str, &str); 2] = [("s_tir", SCHEDULABLE), ("persistent", PERSISTENT)];

/// The arguments of the decorator of a function, with the attributes that they stand for.
pub(crate) fn flags(node: &PrimFunc) -> Vec<(&'static str, &'static str)> {
    let has = |key: &str| node.attrs.dict.get_str(key).is_some_and(is_flag);
    FLAGS.into_iter().filter(|(_, key)| has(key)).collect()
}

fn is_flag(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::Node(node) => node
            .as_node::<tvmscript_prim::IntImm>()
            .is_some_and(|literal| literal.dtype.is_bool() && literal.value == 1),
        _ => false,
    }
}

/// The types of shape variables that the text of a shape defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShapeVariables {
    /// `int32`; variables of other types are type variables.
    OfDefaultType,
    /// All types.
    OfAllTypes,
}

/// `@T.prim_func(s_tir=True)`, `def name(A: T.Buffer((16,), "float32")):`
pub(crate) fn function(
    node: &Ref<PrimFunc>,
    path: PathId,
    shapes: ShapeVariables,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let PrimFunc { span: _, struct_info_: _, attrs, params: _, ret_type, buffer_map: _, body: inner } =
        &**node;
    let name = function_name(attrs, d);
    let flags = flags(node);
    let in_head: Vec<&str> = flags.iter().map(|(_, key)| *key).collect();
    let frame = FunctionFrame { is_schedulable: in_head.contains(&SCHEDULABLE) };
    let frame = Frame::new(Some(node.object().clone()), frame);
    let ((args, ret_type), stmts) = d.with_frame(frame, |d| {
        let args = params(node, path, shapes, d)?;
        attributes(node, (&name, &in_head), path, d)?;
        match implicit_root(node).filter(|_| d.config().syntax_sugar && is_schedulable(d)) {
            Some(root) => root_body(root, path, d)?,
            None => {
                let at = d.field(path, "body");
                body(inner, at, d)?;
            }
        }
        let is_void = ret_type.as_node::<TupleType>().is_some_and(|t| t.fields.is_empty());
        let ret_type = if is_void { None } else { Some(d.part(ret_type, path, "ret_type")?) };
        Ok((args, ret_type))
    })?;
    let mut kwargs: Vec<(&str, ExprDoc)> = Vec::new();
    let yes = d.docs.bool(true);
    if !attrs.dict.iter().any(|(key, _)| key.as_str() == GLOBAL_SYMBOL) {
        kwargs.push(("private", yes));
    }
    kwargs.extend(flags.iter().map(|(argument, _)| (*argument, yes)));
    let mut decorator = d.t("prim_func");
    if !kwargs.is_empty() {
        decorator = d.docs.call(decorator, &[], &kwargs);
    }
    let name = function_name_doc(&name, path, d);
    let parts =
        FunctionParts { name, args: &args, decorators: &[decorator], return_type: ret_type, body: &stmts };
    Ok(d.docs.function(parts)?)
}

/// Variables that the shape of a buffer defines by text.
#[derive(Default)]
struct Dimensions {
    /// Those that are first met inside of a dimension.
    computed: Vec<Ref<Var>>,
    /// Those that are a dimension.
    alone: Vec<Ref<Var>>,
}

/// Variables that the shapes of parameters define.
struct Signature {
    shapes: ShapeVariables,
    params: PtrSet,
    /// Variables that text defines, by buffer, unless they are parameters.
    by_text: Vec<Dimensions>,
    /// Addresses of type variables.
    type_vars: HashSet<usize>,
}

/// The parameters. Declares the variables that their shapes define by text.
fn params(
    node: &Ref<PrimFunc>,
    path: PathId,
    shapes: ShapeVariables,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Vec<StmtDoc>> {
    let mut params = PtrSet::default();
    for param in
        node.params.iter().filter(|param| node.buffer_map.get(&Value::from((*param).clone())).is_none())
    {
        params.insert(param.object().clone());
    }
    let mut signature = Signature { shapes, params, by_text: Vec::new(), type_vars: HashSet::new() };
    let mut args = Vec::with_capacity(node.params.len());
    let map_path = d.field(path, "buffer_map");
    let params_path = d.field(path, "params");
    for (i, param) in node.params.iter().enumerate() {
        let at = d.item(params_path, i);
        let key = Value::from(param.clone());
        let (name, annotation) = match node.buffer_map.get(&key) {
            Some(buffer) => {
                let map_at = d.entry(map_path, &key);
                let annotation = signature.buffer(buffer, map_at, d)?;
                let name = define_buffer(buffer, d)?;
                (d.at(name, at), annotation)
            }
            None => {
                let type_at = d.field(at, "type_annotation");
                let annotation = d.expr(&param.type_annotation, type_at)?;
                let name = define_variable(param, d)?;
                (d.at(name, at), d.at_field(annotation, at, "dtype"))
            }
        };
        let stmt = d.docs.assign(name, None, Some(annotation))?;
        d.docs.set_role(stmt, StmtRole::DeclareParam);
        args.push(stmt);
    }
    for Dimensions { computed, alone } in &signature.by_text {
        for variable in computed {
            declare(std::slice::from_ref(variable), path, d)?;
        }
        declare(alone, path, d)?;
    }
    Ok(args)
}

/// `n = T.int32()`, `m, n = T.int32(), T.int32()`
fn declare(variables: &[Ref<Var>], path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let mut names = Vec::with_capacity(variables.len());
    let mut values = Vec::with_capacity(variables.len());
    for variable in variables {
        names.push(define_variable(variable, d)?);
        values.push(variable_creation(variable, path, d)?);
    }
    let (name, value) = match (&names[..], &values[..]) {
        ([], _) => return Ok(()),
        ([name], [value]) => (*name, *value),
        (names, values) => (d.docs.tuple(names), d.docs.tuple(values)),
    };
    let stmt = d.docs.bind(name, value);
    d.docs.set_role(stmt, StmtRole::DefineName);
    d.push_stmt(stmt);
    Ok(())
}

impl Signature {
    /// Returns `true` if text defines the variable.
    fn is_by_text(&self, variable: &Var) -> bool {
        variable.dtype == DataType::INT32 || self.shapes == ShapeVariables::OfAllTypes
    }

    /// `T.Buffer(("n", 4), "float32")`
    fn buffer(
        &mut self,
        buffer: &Ref<Buffer>,
        path: PathId,
        d: &mut Docsifier<'_>,
    ) -> DocsifyResult<ExprDoc> {
        let at = d.field(path, "shape");
        self.by_text.push(Dimensions::default());
        let mut extents: Vec<ExprDoc> = Vec::new();
        for (i, extent) in buffer.shape.iter().enumerate() {
            let at = d.item(at, i);
            let doc = self.extent(extent, at, d)?;
            extents.push(d.at(doc, at));
        }
        let others = buffer.strides.iter().chain([&buffer.elem_offset]);
        for variable in others.filter_map(|part| part.downcast_ref::<Var>()) {
            // A stride of the default type is given by its name, and an offset of that type by its absence.
            if !self.is_by_text(variable) && !d.is_defined(variable.object()) {
                let name = define_variable(variable, d)?;
                self.type_vars.insert(variable.object().address());
                type_variable(&expr_text(d, name)?, d);
            }
        }
        let shape = d.docs.tuple(&extents);
        full_annotation(buffer, Some(shape), path, d)
    }

    /// The doc of a dimension: text if it defines a variable, or computes with type variables.
    fn extent(&mut self, extent: &Expr, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
        let mut variables: Vec<Ref<Var>> = Vec::new();
        let _ = Visitor::new().pre_order(extent.object(), |node| {
            if let Some(variable) = node.downcast_ref::<Var>()
                && !variables.iter().any(|known| known.ptr_eq(variable))
            {
                variables.push(variable.clone());
            }
            Walk::Advance
        });
        let is_alone = extent.is::<Var>();
        let mut is_text = false;
        for variable in &variables {
            if self.type_vars.contains(&variable.object().address()) {
                is_text |= !is_alone;
            } else if !d.is_defined(variable.object()) {
                let name = define_variable(variable, d)?;
                let is_param = self.params.contains(variable.object());
                if self.is_by_text(variable) || is_param {
                    is_text = true;
                    if let Some(Dimensions { computed, alone }) = self.by_text.last_mut()
                        && !is_param
                    {
                        let group = if is_alone { alone } else { computed };
                        group.push(variable.clone());
                    }
                } else {
                    is_text |= !is_alone;
                    self.type_vars.insert(variable.object().address());
                    type_variable(&expr_text(d, name)?, d);
                }
            }
        }
        let doc = d.expr(extent, path)?;
        if !is_text {
            return Ok(doc);
        }
        let text = expr_text(d, doc)?;
        Ok(d.docs.str(&*text))
    }
}
