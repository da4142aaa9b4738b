//! Modules: functions by name, attributes, global infos.

use crate::DictAttrs;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::type_table::EqSteps;
use tvmscript_ir_core::{AccessPath, Array, Map, Node, Object, PathStep, Ref, Str, Value};

use super::{BaseFunc, GlobalInfo, GlobalVar};

/// Sources that spans refer to. TVM writes one into every module; here it is empty.
#[derive(Debug, Clone, Default, Node)]
#[node(key = "ir.SourceMap")]
pub struct SourceMap {
    /// Sources by name.
    pub source_map: Map<Value, Value>,
}

/// Functions of any dialects, by name.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.IRModule", custom_eq = module_eq, check = IRModule::check)]
pub struct IRModule {
    /// The functions.
    pub functions: Map<Ref<GlobalVar>, Ref<BaseFunc>>,
    /// Global vars by name.
    #[node(skip_eq)]
    pub global_var_map_: Map<Str, Ref<GlobalVar>>,
    /// Sources that spans refer to.
    #[node(skip_eq)]
    pub source_map: Ref<SourceMap>,
    /// Attributes.
    pub attrs: Ref<DictAttrs>,
    /// Members that are not functions, by kind.
    pub global_infos: Map<Str, Array<Ref<GlobalInfo>>>,
}

const FUNCTIONS: usize = 0;
const ATTRS: usize = 3;
const GLOBAL_INFOS: usize = 4;

/// Pairs functions of the same name before comparing bodies.
/// # Source
/// `IRModuleNode::SEqual`, `src/ir/module.cc`.
fn module_eq<'a>(lhs: &'a Object, rhs: &'a Object, steps: &mut EqSteps<'a>) {
    let (Some(a), Some(b)) = (lhs.as_node::<IRModule>(), rhs.as_node::<IRModule>()) else { return };
    steps.field(ATTRS);
    steps.field(GLOBAL_INFOS);
    // Sorted by name, so that the hash, which takes the same steps, does not depend on the order of the map.
    let mut vars: Vec<_> = a.functions.iter().map(|(var, _)| var).collect();
    vars.sort_by(|x, y| x.name_hint.as_str().cmp(y.name_hint.as_str()));
    for var in vars {
        if let Some(other) = b.global_var_map_.get_str(&var.name_hint) {
            steps.bind(FUNCTIONS, var.object(), other.object());
        }
    }
    steps.field(FUNCTIONS);
}

/// The path from `root` to the function of this name, if `root` is a module; else that of the root.
pub fn path_of_function(root: &Object, name: Option<&Str>) -> AccessPath {
    let module = root.as_node::<IRModule>();
    let var = module.zip(name).and_then(|(module, name)| {
        module.functions.iter().map(|(var, _)| var).find(|var| var.name_hint == *name)
    });
    match var {
        Some(var) => AccessPath::root().field("functions").then(PathStep::Key(Value::from(var.clone()))),
        None => AccessPath::root(),
    }
}

impl IRModule {
    /// Checks that the global vars are exactly those of the functions, under their names.
    fn check(&self) -> Checked {
        for (var, _) in self.functions.iter() {
            let name = &var.name_hint;
            let named: Option<&Ref<GlobalVar>> = self.global_var_map_.get_str(name);
            if !named.is_some_and(|named| named.ptr_eq(var)) {
                return Err(Invalid::at(
                    "global_var_map_",
                    format_args!("it does not lead to the function `{name}`"),
                ));
            }
        }
        match self.functions.len() == self.global_var_map_.len() {
            true => Ok(()),
            false => Err(Invalid::at("global_var_map_", "it has a name without a function")),
        }
    }

    /// Creates a module from functions.
    pub fn new(
        functions: impl IntoIterator<Item = (Ref<GlobalVar>, Ref<BaseFunc>)>,
        attrs: Ref<DictAttrs>,
        global_infos: Map<Str, Array<Ref<GlobalInfo>>>,
    ) -> Ref<IRModule> {
        let functions = Map::new(functions);
        let names =
            functions.iter().map(|(var, _): (&Ref<GlobalVar>, _)| (var.name_hint.clone(), var.clone()));
        let global_var_map_ = Map::new(names.collect::<Vec<_>>());
        let source_map = Ref::new(SourceMap::default());
        Ref::new(IRModule { functions, global_var_map_, source_map, attrs, global_infos })
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<(&Ref<GlobalVar>, &Ref<BaseFunc>)> {
        let var = self.global_var_map_.get_str(name)?;
        Some((var, self.functions.get(&Value::Node(var.object().clone()))?))
    }
}
