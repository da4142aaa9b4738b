//! Attributes of values.

use tvmscript_ir_core::Span;
use tvmscript_irbuilder::ScriptValue;

use super::Raise;
use crate::ast::{ExprId, Name};
use crate::errors::{HostError, HostErrorKind, ParseError, ParseErrorKind, Reported, Result, suggest};
use crate::host;
use crate::parser::{Module, Namespace, Parser};

impl Parser<'_> {
    /// The attribute of a value.
    pub(crate) fn attribute(&mut self, id: ExprId, value: &ScriptValue, attr: Name) -> Result<ScriptValue> {
        if let ScriptValue::Host(host) = value
            && let Some(namespace) = host.as_any().downcast_ref::<Namespace>()
        {
            return match self.namespace_attribute(namespace, attr) {
                Some(value) => Ok(value),
                None => Err(self.no_attribute(id, value, attr)),
            };
        }
        if let ScriptValue::Node(_) | ScriptValue::Host(_) = value {
            Span::set_current(self.span(id));
        }
        let ast = self.ast.clone();
        match self.find_attribute(value, ast.name(attr)) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(self.no_attribute(id, value, attr)),
            Err(raise) => self.at(id, Err(raise)),
        }
    }

    fn namespace_attribute(&mut self, namespace: &Namespace, attr: Name) -> Option<ScriptValue> {
        use tvmscript_irbuilder::HostObject;
        let (space, index) = (namespace.index(), attr.index());
        if let Some(Some(value)) = self.namespace_cache.get(space).and_then(|c| c.get(index)) {
            return Some(value.clone());
        }
        let value = namespace.attribute(self.ast.name(attr))?;
        if self.namespace_cache.len() <= space {
            self.namespace_cache.resize_with(space + 1, Vec::new);
        }
        let cache = &mut self.namespace_cache[space];
        if cache.len() <= index {
            cache.resize(index + 1, None);
        }
        cache[index] = Some(value.clone());
        Some(value)
    }

    /// The attribute of a value by its text; nothing when there is none.
    pub(crate) fn find_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
    ) -> Result<Option<ScriptValue>, Raise> {
        match value {
            ScriptValue::Node(object) => {
                if let Some(attribute) = self.rules(object).attribute
                    && let Some(value) = attribute(object, name)?
                {
                    return Ok(Some(value));
                }
                Ok(host::methods::of(value, name))
            }
            ScriptValue::Host(host) => {
                if let Some(module) = host.as_any().downcast_ref::<Module>() {
                    return Ok(self.module_member(module, name));
                }
                Ok(host.attribute(name).or_else(|| host::methods::of(value, name)))
            }
            ScriptValue::Function(function) => {
                let member = function.members.iter().find(|member| member.name == name);
                Ok(member
                    .map(|member| ScriptValue::Function(member))
                    .or_else(|| host::methods::of(value, name)))
            }
            other => Ok(host::methods::of(other, name)),
        }
    }

    #[cold]
    fn no_attribute(&mut self, id: ExprId, value: &ScriptValue, attr: Name) -> Reported {
        let ast = self.ast.clone();
        let name = ast.name(attr);
        let range = ast.attr_range(id);
        if let ScriptValue::Host(host) = value
            && (host.lacks_by_mistake(name) || host.takes_definitions() && self.is_in_invalid(name))
        {
            return Reported(());
        }
        let (what, names) = match value {
            ScriptValue::Node(object) => {
                let names = self.rules(object).names.map(|names| names(object)).unwrap_or_default();
                (format!("`{}`", object.info().key()), names)
            }
            ScriptValue::Host(host) => {
                if let Some(module) = host.as_any().downcast_ref::<Module>() {
                    if !self.shared.table.modules.contains(&module.path) {
                        let message = format!("the module `{}` cannot be used here", module.path);
                        let error = HostError::new(HostErrorKind::Import, message);
                        return self.report(ParseError::new(error, ast.range(id)));
                    }
                    let path = format!("{}.{name}", module.path);
                    let (error, help) = self.unusable(&path);
                    let mut error = ParseError::new(error, ast.range(id));
                    error.help = help;
                    return self.report(error);
                }
                let what = match host.as_any().downcast_ref::<Namespace>() {
                    Some(namespace) => format!("the dialect `{}`", namespace.dialect()),
                    None => host.type_name().to_owned(),
                };
                (what, host.attribute_names())
            }
            ScriptValue::Function(function) => {
                let names = function.members.iter().map(|member| member.name.to_owned());
                (format!("function `{}`", function.name), names.collect())
            }
            other => (
                format!("'{}' object", self.python_type(other)),
                host::methods::names(other).map(str::to_owned).collect(),
            ),
        };
        let mut error = ParseError::new(ParseErrorKind::NoAttribute { what, name: name.to_owned() }, range);
        let prefix = match *ast.expr(id) {
            crate::ast::Expr::Attribute { value, .. } => self.shared.text_of(ast.range(value)),
            _ => "",
        };
        let instead = match value.as_host::<Namespace>() {
            Some(namespace) => self.shared.table.instead_of(namespace.dialect(), name),
            None => None,
        };
        if let Some(instead) = instead {
            error.help = Some(instead.to_owned());
        } else if let Some(near) = suggest::nearest(name, names.iter().map(String::as_str)) {
            let prefix = if prefix.len() <= 20 { prefix } else { ".." };
            error.help = Some(format!("did you mean `{prefix}.{near}`?"));
        }
        self.report(error)
    }
}
