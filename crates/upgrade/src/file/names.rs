//! The modules and members of TVM that the names of a file stand for, by its import statements.

use std::collections::HashMap;

use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, Stmt};

/// Namespaces of dialects, in the older release.
pub(super) const TIR: &str = "tvm.script.tir";
pub(super) const RELAX: &str = "tvm.script.relax";

/// The name of a member of the namespace of TIR by its path; dots lead into namespaces.
pub(super) fn in_tir(path: &str) -> Option<&str> {
    path.strip_prefix(TIR)?.strip_prefix('.')
}

/// Dotted paths by name. Imports of functions count as imports of the file.
pub(super) struct Names(HashMap<String, String>);

impl Names {
    pub(super) fn of(ast: &Ast) -> Names {
        let mut names = HashMap::new();
        for stmt in ast.all_stmts() {
            match stmt {
                Stmt::Import(import) => {
                    for alias in ast.list(import.names) {
                        let path = ast.name(alias.name);
                        let (name, path) = match alias.asname {
                            Some(asname) => (ast.name(asname), path),
                            None => {
                                let first = path.split('.').next().unwrap_or(path);
                                (first, first)
                            }
                        };
                        names.insert(name.to_owned(), canonical(path));
                    }
                }
                Stmt::ImportFrom(from) if from.level == 0 => {
                    let module = from.module.map_or("", |module| ast.name(module));
                    for alias in ast.list(from.names) {
                        let path = format!("{module}.{}", ast.name(alias.name));
                        let name = ast.name(alias.asname.unwrap_or(alias.name));
                        names.insert(name.to_owned(), canonical(&path));
                    }
                }
                _ => {}
            }
        }
        for (name, path) in [("T", TIR), ("R", RELAX), ("I", "tvm.script.ir")] {
            names.entry(name.to_owned()).or_insert_with(|| path.to_owned());
        }
        Names(names)
    }

    /// The path of a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The path of a name or of an attribute of one.
    pub(super) fn path(&self, ast: &Ast, id: ExprId) -> Option<String> {
        match ast.expr(id) {
            Expr::Name(name) => self.get(ast.name(*name)).map(str::to_owned),
            Expr::Attribute { value, attr } => {
                Some(canonical(&format!("{}.{}", self.path(ast, *value)?, ast.name(*attr))))
            }
            _ => None,
        }
    }

    /// The path of the function that a call calls.
    pub(super) fn callee(&self, ast: &Ast, id: ExprId) -> Option<String> {
        match ast.expr(id) {
            Expr::Call { func, .. } => self.path(ast, *func),
            _ => None,
        }
    }

    /// The name of the namespace of TIR; `T` if it has several.
    pub(super) fn tir(&self) -> &str {
        let names = self.0.iter().filter(|(_, of)| *of == TIR).map(|(name, _)| name.as_str());
        names.min_by_key(|name| (*name != "T", name.len(), *name)).unwrap_or("T")
    }
}

/// One path for the packages that export the same namespaces, in both releases.
fn canonical(path: &str) -> String {
    if let Some(rest) =
        path.strip_prefix("tvm.script.tirx").filter(|rest| rest.is_empty() || rest.starts_with('.'))
    {
        return format!("{TIR}{rest}");
    }
    for package in ["tvm.script.parser.", "tvm.script.ir_builder."] {
        if let Some(rest) = path.strip_prefix(package) {
            return format!("tvm.script.{rest}");
        }
    }
    path.to_owned()
}
