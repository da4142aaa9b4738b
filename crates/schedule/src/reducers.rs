//! Commutative reductions of one or several buffers.
//!
//! Upstream counterpart: `ReducerRegistry`, `src/tir/schedule/primitive/reduction.cc`, and `src/tir/schedule/analysis/reducer.cc`.

use hashbrown::{HashMap, HashSet};
use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{DataType, FieldRef, Object, PtrMap, Ref, structural_equal, substitute, with_stack};
use tvmscript_prim::{And, EQ, Expr, Or, PrimError, PrimExprExt as _, Select, Var, ops};
use tvmscript_tir::{Block, BufferLoad, BufferStore, LetStmt, SeqStmt, StmtRef};

use crate::error::{Result, ScheduleError};

type PrimResult<T> = std::result::Result<T, PrimError>;
type Comparison = fn(Expr, Expr) -> PrimResult<Expr>;

/// A way to combine two values.
#[derive(Debug, Clone, Copy)]
enum Reducer {
    Sum,
    Product,
    Min,
    Max,
    PairSum,
    /// The index of the best value, and the value. Ties go to the first one, or with `is_strict` to the lower index.
    Best {
        is_better: Comparison,
        is_strict: bool,
        is_greatest: bool,
    },
}

/// The known reducers, in order of trial.
static REDUCERS: [Reducer; 9] = [
    Reducer::Sum,
    Reducer::Product,
    Reducer::Min,
    Reducer::Max,
    Reducer::PairSum,
    Reducer::Best { is_better: ops::ge, is_strict: false, is_greatest: true },
    Reducer::Best { is_better: ops::gt, is_strict: true, is_greatest: true },
    Reducer::Best { is_better: ops::le, is_strict: false, is_greatest: false },
    Reducer::Best { is_better: ops::lt, is_strict: true, is_greatest: false },
];

impl Reducer {
    /// The values with which it starts; `None` if it has another number of buffers or no such values.
    fn identities(self, dtypes: &[DataType]) -> Option<Vec<Expr>> {
        let constant = |dtype: DataType, value: i64| ops::make_const(dtype, value);
        let values = match (self, dtypes) {
            (Reducer::Sum, [x]) => vec![constant(*x, 0)],
            (Reducer::Product, [x]) => vec![constant(*x, 1)],
            (Reducer::Min, [x]) => vec![ops::max_value(*x)],
            (Reducer::Max, [x]) => vec![ops::min_value(*x)],
            (Reducer::PairSum, [x, y]) => vec![constant(*x, 0), constant(*y, 0)],
            (Reducer::Best { is_greatest: true, .. }, [x, y]) => vec![constant(*x, -1), ops::min_value(*y)],
            (Reducer::Best { is_greatest: false, .. }, [x, y]) => vec![constant(*x, -1), ops::max_value(*y)],
            _ => return None,
        };
        values.into_iter().collect::<PrimResult<_>>().ok()
    }

    /// The combined values; `None` if it has another number of buffers.
    fn combined(self, left: &[Expr], right: &[Expr]) -> PrimResult<Option<Vec<Expr>>> {
        let (left, right) = (left.to_vec(), right.to_vec());
        Ok(Some(match (self, &left[..], &right[..]) {
            (Reducer::Sum, [x], [y]) => vec![ops::add(x.clone(), y.clone())?],
            (Reducer::Product, [x], [y]) => vec![ops::mul(x.clone(), y.clone())?],
            (Reducer::Min, [x], [y]) => vec![ops::min(x.clone(), y.clone())?],
            (Reducer::Max, [x], [y]) => vec![ops::max(x.clone(), y.clone())?],
            (Reducer::PairSum, [x, z], [y, w]) => {
                vec![ops::add(x.clone(), y.clone())?, ops::add(z.clone(), w.clone())?]
            }
            (Reducer::Best { is_better, is_strict, .. }, [i, x], [j, y]) => {
                let better = is_better(x.clone(), y.clone())?;
                let first = match is_strict {
                    false => better.clone(),
                    true => {
                        let tie = EQ::try_new(x.clone(), y.clone())?;
                        Or::try_new(better.clone(), And::try_new(tie, ops::lt(i.clone(), j.clone())?)?)?
                    }
                };
                let index = Select::try_new(first, i.clone(), j.clone())?;
                vec![index, Select::try_new(better, x.clone(), y.clone())?]
            }
            _ => return Ok(None),
        }))
    }
}

/// A reduction block in one of the forms that are known.
#[derive(Debug, Clone)]
pub(crate) struct Reduction {
    reducer: Reducer,
    /// The values with which it starts, by buffer.
    pub(crate) identities: Vec<Expr>,
    /// The stores of the body, by buffer.
    pub(crate) updates: Vec<Ref<BufferStore>>,
    /// The loads of the elements, and what is combined with them.
    pub(crate) elements: Vec<Expr>,
    pub(crate) operands: Vec<Expr>,
}

impl Reduction {
    /// The reduction of a block.
    ///
    /// # Errors
    /// `RFactorNotApplicableError` for another form of initialization and body, `NoMatchedReducerError` for others than
    /// the known reducers.
    pub(crate) fn of(block: &Ref<Block>) -> Result<Reduction> {
        let (identities, updates) = values_and_updates(block)?;
        let dtypes: Vec<DataType> = identities.iter().map(|value| value.dtype()).collect();
        let values: Vec<Expr> = updates.iter().map(|update| update.value.clone()).collect();
        let load = |update: &Ref<BufferStore>| {
            Ok(BufferLoad::try_new(update.buffer.clone(), update.indices.clone(), None)?)
        };
        let elements: Vec<Expr> = updates.iter().map(load).collect::<Result<_>>()?;
        for reducer in REDUCERS {
            let expected = reducer.identities(&dtypes).filter(|expected| are_equal(expected, &identities));
            if expected.is_none() {
                continue;
            }
            if let Some(operands) = matched(reducer, &dtypes, &values, &elements)? {
                return Ok(Reduction { reducer, identities, updates, elements, operands });
            }
        }
        let message =
            format!("the reduction of the block `{}` is none of those known", block.name_hint.as_str());
        Err(ScheduleError::new("NoMatchedReducerError", message))
    }

    /// The combination of elements and operands.
    pub(crate) fn combined(&self, elements: &[Expr], operands: &[Expr]) -> Result<Vec<Expr>> {
        let dtypes: Vec<DataType> = self.identities.iter().map(|value| value.dtype()).collect();
        let (left, right) = (holes("x", &dtypes), holes("y", &dtypes));
        let mut values: PtrMap<Object> = PtrMap::default();
        for (hole, value) in left.iter().zip(elements).chain(right.iter().zip(operands)) {
            values.insert(hole.object().clone(), value.object().clone());
        }
        let combined = self.reducer.combined(&upcast(&left), &upcast(&right))?.unwrap_or_default();
        combined.into_iter().map(|value| Ok(substitute(value, &values)?)).collect()
    }
}

fn holes(name: &str, dtypes: &[DataType]) -> Vec<Ref<Var>> {
    dtypes.iter().enumerate().map(|(at, dtype)| Var::new(format!("{name}{at}"), *dtype)).collect()
}

fn upcast(vars: &[Ref<Var>]) -> Vec<Expr> {
    vars.iter().map(|var| var.clone().upcast()).collect()
}

fn are_equal(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| structural_equal(a.object(), b.object()))
}

/// The values that a reducer combines with the elements; `None` if they are not combinations of them.
fn matched(
    reducer: Reducer,
    dtypes: &[DataType],
    values: &[Expr],
    elements: &[Expr],
) -> Result<Option<Vec<Expr>>> {
    let (left, right) = (holes("x", dtypes), holes("y", dtypes));
    let Some(patterns) = reducer.combined(&upcast(&left), &upcast(&right))? else { return Ok(None) };
    let mut filled: HashMap<usize, Object> = HashMap::new();
    let fits = patterns.len() == values.len()
        && patterns
            .iter()
            .zip(values)
            .all(|(pattern, value)| fill(pattern.object(), value.object(), &mut filled));
    let mut value = |hole: &Ref<Var>| filled.get(&hole.object().address())?.downcast_ref().cloned();
    let found: Option<Vec<Expr>> = left.iter().map(&mut value).collect();
    let operands: Option<Vec<Expr>> = right.iter().map(&mut value).collect();
    Ok(operands.filter(|_| fits && found.is_some_and(|found| are_equal(&found, elements))))
}

/// Fills the variables of a pattern so that it is an expression.
fn fill(pattern: &Object, expr: &Object, filled: &mut HashMap<usize, Object>) -> bool {
    if pattern.is::<Var>() {
        let known = filled.entry(pattern.address()).or_insert_with(|| expr.clone());
        return known.ptr_eq(expr) || structural_equal(known, expr);
    }
    if !std::ptr::eq(pattern.info(), expr.info()) {
        return false;
    }
    (0..pattern.info().fields().len()).all(|at| match (pattern.field(at), expr.field(at)) {
        (FieldRef::Node(pattern), FieldRef::Node(expr)) => with_stack(|| fill(pattern, expr, filled)),
        _ => true,
    })
}

/// The initial values and the stores of a reduction block, in the order of its body.
fn values_and_updates(block: &Ref<Block>) -> Result<(Vec<Expr>, Vec<Ref<BufferStore>>)> {
    let refused = |why: &str| {
        let message =
            format!("the reduction of the block `{}` has another form: {why}", block.name_hint.as_str());
        ScheduleError::new("RFactorNotApplicableError", message).at(block.clone())
    };
    let init = block.init.as_ref().ok_or_else(|| refused("there is no `T.init()`"))?;
    let inits = stores(init).ok_or_else(|| refused("`T.init()` must store, and nothing else"))?;
    let buffers: HashSet<usize> = inits.iter().map(|store| store.buffer.object().address()).collect();
    if buffers.len() < inits.len() {
        return Err(refused("`T.init()` stores to a buffer twice"));
    }
    let updates = match block.body.downcast_ref::<BufferStore>() {
        Some(store) => vec![store.clone()],
        None => bound_updates(&block.body, inits.len()).map_err(refused)?,
    };
    if updates.len() != inits.len() {
        return Err(ScheduleError::plain("the body must store to as many buffers as `T.init()`"));
    }
    let Some(first) = updates.first() else { return Err(refused("the body stores nothing")) };
    let mut analyzer = Analyzer::new();
    let mut same = |a: &tvmscript_ir_core::Array<Expr>, b: &tvmscript_ir_core::Array<Expr>| {
        a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| analyzer.can_prove_equal(a, b))
    };
    let mut values = Vec::with_capacity(inits.len());
    for update in &updates {
        if !same(&update.buffer.shape, &first.buffer.shape) {
            return Err(refused("the buffers have different shapes"));
        }
        let Some(init) = inits.iter().find(|init| init.buffer.ptr_eq(&update.buffer)) else {
            return Err(refused("`T.init()` and the body store to different buffers"));
        };
        if !same(&init.indices, &first.indices) || !same(&update.indices, &first.indices) {
            return Err(refused("the indices of the stores differ"));
        }
        values.push(init.value.clone());
    }
    Ok((values, updates))
}

/// The stores of a statement that only stores.
fn stores(stmt: &StmtRef) -> Option<Vec<Ref<BufferStore>>> {
    match stmt.as_node::<SeqStmt>() {
        Some(sequence) => sequence.seq.iter().map(|stmt| stmt.downcast_ref().cloned()).collect(),
        None => Some(vec![stmt.downcast_ref::<BufferStore>()?.clone()]),
    }
}

/// The stores of variables that are bound around them, as stores of the values, in the order of the variables.
fn bound_updates(body: &StmtRef, count: usize) -> std::result::Result<Vec<Ref<BufferStore>>, &'static str> {
    let mut bindings: Vec<(&Ref<Var>, &Expr)> = Vec::new();
    let mut inner = body;
    while let Some(binding) = inner.as_node::<LetStmt>() {
        bindings.push((&binding.var, &binding.value));
        inner = &binding.body;
    }
    if bindings.len() != count {
        return Err("the body must bind one variable per buffer");
    }
    let stores = stores(inner).ok_or("the body must store, and nothing else")?;
    if stores.len() != count {
        return Err("the body must store once per buffer");
    }
    let mut updates: Vec<Option<Ref<BufferStore>>> = vec![None; count];
    let mut buffers = HashSet::new();
    for store in stores {
        let bound = store.value.downcast_ref::<Var>();
        let at = bindings.iter().position(|(var, _)| bound.is_some_and(|bound| bound.ptr_eq(var)));
        let (Some(slot), Some((_, value))) =
            (at.and_then(|at| updates.get_mut(at)), at.and_then(|at| bindings.get(at)))
        else {
            return Err("the body must store the variables that it binds");
        };
        if slot.is_some() {
            return Err("the body stores a variable twice");
        }
        if !buffers.insert(store.buffer.object().address()) {
            return Err("the body stores to a buffer twice");
        }
        let mut update = store.clone();
        update.make_mut().value = (*value).clone();
        *slot = Some(update);
    }
    updates.into_iter().collect::<Option<_>>().ok_or("the body must store the variables that it binds")
}
