//! From the nodes of the release to those here.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::release::Renames;

use super::tables::{
    BIT_OPERATORS, BOXED_ATTRS, DROPPED, FUNCTIONS, MASKED_LOAD, MASKED_STORE, NODE_ARRAYS, NUMBER_ARRAYS,
    OPTIONAL_DTYPES, PLAIN_ATTRS, SCOPES, VOID_OPERATORS, WIDE_ATTRS, contains,
};
use super::{Made, Part, Role, Rules, int_imm};
use crate::graph::{Data, Field, Graph, Node, Plain};

/// The rules, with what they need to know of the graph.
pub(crate) struct FromTvm027<'r> {
    renames: &'static Renames,
    /// Variables that functions and bindings of Relax define.
    relax_vars: HashSet<usize>,
    /// Values of TIR, and tuples of values, by the variable of Relax that is bound to them.
    values: HashMap<usize, usize>,
    /// Expressions of TIR that use variables of Relax.
    uses_variables: HashSet<usize>,
    /// Returns `true` if there is an operator with a name.
    has_operator: &'r dyn Fn(&str) -> bool,
}

impl<'r> FromTvm027<'r> {
    pub(crate) fn new(
        graph: &Graph<'_>,
        renames: &'static Renames,
        has_operator: &'r dyn Fn(&str) -> bool,
    ) -> FromTvm027<'r> {
        let mut rules = FromTvm027 {
            renames,
            relax_vars: HashSet::new(),
            values: HashMap::new(),
            uses_variables: HashSet::new(),
            has_operator,
        };
        for node in &graph.nodes {
            match &*node.kind {
                "relax.expr.Function" => {
                    rules.relax_vars.extend(graph.list_at(node, "params"));
                }
                "relax.expr.VarBinding" | "relax.expr.MatchCast" => rules.relax_vars.extend(node.node("var")),
                _ => {}
            }
        }
        for (index, node) in graph.nodes.iter().enumerate() {
            let is_part = rules.is_prim(graph, index) && node.kind != "ir.Var" || node.kind == "ffi.Array";
            let is_variable = |part: usize| rules.is_scalar_variable(graph, part);
            if is_part
                && node.references().any(|part| is_variable(part) || rules.uses_variables.contains(&part))
            {
                rules.uses_variables.insert(index);
            }
        }
        for node in graph.nodes.iter().filter(|node| node.kind == "relax.expr.VarBinding") {
            let (Some(var), Some(value)) = (node.node("var"), node.node("value")) else { continue };
            if let Some(known) = rules.values.get(&value) {
                rules.values.insert(var, *known);
            } else if rules.is_prim(graph, value) || is_tuple(graph, value) {
                rules.values.insert(var, value);
            }
        }
        rules
    }

    /// Returns `true` for a variable of Relax that holds a scalar.
    fn is_scalar_variable(&self, graph: &Graph<'_>, index: usize) -> bool {
        self.relax_vars.contains(&index)
            && graph
                .nodes
                .get(index)
                .and_then(|node| graph.at(node, "ty"))
                .is_some_and(|ty| ty.kind == "ir.PrimType")
    }

    /// Returns `true` for a value of TIR.
    fn is_prim(&self, graph: &Graph<'_>, index: usize) -> bool {
        let Some(node) = graph.nodes.get(index) else { return false };
        match &*node.kind {
            "ir.IntImm" | "ir.FloatImm" | "ir.TensorLoad" => true,
            "ir.Var" => !self.relax_vars.contains(&index) && is_prim_type(graph, node),
            "ir.Call" => !is_relax_call(graph, node) && is_prim_type(graph, node),
            kind => kind.starts_with("prim."),
        }
    }
}

fn is_prim_type(graph: &Graph<'_>, node: &Node<'_>) -> bool {
    let ty = graph.at(node, "ty").map(|ty| &*ty.kind);
    matches!(ty, Some("ir.PrimType" | "ir.PointerType" | "tirx.TensorMapType"))
}

fn is_tuple(graph: &Graph<'_>, index: usize) -> bool {
    graph.nodes.get(index).is_some_and(|node| node.kind == "ir.Tuple")
}

fn is_buffer(graph: &Graph<'_>, node: &Node<'_>) -> bool {
    node.kind == "ir.Var" && graph.at(node, "ty").is_some_and(|ty| ty.kind == "tirx.BufferType")
}

/// Returns `true` for a call of a function or operator of Relax.
fn is_relax_call(graph: &Graph<'_>, node: &Node<'_>) -> bool {
    match graph.operator_of(node) {
        Some(name) => name.starts_with("relax."),
        None => true,
    }
}

/// The data type of a value.
fn dtype_of<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Cow<'t, str> {
    match graph.at(node, "ty") {
        Some(ty) if ty.kind == "ir.PrimType" => ty.text("dtype").cloned().unwrap_or_default(),
        _ => "handle".into(),
    }
}

/// Returns `true` for a pointer to nothing known.
fn is_untyped(graph: &Graph<'_>, pointer: &Node<'_>) -> bool {
    let element = graph.at(pointer, "element_type");
    let scope = graph.at(pointer, "storage_scope").and_then(Node::as_text);
    element
        .is_some_and(|ty| ty.kind == "ir.PrimType" && ty.text("dtype").is_none_or(|dtype| dtype.is_empty()))
        && scope.is_none_or(|scope| scope == "global" || scope.is_empty())
}

impl<'t> Rules<'t> for FromTvm027<'_> {
    fn role(&self, graph: &Graph<'t>, index: usize, role: Role) -> Role {
        let Some(node) = graph.nodes.get(index) else { return Role::Plain };
        let is_kept = match (&*node.kind, role) {
            (_, Role::Plain) => true,
            ("ffi.Array" | "ffi.Map", _) => true,
            ("ir.Var", Role::Data | Role::Handle) => is_buffer(graph, node),
            ("int", Role::Attr | Role::WideAttr) => true,
            ("ir.PrimType" | "ir.PointerType" | "ir.TupleType", Role::Info) => true,
            ("ir.StringImm", Role::Relax) => true,
            ("ir.Call", Role::Relax) => true,
            (_, Role::Relax) => self.is_prim(graph, index) || self.is_scalar_variable(graph, index),
            _ => false,
        };
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
            Data::Plain(_) => return self.leaf(node, role),
            Data::Fields(_) => {}
        }
        if role == Role::Relax && self.is_prim(graph, index) {
            let value = Part::Of(index, Role::Plain);
            let known = match self.uses_variables.contains(&index) {
                true => Part::none(),
                false => value.clone(),
            };
            let info = prim_info(known, dtype_of(graph, node));
            return Made::of(
                "relax.expr.PrimValue",
                vec![("span", Part::of(node, "span")), ("struct_info_", info), ("value", value)],
            );
        }
        match &*node.kind {
            "ir.IntImm" => {
                let value = graph.at(node, "value").map(|value| &value.data);
                let value = match value {
                    Some(Data::Plain(value)) => Part::Plain(value.clone()),
                    _ => Part::of(node, "value"),
                };
                let dtype = Part::text(dtype_of(graph, node));
                Made::of(
                    "ir.IntImm",
                    vec![("span", Part::of(node, "span")), ("dtype", dtype), ("value", value)],
                )
            }
            "ir.PrimType" if role == Role::Info => {
                Made::Same(prim_info(Part::none(), node.text("dtype").cloned().unwrap_or_default()))
            }
            "ir.PrimType" => Made::Same(Part::prim_type(node.text("dtype").cloned().unwrap_or_default())),
            "ir.PointerType" if role == Role::Info => {
                Made::of("relax.ObjectStructInfo", vec![("span", Part::none())])
            }
            "ir.PointerType" if is_untyped(graph, node) => Made::Same(Part::prim_type("handle")),
            "ir.TupleType" if role == Role::Info => Made::of(
                "relax.TupleStructInfo",
                vec![("span", Part::of(node, "span")), ("fields", Part::of_role(node, "fields", Role::Info))],
            ),
            "ir.TupleType" => Made::of(
                "ir.TupleType",
                vec![("span", Part::of(node, "span")), ("fields", Part::of(node, "fields"))],
            ),
            "ir.StringType" => Made::of("relax.ObjectStructInfo", vec![("span", Part::of(node, "span"))]),
            "ir.Var" | "relax.expr.DataflowVar"
                if role != Role::Relax && self.is_scalar_variable(graph, index) =>
            {
                // A scalar variable inside a scalar expression.
                let dtype = Part::text(dtype_of(graph, node));
                let var = Part::Of(index, Role::Relax);
                Made::of(
                    "relax.expr.ScalarUse",
                    vec![("span", Part::of(node, "span")), ("dtype", dtype), ("var", var)],
                )
            }
            "ir.Var" => self.variable(graph, index, node, role),
            "relax.expr.DataflowVar" => self.relax_variable(graph, index, node),
            "ir.Call" => self.call(graph, node, role),
            "ir.StringImm" if role == Role::Relax => {
                let info = Part::of_role(node, "ty", Role::Info);
                Made::of(
                    "relax.expr.StringImm",
                    vec![
                        ("span", Part::of(node, "span")),
                        ("struct_info_", info),
                        ("value", Part::of(node, "value")),
                    ],
                )
            }
            "ir.StringImm" => Made::of(
                "tir.StringImm",
                vec![
                    ("span", Part::of(node, "span")),
                    ("dtype", Part::text("handle")),
                    ("value", Part::of(node, "value")),
                ],
            ),
            "ir.GenericConst" => constant(graph, node),
            "ir.TensorLoad" => Made::of(
                "tir.BufferLoad",
                vec![
                    ("span", Part::of(node, "span")),
                    ("dtype", Part::text(dtype_of(graph, node))),
                    ("buffer", Part::of(node, "source")),
                    ("indices", Part::of(node, "indices")),
                    ("predicate", Part::of(node, "predicate")),
                ],
            ),
            "ir.TensorRegion" => Made::of(
                "tir.BufferRegion",
                vec![("buffer", Part::of(node, "source")), ("region", Part::of(node, "region"))],
            ),
            "tirx.PrimFunc" => function(graph, node),
            "tirx.Return" => self.returned(graph, node),
            "tirx.Evaluate" => match masked_store(graph, node) {
                Some(store) => store,
                None => self.generic(graph, node),
            },
            "tirx.ScopeIdDefStmt" => scope_ids(graph, node),
            kind => match BIT_OPERATORS.iter().find(|(_, theirs)| *theirs == kind) {
                Some((operator, _)) => {
                    let args = ["a", "b"].into_iter().filter(|name| node.field(name).is_some());
                    let args = args.map(|name| Part::of(node, name)).collect();
                    tir_call(node, dtype_of(graph, node), operator, Part::list(args))
                }
                None => self.generic(graph, node),
            },
        }
    }
}

/// A call that stores with a mask, which is a store here.
fn masked_store<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Option<Made<'t>> {
    let call = graph.at(node, "value").filter(|call| call.kind == "ir.Call")?;
    let args = graph.at(call, "args").filter(|_| graph.operator_of(call) == Some(MASKED_STORE))?;
    let [buffer, value, indices @ .., mask] = args.list() else { return None };
    let value = ("value", Part::Of(*value, Role::Plain));
    Some(masked("tir.BufferStore", node, value, *buffer, indices, *mask))
}

/// An access with a mask.
fn masked<'t>(
    kind: &'static str,
    node: &Node<'t>,
    other: (&'static str, Part<'t>),
    buffer: usize,
    indices: &[usize],
    mask: usize,
) -> Made<'t> {
    let indices = indices.iter().map(|index| Part::Of(*index, Role::Plain)).collect();
    Made::of(
        kind,
        vec![
            ("span", Part::of(node, "span")),
            other,
            ("buffer", Part::Of(buffer, Role::Plain)),
            ("indices", Part::list(indices)),
            ("predicate", Part::Of(mask, Role::Plain)),
        ],
    )
}

/// The type of a value of TIR in Relax.
fn prim_info<'t>(value: Part<'t>, dtype: Cow<'t, str>) -> Part<'t> {
    Part::made(
        "relax.PrimStructInfo",
        vec![("span", Part::none()), ("value", value), ("dtype", Part::text(dtype))],
    )
}

fn tir_call<'t>(node: &Node<'t>, dtype: Cow<'t, str>, operator: &'static str, args: Part<'t>) -> Made<'t> {
    let op = Part::leaf("ir.Op", Plain::Text(operator.into()));
    Made::of(
        "tir.Call",
        vec![("span", Part::of(node, "span")), ("dtype", Part::text(dtype)), ("op", op), ("args", args)],
    )
}

/// A constant: a tensor or a data type.
fn constant<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let info = Part::of_role(node, "ty", Role::Info);
    let value = graph.at(node, "value");
    match value.filter(|value| value.kind == "DataType").and_then(Node::as_text) {
        Some(dtype) => Made::of(
            "relax.expr.DataTypeImm",
            vec![
                ("span", Part::of(node, "span")),
                ("struct_info_", info),
                ("value", Part::text(dtype.clone())),
            ],
        ),
        None => Made::of(
            "relax.expr.Constant",
            vec![("span", Part::of(node, "span")), ("struct_info_", info), ("data", Part::of(node, "value"))],
        ),
    }
}

fn function<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let given = graph.list_at(node, "params");
    let (mut params, mut buffers) = (Vec::new(), Vec::new());
    for param in given {
        if graph.nodes.get(*param).is_some_and(|param| is_buffer(graph, param)) {
            params.push(Part::Of(*param, Role::Handle));
            buffers.extend([Part::Of(*param, Role::Handle), Part::Of(*param, Role::Plain)]);
        } else {
            params.push(Part::Of(*param, Role::Plain));
        }
    }
    let buffers = Part::Made(Box::new(Made::List("ffi.Map".into(), buffers)));
    Made::of(
        "tir.PrimFunc",
        vec![
            ("span", Part::of(node, "span")),
            ("struct_info_", Part::of_role(node, "ty", Role::Info)),
            ("attrs", Part::of(node, "attrs")),
            ("params", Part::list(params)),
            ("ret_type", Part::of(node, "ret_type")),
            ("buffer_map", buffers),
            ("body", Part::of(node, "body")),
        ],
    )
}

fn scope_ids<'t>(graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
    let definition = graph.at(node, "def");
    let part = |field: &str| definition.map_or_else(Part::none, |definition| Part::of(definition, field));
    let scope = match definition.and_then(|definition| definition.field("scope")) {
        Some(Field::Plain(Plain::Int(scope))) => usize::try_from(*scope).ok().and_then(|at| SCOPES.get(at)),
        _ => None,
    };
    Made::of(
        "tirx.ScopeIdDefStmt",
        vec![
            ("span", Part::of(node, "span")),
            ("extents", part("extents")),
            ("scope", scope.map_or_else(Part::none, |scope| Part::string(*scope))),
            ("def_ids", part("def_ids")),
        ],
    )
}

/// A buffer, its data pointer, or the parameter for it.
fn buffer<'t>(graph: &Graph<'t>, index: usize, node: &Node<'t>, ty: &Node<'t>, role: Role) -> Made<'t> {
    let dtype = graph.at(ty, "dtype").and_then(|dtype| dtype.text("dtype")).cloned().unwrap_or_default();
    match role {
        Role::Data => {
            // Memory holds no bits.
            let dtype = if dtype == "bool" { "int8".into() } else { dtype };
            let pointer = Part::made(
                "ir.PointerType",
                vec![
                    ("span", Part::none()),
                    ("element_type", Part::prim_type(dtype)),
                    ("storage_scope", Part::of(ty, "storage_scope")),
                ],
            );
            handle(node, Part::of(node, "name"), pointer)
        }
        Role::Handle => {
            let name = graph.at(node, "name").and_then(Node::as_text).map_or("", |name| &**name);
            handle(node, Part::string(format!("{name}_handle")), Part::prim_type("handle"))
        }
        _ => {
            let mut fields = vec![
                ("data", Part::Of(index, Role::Data)),
                ("dtype", Part::text(dtype)),
                ("shape", Part::of(ty, "shape")),
                ("strides", Part::of(ty, "strides")),
                ("axis_separators", Part::list(Vec::new())),
                ("elem_offset", Part::of(ty, "elem_offset")),
                ("name", Part::of(node, "name")),
                ("data_alignment", Part::of(ty, "data_alignment")),
                ("offset_factor", Part::of(ty, "offset_factor")),
                ("buffer_type", Part::Plain(Plain::Int(1))),
            ];
            if graph.at(ty, "layout").is_some_and(|layout| layout.data != Data::None) {
                fields.push(("layout", Part::of(ty, "layout")));
            }
            fields.push(("span", Part::of(node, "span")));
            Made::of("tir.Buffer", fields)
        }
    }
}

fn handle<'t>(node: &Node<'t>, name: Part<'t>, annotation: Part<'t>) -> Made<'t> {
    Made::of(
        "tir.Var",
        vec![
            ("span", Part::of(node, "span")),
            ("dtype", Part::text("handle")),
            ("name", name),
            ("type_annotation", annotation),
        ],
    )
}

impl FromTvm027<'_> {
    /// Names of operators and functions, and numbers.
    fn leaf<'t>(&self, node: &Node<'t>, role: Role) -> Made<'t> {
        let renamed = match (&*node.kind, &node.data) {
            ("int", Data::Plain(value)) if role == Role::Attr => {
                return Made::Same(int_imm("int32", value.clone()));
            }
            ("int", Data::Plain(value)) if role == Role::WideAttr => {
                return Made::Same(int_imm("int64", value.clone()));
            }
            ("ir.Op", Data::Plain(Plain::Text(name))) => self.operator(name).map(Cow::Owned),
            ("ir.EnvFunc", Data::Plain(Plain::Text(name))) => {
                let found = FUNCTIONS.iter().find(|(_, theirs)| theirs == name);
                found.map(|(own, _)| Cow::Borrowed(*own))
            }
            _ => None,
        };
        Made::shared(match renamed {
            Some(name) => Node { kind: node.kind.clone(), data: Data::Plain(Plain::Text(name)) },
            None => node.clone(),
        })
    }

    /// The name of an operator here.
    fn operator(&self, name: &str) -> Option<String> {
        let own = self.renames.operators.own_name(name);
        (own != name && !(self.has_operator)(name) && (self.has_operator)(&own)).then(|| own.into_owned())
    }

    fn variable<'t>(&self, graph: &Graph<'t>, index: usize, node: &Node<'t>, role: Role) -> Made<'t> {
        match graph.at(node, "ty") {
            Some(ty) if ty.kind == "tirx.BufferType" => buffer(graph, index, node, ty, role),
            _ if self.relax_vars.contains(&index) || !is_prim_type(graph, node) => {
                self.relax_variable(graph, index, node)
            }
            _ => Made::of(
                "tir.Var",
                vec![
                    ("span", Part::of(node, "span")),
                    ("dtype", Part::text(dtype_of(graph, node))),
                    ("name", Part::of(node, "name")),
                    ("type_annotation", Part::of(node, "ty")),
                ],
            ),
        }
    }

    fn relax_variable<'t>(&self, graph: &Graph<'t>, index: usize, node: &Node<'t>) -> Made<'t> {
        let kind = if node.kind == "ir.Var" { "relax.expr.Var" } else { "relax.expr.DataflowVar" };
        let known = self.values.get(&index).and_then(|value| self.info_of(graph, *value, true));
        let info = known.unwrap_or_else(|| Part::of_role(node, "ty", Role::Info));
        let id = Part::made("relax.Id", vec![("name_hint", Part::of(node, "name"))]);
        Made::of(kind, vec![("span", Part::of(node, "span")), ("struct_info_", info), ("vid", id)])
    }

    /// The type of a bound value that says more than its type in the release: with the values of scalars.
    fn info_of<'t>(&self, graph: &Graph<'t>, value: usize, is_outer: bool) -> Option<Part<'t>> {
        let value = self.values.get(&value).copied().unwrap_or(value);
        let node = graph.nodes.get(value)?;
        if self.is_prim(graph, value) {
            if self.uses_variables.contains(&value) {
                return None;
            }
            return is_prim_type(graph, node)
                .then(|| prim_info(Part::Of(value, Role::Plain), dtype_of(graph, node)));
        }
        // Tuples in tuples keep the types of the release, which bounds the depth.
        let ty = graph.at(node, "ty").filter(|ty| is_outer && ty.kind == "ir.TupleType")?;
        let types = graph.list_at(ty, "fields");
        let fields = graph
            .at(node, "fields")?
            .list()
            .iter()
            .zip(types)
            .map(|(field, ty)| self.info_of(graph, *field, false).unwrap_or(Part::Of(*ty, Role::Info)));
        Some(Part::made(
            "relax.TupleStructInfo",
            vec![("span", Part::of(ty, "span")), ("fields", Part::list(fields.collect()))],
        ))
    }

    fn call<'t>(&self, graph: &Graph<'t>, node: &Node<'t>, role: Role) -> Made<'t> {
        let operator = graph.operator_of(node);
        if operator == Some("tirx.buffer_data")
            && let Some([buffer]) = graph.at(node, "args").map(Node::list)
        {
            return Made::Same(Part::Of(*buffer, Role::Data));
        }
        if operator == Some(MASKED_LOAD)
            && let Some([buffer, indices @ .., mask]) = graph.at(node, "args").map(Node::list)
        {
            let dtype = ("dtype", Part::text(dtype_of(graph, node)));
            return masked("tir.BufferLoad", node, dtype, *buffer, indices, *mask);
        }
        if is_relax_call(graph, node) && (operator.is_some() || role == Role::Relax) {
            return Made::of(
                "relax.expr.Call",
                vec![
                    ("span", Part::of(node, "span")),
                    ("struct_info_", Part::of_role(node, "ty", Role::Info)),
                    ("op", Part::of(node, "op")),
                    ("args", Part::of_role(node, "args", Role::Relax)),
                    ("attrs", Part::of(node, "attrs")),
                    ("sinfo_args", Part::of_role(node, "ty_args", Role::Info)),
                ],
            );
        }
        let (kind, last) = match graph.at(node, "attrs") {
            Some(Node { data: Data::Fields(fields), .. }) => {
                let entries = fields.iter().flat_map(|(name, value)| {
                    let value = match value {
                        Field::Node(index) => Part::Of(*index, Role::Plain),
                        Field::Plain(Plain::Int(value)) => Part::leaf("int", Plain::Int(*value)),
                        Field::Plain(Plain::Bool(value)) => Part::leaf("bool", Plain::Bool(*value)),
                        Field::Plain(Plain::Float(value)) => Part::leaf("float", Plain::Float(*value)),
                        Field::Plain(Plain::Text(dtype)) => {
                            Part::leaf("DataType", Plain::Text(dtype.clone()))
                        }
                    };
                    [Part::string(name.clone()), value]
                });
                let entries = Made::List("ffi.Map".into(), entries.collect());
                ("tirx.AnnotatedCall", Some(("annotations", Part::Made(Box::new(entries)))))
            }
            _ => ("tir.Call", None),
        };
        let own_operator = operator.and_then(|operator| self.operator(operator));
        let of_void = VOID_OPERATORS.iter().find(|(own, _)| own_operator.as_deref() == Some(own));
        let dtype = of_void.map_or_else(|| dtype_of(graph, node), |(_, dtype)| Cow::Borrowed(*dtype));
        // A pointer to elements is the type that the text of these operators states.
        let is_stated =
            matches!(operator, Some("tirx.ptr_byte_offset" | "tirx.reinterpret" | "tirx.tvm_struct_get"));
        let pointer = graph.at(node, "ty").filter(|ty| is_stated && ty.kind == "ir.PointerType");
        let (kind, last) = match pointer.filter(|ty| last.is_none() && !is_untyped(graph, ty)) {
            Some(_) => ("tirx.TypedCall", Some(("ty", Part::of(node, "ty")))),
            None => (kind, last),
        };
        let mut fields = vec![
            ("span", Part::of(node, "span")),
            ("dtype", Part::text(dtype)),
            ("op", Part::of(node, "op")),
            ("args", Part::of(node, "args")),
        ];
        fields.extend(last);
        Made::of(kind, fields)
    }

    /// `return` is a call here.
    fn returned<'t>(&self, graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
        let value = graph.at(node, "value");
        let dtype = value.map_or_else(|| "handle".into(), |value| dtype_of(graph, value));
        let call = tir_call(node, dtype, "tir.ret", Part::list(vec![Part::of(node, "value")]));
        Made::of(
            "tir.Evaluate",
            vec![("span", Part::of(node, "span")), ("value", Part::Made(Box::new(call)))],
        )
    }

    /// A node with the same fields under other names.
    fn generic<'t>(&self, graph: &Graph<'t>, node: &Node<'t>) -> Made<'t> {
        let Data::Fields(fields) = &node.data else { return Made::Leaf(node.clone()) };
        let theirs = &*node.kind;
        let renamed = self.renames.old_type_key(theirs);
        let own = renamed.unwrap_or(theirs);
        let kind = renamed.map_or_else(|| node.kind.clone(), Cow::Borrowed);
        let is_attrs = own.starts_with("relax.attrs.");
        let mut parts: Vec<(Cow<'t, str>, Part<'t>)> = Vec::with_capacity(fields.len() + 1);
        for (name, value) in fields {
            let field = &**name;
            let (name, part) = match (field, value) {
                ("ty", Field::Node(_)) if own.starts_with("tir.") || own == "ir.FloatImm" => {
                    (Cow::Borrowed("dtype"), Part::text(dtype_of(graph, node)))
                }
                ("ty", Field::Node(ty)) => {
                    let name = if own == "relax.expr.MatchCast" { "struct_info" } else { "struct_info_" };
                    (Cow::Borrowed(name), Part::Of(*ty, Role::Info))
                }
                ("ret_ty", Field::Node(ty)) => (Cow::Borrowed("ret_struct_info"), Part::Of(*ty, Role::Info)),
                ("tensor_ty", Field::Node(ty)) => (Cow::Borrowed("tensor_sinfo"), Part::Of(*ty, Role::Info)),
                ("dtype", Field::Node(ty)) if own == "relax.TensorStructInfo" => {
                    let dtype = graph.nodes.get(*ty).and_then(|ty| ty.text("dtype"));
                    (name.clone(), Part::text(dtype.cloned().unwrap_or_default()))
                }
                ("node", Field::Node(object)) if own == "tir.AttrStmt" => {
                    let number = graph.nodes.get(*object).filter(|object| object.kind == "int");
                    let part = match number.map(|number| &number.data) {
                        Some(Data::Plain(value)) => int_imm("int32", value.clone()),
                        _ => Part::Of(*object, Role::Plain),
                    };
                    (name.clone(), part)
                }
                (_, Field::Plain(value)) if contains(&PLAIN_ATTRS, own, field) => {
                    let dtype = if matches!(value, Plain::Bool(_)) { "bool" } else { "int32" };
                    (name.clone(), int_imm(dtype, value.clone()))
                }
                (_, Field::Node(index)) if contains(&OPTIONAL_DTYPES, own, field) => {
                    let dtype = graph.nodes.get(*index).and_then(Node::as_text);
                    (name.clone(), Part::text(dtype.cloned().unwrap_or_default()))
                }
                (_, Field::Node(index)) => {
                    let is_array = graph.nodes.get(*index).is_some_and(|node| node.kind == "ffi.Array");
                    let is_numbers = is_attrs && is_array && !contains(&NODE_ARRAYS, own, field)
                        || contains(&BOXED_ATTRS, own, field)
                        || contains(&NUMBER_ARRAYS, own, field);
                    let role = match is_numbers {
                        true if WIDE_ATTRS.iter().any(|start| own.starts_with(start)) => Role::WideAttr,
                        true => Role::Attr,
                        false => role_of(own, field),
                    };
                    (name.clone(), Part::Of(*index, role))
                }
                (_, Field::Plain(value)) => (name.clone(), Part::Plain(value.clone())),
            };
            parts.push((name, part));
        }
        for (_, field) in DROPPED.iter().filter(|(key, field)| *key == own && node.field(field).is_none()) {
            let part = match *field {
                "features" => Part::Made(Box::new(Made::List("ffi.Map".into(), Vec::new()))),
                "axis_separators" | "input_axis_separators" => Part::list(Vec::new()),
                _ => Part::none(),
            };
            parts.push(((*field).into(), part));
        }
        Made::Fields(kind, parts)
    }
}

/// The role of the values of a field.
fn role_of(own: &str, field: &str) -> Role {
    match (own, field) {
        ("relax.FuncStructInfo", "params" | "ret") | ("relax.TupleStructInfo", "fields") => Role::Info,
        ("relax.TensorStructInfo", "shape")
        | ("relax.expr.Function", "params" | "body")
        | ("relax.expr.SeqExpr", "body")
        | ("relax.expr.VarBinding" | "relax.expr.MatchCast", "var" | "value")
        | ("relax.expr.If", "cond" | "true_branch" | "false_branch")
        | ("relax.expr.Tuple", "fields")
        | ("relax.expr.TupleGetItem", "tuple_value")
        | ("relax.attrs.LayoutTransformAttrs", "pad_value") => Role::Relax,
        _ => Role::Plain,
    }
}
