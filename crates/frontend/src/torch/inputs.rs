//! Parameters and constants of a program, and the bounds of its symbols.

use tvmscript_ir_core::{Map, SpanMark, Str, Value as Attribute};
use tvmscript_prim::IntImm;

use super::argument::Argument;
use super::importer::Importer;
use super::program::{InputSpec, Program};
use super::value::Value;
use crate::error::{ImportError, ImportWarning, Reason};
use crate::ops::tensor_of;

impl<'m> Importer<'m> {
    /// Adds the inputs of the user, then the weights.
    pub(super) fn inputs(&mut self, program: &'m Program) {
        let specs = &program.graph_module.signature.input_specs;
        let mut count = 0;
        for spec in specs {
            if let InputSpec::UserInput { arg } = spec {
                match arg {
                    Argument::Name(name) => {
                        self.param(name, name, true);
                        count += 1;
                    }
                    Argument::None | Argument::Bool(_) | Argument::Int(_) | Argument::Float(_) => {}
                    Argument::Text(_) | Argument::Ignored | Argument::Dtype(_) => {}
                    _ => self.errors.push(ImportError::Input {
                        name: String::new(),
                        reason: "is not a tensor, which is not supported".to_owned(),
                    }),
                }
            }
        }
        if self.options.keeps_params {
            self.graph.attr("num_input", Attribute::Int(count));
        }
        for spec in specs {
            match spec {
                InputSpec::Parameter { arg, parameter_name } if self.options.keeps_params => {
                    self.param(&arg.name, parameter_name, false);
                }
                InputSpec::Parameter { arg, parameter_name: target }
                | InputSpec::Buffer { arg, buffer_name: target }
                | InputSpec::TensorConstant { arg, tensor_constant_name: target } => {
                    self.weight(&arg.name, target);
                }
                InputSpec::UserInput { .. } | InputSpec::ConstantInput(_) | InputSpec::Token(_) => {}
                InputSpec::CustomObj(_) => self.errors.push(ImportError::Input {
                    name: String::new(),
                    reason: "is an object of a class, which is not supported".to_owned(),
                }),
            }
        }
    }

    /// Adds a parameter for an input or a weight.
    fn param(&mut self, name: &'m str, source: &str, is_input: bool) {
        let failed = |reason: String| ImportError::Input { name: name.to_owned(), reason };
        let Some(meta) = self.proto.tensor_values.get(name) else {
            let reason = "is not a tensor, which is not supported".to_owned();
            self.errors.push(failed(reason));
            self.scope.insert(name, Value::Failed);
            return;
        };
        let stated = match is_input {
            true => self.options.stated_shape(name, Some(meta.sizes.len())),
            false => Ok(None),
        };
        let stated = match stated {
            Ok(stated) => stated,
            Err(Reason(reason)) => {
                self.errors.push(failed(reason));
                self.scope.insert(name, Value::Failed);
                return;
            }
        };
        let dims = match stated {
            Some(dims) => Ok(dims.iter().map(|dim| IntImm::int64(*dim)).collect()),
            None => meta.sizes.iter().map(|size| self.symbols.size(size)).collect::<Result<Vec<_>, _>>(),
        };
        let value = match dims.and_then(|dims| Ok((dims, meta.dtype()?))) {
            Ok((dims, dtype)) => {
                let info = tensor_of(dims, dtype);
                let role = if is_input { SpanMark::Input } else { SpanMark::Parameter };
                let var = self.graph.param(name, source, info, role);
                if !is_input {
                    match self.weights.tensor(source) {
                        Ok(tensor) => {
                            let constant = self.graph.constant(source, tensor);
                            self.graph.keep(&var, &constant);
                        }
                        // Only the file with the parameters needs the elements.
                        Err(error) => {
                            let what = error.to_string();
                            self.graph.warnings.push(ImportWarning::Container { what });
                        }
                    }
                }
                Value::Known(var.upcast())
            }
            Err(reason) => {
                self.errors.push(failed(format!("has a type that is not read: {reason}")));
                Value::Failed
            }
        };
        self.scope.insert(name, value);
    }

    /// Adds a constant, if something uses it.
    fn weight(&mut self, name: &'m str, target: &str) {
        if !self.is_used(name) {
            return;
        }
        let value = match self.weights.tensor(target) {
            Ok(tensor) => Value::Known(self.graph.constant(target, tensor)),
            Err(error) => {
                self.errors.push(error);
                Value::Failed
            }
        };
        self.scope.insert(name, value);
    }

    /// States the bounds of symbols as attributes.
    pub(super) fn ranges(&mut self, program: &Program) {
        let mut lower: Vec<(Str, Attribute)> = Vec::new();
        let mut upper: Vec<(Str, Attribute)> = Vec::new();
        for (symbol, range) in &program.range_constraints {
            let bound = |key: &str| range.get(key).and_then(serde_json::Value::as_i64);
            // Others are formulas, whose bounds follow.
            let is_name = symbol.chars().all(|c| c.is_alphanumeric() || c == '_');
            if let Some(least) = bound("min_val").filter(|_| is_name) {
                lower.push((symbol.as_str().into(), Attribute::Int(least)));
                upper.extend(bound("max_val").map(|most| (symbol.as_str().into(), Attribute::Int(most))));
            }
        }
        for (key, bounds) in [("tir_var_lower_bound", lower), ("tir_var_upper_bound", upper)] {
            if !bounds.is_empty() {
                self.graph.attr(key, Attribute::Node(Map::new(bounds).into()));
            }
        }
    }
}
