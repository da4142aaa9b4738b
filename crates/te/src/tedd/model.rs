//! Stages of any schedule, as the pictures show them.

/// A schedule as pictures show it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// The stages in the order of computation.
    pub stages: Vec<ModelStage>,
}

/// A stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelStage {
    /// Name.
    pub name: String,
    /// Storage scope of its results.
    pub scope: String,
    /// Text of the computation; an input has none.
    pub body: Option<String>,
    /// All iteration variables.
    pub iters: Vec<Iter>,
    /// Indices of the loops among the iteration variables, from the outermost.
    pub leaves: Vec<usize>,
    /// Origins of iteration variables.
    pub relations: Vec<ModelRelation>,
    /// The stage, and the index of its iteration variable, in whose loop the stage is computed.
    pub attach: Option<(usize, usize)>,
    /// Tensors read: stages and indices of results.
    pub inputs: Vec<(usize, usize)>,
    /// Results: shapes and data types.
    pub outputs: Vec<(String, String)>,
}

/// An iteration variable.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Iter {
    /// Name, an identifier.
    pub name: String,
    /// Kind: its index among [`KINDS`](super::KINDS).
    pub kind: usize,
    /// Text of the domain, if it is known.
    pub range: Option<String>,
    /// The thread that it is bound to.
    pub thread: Option<String>,
    /// The intrinsic that it is tensorized with.
    pub intrinsic: Option<String>,
}

/// The origin of iteration variables, by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelRelation {
    /// The parent, and its parts from the outermost.
    Split(usize, Vec<usize>),
    /// Parts from the outermost, and the fused variable.
    Fuse(Vec<usize>, usize),
    /// A loop of one iteration.
    Singleton(usize),
}

impl ModelStage {
    /// For each iteration variable its position among the loops; -1 if it is not one.
    pub(crate) fn leaf_positions(&self) -> Vec<i64> {
        let mut positions = vec![-1; self.iters.len()];
        for (at, leaf) in (0..).zip(&self.leaves) {
            if let Some(position) = positions.get_mut(*leaf) {
                *position = at;
            }
        }
        positions
    }
}
