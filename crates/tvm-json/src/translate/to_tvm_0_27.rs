//! From the nodes here to those of the release: types are nodes, and a buffer is a variable.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::release::Renames;

use super::tables::{
    BIT_OPERATORS, DROPPED, FIELDS, FUNCTIONS, MASKED_LOAD, MASKED_STORE, NODE_ARRAYS, NUMBER_ARRAYS,
    OPTIONAL_DTYPES, PLAIN_ATTRS, SCOPES, VOID_OPERATORS, contains,
};
use super::{Made, Part, Role, Rules, plain_attr};
use crate::graph::{Data, Field, Graph, Node, Plain};
use crate::version::TypesAsNodes;

/// The rules, with what they need to know of the graph.
#[derive(Debug)]
pub(crate) struct ToTvm027 {
    renames: &'static Renames,
    /// See [`TypesAsNodes::shares_nodes`].
    shares_nodes: bool,
    /// Buffers by the variable of their data pointer.
    owners: HashMap<usize, usize>,
    /// Types of values that are texts.
    string_types: HashSet<usize>,
}

impl ToTvm027 {
    pub(crate) fn new(graph: &Graph<'_>, renames: &'static Renames, nodes: &TypesAsNodes) -> ToTvm027 {
        let shares_nodes = nodes.shares_nodes;
        let mut rules =
            ToTvm027 { renames, shares_nodes, owners: HashMap::new(), string_types: HashSet::new() };
        for (index, node) in graph.nodes.iter().enumerate() {
            match &*node.kind {
                "tir.Buffer" => {
                    if let Some(data) = node.node("data") {
                        rules.owners.entry(data).or_insert(index);
                    }
                }
                "relax.expr.StringImm" if shares_nodes => {
                    rules.string_types.extend(node.node("struct_info_"))
                }
                _ => {}
            }
        }
        rules
    }
}

/// The type of a value with a data type.
fn prim_type<'t>(dtype: impl Into<Cow<'t, str>>) -> Part<'t> {
    let dtype = dtype.into();
    match &*dtype {
        "handle" => pointer(prim_type(""), Part::string("global")),
        _ => Part::prim_type(dtype),
    }
}

fn pointer<'t>(element: Part<'t>, scope: Part<'t>) -> Part<'t> {
    Part::made(
        "ir.PointerType",
        vec![("span", Part::none()), ("element_type", element), ("storage_scope", scope)],
    )
}

fn dtype_of<'t>(node: &Node<'t>) -> Cow<'t, str> {
    node.text("dtype").cloned().unwrap_or_default()
}

impl<'t> Rules<'t> for ToTvm027 {
    fn role(&self, graph: &Graph<'t>, index: usize, role: Role) -> Role {
        let node = graph.nodes.get(index);
        let is_kept = node.is_some_and(|node| match (&*node.kind, role) {
            ("ir.IntImm", Role::Attr) => true,
            _ => matches!(node.data, Data::List(_)),
        });
        if is_kept { role } else { Role::Plain }
    }

    fn describe(&self, graph: &Graph<'t>, index: usize, role: Role) -> Made<'t> {
        let Some(node) = graph.nodes.get(index) else { return Made::Same(Part::none()) };
        match &node.data {
            Data::List(items) => {
                let items = items.iter().map(|item| Part::Of(*item, role)).collect();
                return Made::List(node.kind.clone(), items);
            }
            Data::None => return Made::Same(Part::none()),
            Data::Opaque(_) | Data::Whole(_) => return Made::Leaf(node.clone()),
            Data::Plain(_) => return leaf(node, self.renames),
            Data::Fields(_) => {}
        }
        match &*node.kind {
            "ir.IntImm" if !self.shares_nodes && role != Role::Attr => Made::of(
                "ir.IntImm",
                vec![
                    ("span", Part::of(node, "span")),
                    ("ty", prim_type(dtype_of(node))),
                    ("value", Part::of(node, "value")),
                ],
            ),
            "ir.IntImm" => int_imm(node, role),
            "ir.PrimType" => Made::Same(prim_type(dtype_of(node))),
            "tir.Var" | "tir.SizeVar" => self.variable(graph, index, node),
            "tir.Buffer" => buffer(graph, node),
            "tir.PrimFunc" => function(graph, node),
            "tir.Call" => self.call(graph, node),
            "tir.Evaluate" => self.evaluate(graph, node),
            "tir.StringImm" if !self.shares_nodes => Made::of(
                "ir.StringImm",
                vec![
                    ("span", Part::of(node, "span")),
                    ("ty", Part::prim_type("")),
                    ("value", Part::of(node, "value")),
                ],
            ),
            "tir.BufferLoad" | "tir.BufferStore" | "tir.BufferRegion" if !self.shares_nodes => {
                self.generic(graph, node)
            }
            "relax.expr.StringImm" | "relax.expr.DataTypeImm" if !self.shares_nodes => {
                self.generic(graph, node)
            }
            "tir.BufferLoad" if mask(graph, node).is_some() => {
                masked(graph, node, MASKED_LOAD, prim_type(dtype_of(node)), &[])
            }
            "tir.BufferStore" if mask(graph, node).is_some() => {
                let call = masked(graph, node, MASKED_STORE, prim_type(""), &["value"]);
                let call = Part::Made(Box::new(call));
                Made::of("tirx.Evaluate", vec![("span", Part::of(node, "span")), ("value", call)])
            }
            "tir.StringImm" | "relax.expr.StringImm" => Made::of(
                "ir.StringImm",
                vec![
                    ("span", Part::of(node, "span")),
                    ("ty", string_type(node)),
                    ("value", Part::of(node, "value")),
                ],
            ),
            "tir.AttrStmt" => attribute(graph, node),
            "tir.BufferRegion" => Made::of(
                "ir.TensorRegion",
                vec![
                    ("span", Part::none()),
                    ("ty", Part::made("tirx.BufferRegionType", vec![("span", Part::none())])),
                    ("source", Part::of(node, "buffer")),
                    ("region", Part::of(node, "region")),
                ],
            ),
            "tirx.TypedCall" => call_of(node, Part::of(node, "ty"), Part::none()),
            "tirx.AnnotatedCall" => annotated(graph, node),
            "tirx.BufferArgument" => Made::Same(Part::of(node, "buffer")),
            "tirx.ScopeIdDefStmt" => scope_ids(graph, node),
            "relax.expr.Var" | "relax.expr.DataflowVar" => relax_variable(graph, node),
            "relax.expr.PrimValue" => Made::Same(Part::of(node, "value")),
            "relax.expr.ScalarUse" => Made::Same(Part::of(node, "var")),
            "relax.expr.DataTypeImm" => {
                let value =
                    Part::leaf("DataType", Plain::Text(node.text("value").cloned().unwrap_or_default()));
                let ty = Part::of(node, "struct_info_");
                Made::of(
                    "ir.GenericConst",
                    vec![("span", Part::of(node, "span")), ("ty", ty), ("value", value)],
                )
            }
            "relax.PrimStructInfo" if dtype_of(node) == "handle" => {
                Made::of("relax.AnyType", vec![("span", Part::none())])
            }
            "relax.PrimStructInfo" => Made::Same(prim_type(dtype_of(node))),
            "relax.ObjectStructInfo" if self.string_types.contains(&index) => {
                Made::of("ir.StringType", vec![("span", Part::of(node, "span"))])
            }
            _ => self.generic(graph, node),
        }
    }
}

/// The mask of an access.
fn mask<'g, 't>(graph: &'g Graph<'t>, access: &Node<'t>) -> Option<&'g Node<'t>> {
    graph.at(access, "predicate").filter(|mask| mask.data != Data::None)
}

/// An access with a mask, a call in the release: the buffer, other operands, the indices and the mask.
fn masked<'t>(
    graph: &Graph<'t>,
    access: &Node<'t>,
    operator: &'static str,
    ty: Part<'t>,
    operands: &[&str],
) -> Made<'t> {
    let indices = graph.list_at(access, "indices");
    let mut args = vec![Part::of(access, "buffer")];
    args.extend(operands.iter().map(|field| Part::of(access, field)));
    args.extend(indices.iter().map(|index| Part::Of(*index, Role::Plain)));
    args.push(Part::of(access, "predicate"));
    let op = Part::leaf("ir.Op", Plain::Text(operator.into()));
    call_with(Part::of(access, "span"), ty, op, Part::list(args), Part::none())
}

/// Names of operators and functions.
fn leaf<'t>(node: &Node<'t>, renames: &Renames) -> Made<'t> {
    let renamed = node.as_text().and_then(|name| match &*node.kind {
        "ir.Op" => Some(Cow::Owned(renames.operators.name(name).into_owned())),
        "ir.EnvFunc" => {
            let found = FUNCTIONS.iter().find(|(own, _)| own == name);
            found.map(|(_, theirs)| Cow::Borrowed(*theirs))
        }
        _ => None,
    });
    Made::shared(match renamed {
        Some(name) => Node { kind: node.kind.clone(), data: Data::Plain(Plain::Text(name)) },
        None => node.clone(),
    })
}

fn boxed_int<'t>(node: &Node<'t>) -> Part<'t> {
    match node.field("value") {
        Some(Field::Plain(value)) => Part::leaf("int", value.clone()),
        _ => Part::none(),
    }
}

fn int_imm<'t>(node: &Node<'t>, role: Role) -> Made<'t> {
    let value = boxed_int(node);
    match role {
        Role::Attr => Made::Same(value),
        _ => Made::of(
            "ir.IntImm",
            vec![("span", Part::of(node, "span")), ("ty", prim_type(dtype_of(node))), ("value", value)],
        ),
    }
}

fn string_type<'t>(node: &Node<'t>) -> Part<'t> {
    match node.node("struct_info_") {
        Some(ty) => Part::Of(ty, Role::Plain),
        None => Part::made("ir.StringType", vec![("span", Part::none())]),
    }
}

/// A pointer to the memory of a buffer: a call in the release.
fn buffer_data<'t>(graph: &Graph<'t>, index: usize, buffer: &Node<'t>) -> Made<'t> {
    let ty = pointer(prim_type(dtype_of(buffer)), storage_scope(graph, buffer));
    let op = Part::leaf("ir.Op", Plain::Text("tirx.buffer_data".into()));
    let args = Part::list(vec![Part::Of(index, Role::Plain)]);
    call_with(Part::none(), ty, op, args, Part::none())
}

fn call_with<'t>(span: Part<'t>, ty: Part<'t>, op: Part<'t>, args: Part<'t>, attrs: Part<'t>) -> Made<'t> {
    let ty_args = Part::list(Vec::new());
    Made::of(
        "ir.Call",
        vec![("span", span), ("ty", ty), ("op", op), ("args", args), ("attrs", attrs), ("ty_args", ty_args)],
    )
}

fn call_of<'t>(node: &Node<'t>, ty: Part<'t>, attrs: Part<'t>) -> Made<'t> {
    call_with(Part::of(node, "span"), ty, Part::of(node, "op"), Part::of(node, "args"), attrs)
}

/// The scope of the memory that a buffer points to.
fn storage_scope<'t>(graph: &Graph<'t>, buffer: &Node<'t>) -> Part<'t> {
    match graph.at(buffer, "data") {
        Some(data) => scope_of_pointer(graph, data),
        None => Part::string("global"),
    }
}

/// The scope of the memory that a variable points to.
fn scope_of_pointer<'t>(graph: &Graph<'t>, pointer: &Node<'t>) -> Part<'t> {
    let annotation = graph.at(pointer, "type_annotation");
    match annotation.and_then(|ty| ty.node("storage_scope")) {
        Some(scope) => Part::Of(scope, Role::Plain),
        None => Part::string("global"),
    }
}

fn buffer<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let ty = Part::made(
        "tirx.BufferType",
        vec![
            ("span", Part::none()),
            ("dtype", prim_type(dtype_of(node))),
            ("storage_scope", storage_scope(graph, node)),
            ("shape", Part::of(node, "shape")),
            ("strides", Part::of(node, "strides")),
            ("elem_offset", Part::of(node, "elem_offset")),
            ("data_alignment", Part::of(node, "data_alignment")),
            ("offset_factor", Part::of(node, "offset_factor")),
            ("layout", Part::of(node, "layout")),
            ("allocated_addr", Part::list(Vec::new())),
        ],
    );
    Made::of("ir.Var", vec![("span", Part::of(node, "span")), ("ty", ty), ("name", Part::of(node, "name"))])
}

impl ToTvm027 {
    fn variable<'t>(&self, graph: &Graph<'t>, index: usize, node: &Node<'t>) -> Made<'t> {
        let owner = self.owners.get(&index);
        if let Some((owner, buffer)) = owner.and_then(|owner| Some((*owner, graph.nodes.get(*owner)?))) {
            return buffer_data(graph, owner, buffer);
        }
        let ty = Part::of(node, "type_annotation");
        Made::of(
            "ir.Var",
            vec![("span", Part::of(node, "span")), ("ty", ty), ("name", Part::of(node, "name"))],
        )
    }
}

/// A function, whose buffers are parameters.
fn function<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let entries = graph.list_at(node, "buffer_map");
    let buffers: HashMap<usize, usize> =
        entries.as_chunks::<2>().0.iter().map(|[key, value]| (*key, *value)).collect();
    let params = graph.list_at(node, "params").iter();
    let params = params.map(|param| Part::Of(*buffers.get(param).unwrap_or(param), Role::Plain)).collect();
    Made::of(
        "tirx.PrimFunc",
        vec![
            ("span", Part::of(node, "span")),
            ("ty", Part::of(node, "struct_info_")),
            ("attrs", Part::of(node, "attrs")),
            ("params", Part::list(params)),
            ("ret_type", Part::of(node, "ret_type")),
            ("body", Part::of(node, "body")),
        ],
    )
}

impl ToTvm027 {
    fn call<'t>(&self, graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
        let operator = graph.operator_of(node);
        let bits = BIT_OPERATORS.iter().find(|(own, _)| operator == Some(own));
        let args = graph.list_at(node, "args");
        match bits {
            Some((_, kind)) if self.shares_nodes && matches!(args.len(), 1 | 2) => {
                let mut fields = vec![("span", Part::of(node, "span")), ("ty", prim_type(dtype_of(node)))];
                let operands = args.iter().map(|arg| Part::Of(*arg, Role::Plain));
                fields.extend(["a", "b"].into_iter().zip(operands));
                Made::of(kind, fields)
            }
            _ => {
                let typed = operator.and_then(|operator| self.pointer_type(graph, operator, args));
                let is_void = operator.is_some_and(|name| VOID_OPERATORS.iter().any(|(own, _)| *own == name));
                let dtype = if is_void { "".into() } else { dtype_of(node) };
                call_of(node, typed.unwrap_or_else(|| prim_type(dtype)), Part::none())
            }
        }
    }

    /// The type of a call whose result points to elements of a known type.
    fn pointer_type<'t>(&self, graph: &Graph<'t>, operator: &str, args: &[usize]) -> Option<Part<'t>> {
        let arg = |index: usize| graph.nodes.get(*args.get(index)?);
        match operator {
            "tir.tvm_stack_make_shape" => Some(pointer(prim_type("int64"), Part::string("global"))),
            "tir.address_of" => {
                let element = arg(0)?;
                let scope = match graph.at(element, "buffer") {
                    Some(buffer) => storage_scope(graph, buffer),
                    None => Part::string("global"),
                };
                Some(pointer(prim_type(dtype_of(element)), scope))
            }
            "tir.tvm_access_ptr" => {
                let element = dtype_of(arg(0)?);
                let scope = match self.owners.get(args.get(1)?).and_then(|buffer| graph.nodes.get(*buffer)) {
                    Some(buffer) => storage_scope(graph, buffer),
                    None => scope_of_pointer(graph, arg(1)?),
                };
                Some(pointer(prim_type(element), scope))
            }
            _ => None,
        }
    }
}

/// An attribute; one of no object is one of the number zero.
fn attribute<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let object = graph.at(node, "node");
    let object = match object {
        Some(number) if number.kind == "ir.IntImm" => boxed_int(number),
        _ => Part::of(node, "node"),
    };
    Made::of(
        "tirx.AttrStmt",
        vec![
            ("span", Part::of(node, "span")),
            ("node", object),
            ("attr_key", Part::of(node, "attr_key")),
            ("value", Part::of(node, "value")),
            ("body", Part::of(node, "body")),
        ],
    )
}

/// A call with annotations, which are attributes in the release.
fn annotated<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let entries = graph.list_at(node, "annotations");
    let mut fields = Vec::new();
    for [key, value] in entries.as_chunks::<2>().0 {
        let name = graph.nodes.get(*key).and_then(Node::as_text).cloned().unwrap_or_default();
        let value = match graph.nodes.get(*value) {
            Some(Node { kind, data: Data::Plain(plain) }) if matches!(&**kind, "int" | "DataType") => {
                Part::Plain(plain.clone())
            }
            _ => Part::Of(*value, Role::Plain),
        };
        fields.push((name, value));
    }
    let kind = match graph.operator_of(node) {
        Some("tirx.tensormap_encode_tiled") => "tirx.TensorMapEncodeTiledAttr",
        _ => "tirx.CallFFIKernelAttr",
    };
    let attrs = Made::Fields(kind.into(), fields);
    call_of(node, prim_type(dtype_of(node)), Part::Made(Box::new(attrs)))
}

fn scope_ids<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let name = graph.at(node, "scope").and_then(Node::as_text);
    let scope = SCOPES.iter().position(|scope| name.is_some_and(|name| name == scope)).unwrap_or_default();
    let definition = Part::made(
        "tirx.ScopeIdDef",
        vec![
            ("def_ids", Part::of(node, "def_ids")),
            ("extents", Part::of(node, "extents")),
            ("scope", Part::Plain(Plain::Int(i64::try_from(scope).unwrap_or_default()))),
            ("preferred_extents", Part::none()),
        ],
    );
    Made::of("tirx.ScopeIdDefStmt", vec![("span", Part::of(node, "span")), ("def", definition)])
}

fn relax_variable<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let id = graph.at(node, "vid");
    let name = id.map_or_else(Part::none, |id| Part::of(id, "name_hint"));
    let kind = if node.kind == "relax.expr.Var" { "ir.Var" } else { "relax.expr.DataflowVar" };
    Made::of(
        kind,
        vec![("span", Part::of(node, "span")), ("ty", Part::of(node, "struct_info_")), ("name", name)],
    )
}

impl ToTvm027 {
    /// A statement that evaluates a value; `return` is a node in the release.
    fn evaluate<'t>(&self, graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
        let call = graph.at(node, "value").filter(|call| call.kind == "tir.Call");
        let call = call.filter(|call| graph.operator_of(call) == Some("tir.ret"));
        let args = call.map(|call| graph.list_at(call, "args"));
        match args {
            Some([value]) => {
                let value = Part::Of(*value, Role::Plain);
                Made::of("tirx.Return", vec![("span", Part::of(node, "span")), ("value", value)])
            }
            _ => self.generic(graph, node),
        }
    }

    /// A node with the same fields under other names.
    fn generic<'t>(&self, graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
        let Data::Fields(fields) = &node.data else { return Made::Leaf(node.clone()) };
        let own = &*node.kind;
        let kind = self.renames.new_type_key(own).map_or_else(|| node.kind.clone(), Cow::Borrowed);
        let is_attrs = own.starts_with("relax.attrs.");
        let is_typed = own.starts_with("tir.") || own == "ir.FloatImm";
        let mut parts: Vec<(Cow<'t, str>, Part<'t>)> = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let field = &**name;
            if contains(&DROPPED, own, field) && (field != "predicate" || self.shares_nodes) {
                continue;
            }
            let new_name = match (own, field) {
                ("tir.BufferLoad" | "tir.BufferRegion", "buffer") => Cow::Borrowed("source"),
                ("relax.expr.Constant", "data") => Cow::Borrowed("value"),
                (_, "dtype") if is_typed => Cow::Borrowed("ty"),
                _ => FIELDS
                    .iter()
                    .find(|(key, _)| *key == field)
                    .map_or_else(|| name.clone(), |(_, theirs)| (*theirs).into()),
            };
            let part = match value {
                Field::Plain(Plain::Text(dtype)) if field == "dtype" && is_typed => prim_type(dtype.clone()),
                Field::Plain(Plain::Text(dtype)) if own == "relax.TensorStructInfo" => match &**dtype {
                    "" => Part::none(),
                    _ => prim_type(dtype.clone()),
                },
                Field::Plain(Plain::Text(dtype)) if contains(&OPTIONAL_DTYPES, own, field) => {
                    match &**dtype {
                        "" => Part::none(),
                        _ => Part::leaf("DataType", Plain::Text(dtype.clone())),
                    }
                }
                Field::Node(at) if contains(&PLAIN_ATTRS, own, field) => plain_attr(graph, *at),
                Field::Node(at)
                    if is_attrs && !contains(&NODE_ARRAYS, own, field)
                        || contains(&NUMBER_ARRAYS, own, field) =>
                {
                    Part::Of(*at, Role::Attr)
                }
                Field::Node(at) => Part::Of(*at, Role::Plain),
                Field::Plain(value) => Part::Plain(value.clone()),
            };
            parts.push((new_name, part));
        }
        Made::Fields(kind, parts)
    }
}
