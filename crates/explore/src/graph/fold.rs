//! Namespaces: a large graph whose nodes have names like `layer1/0/conv` shows each namespace as one node, with a graph inside.

use std::collections::{BTreeSet, HashMap};

use crate::page::{Graph, GraphEdge, GraphNode};

/// Number of nodes up to which a graph stays flat.
const FLAT: usize = 150;

/// Maximum number of levels of namespaces; the rest of a name is a name.
const MAX_LEVELS: usize = 8;

/// The namespaces of a name, outermost first, and the name inside. Names with `/` are paths; in others `.` separates.
pub fn namespace(name: &str) -> (Vec<&str>, &str) {
    let separator = if name.contains('/') { '/' } else { '.' };
    let mut parts: Vec<&str> = name.split(separator).filter(|part| !part.is_empty()).collect();
    let last = parts.pop().unwrap_or(name);
    (parts, last)
}

/// Folds the namespaces of graphs with more than 150 nodes. New graphs stand after the others.
pub fn fold(graphs: Vec<Graph>) -> Vec<Graph> {
    let mut folded: Vec<Graph> = Vec::with_capacity(graphs.len());
    let mut inner = Vec::new();
    let first = graphs.len();
    for (index, graph) in graphs.into_iter().enumerate() {
        if graph.nodes.len() <= FLAT {
            folded.push(graph);
            continue;
        }
        let tree = Tree::of(&graph);
        let parts = tree.graphs(graph, index, first + inner.len());
        let mut parts = parts.into_iter();
        folded.extend(parts.next());
        inner.extend(parts);
    }
    folded.extend(inner);
    folded
}

/// A namespace.
#[derive(Debug, Default)]
struct Namespace {
    parent: usize,
    level: usize,
    /// Path, joined as in the names.
    name: String,
    /// Number of layers in it and in the namespaces inside; inputs and parameters do not count.
    layers: usize,
}

/// Namespaces; the first one is the graph itself.
struct Tree {
    namespaces: Vec<Namespace>,
    /// The namespace of each node.
    owners: Vec<usize>,
}

impl Tree {
    fn of(graph: &Graph) -> Tree {
        let mut tree =
            Tree { namespaces: vec![Namespace::default()], owners: Vec::with_capacity(graph.nodes.len()) };
        let mut places: HashMap<(usize, String), usize> = HashMap::new();
        for node in &graph.nodes {
            let (path, _) = namespace(&node.name);
            let separator = if node.name.contains('/') { '/' } else { '.' };
            let is_layer = !matches!(node.mark, Some("input" | "parameter"));
            let mut at = 0;
            tree.count(at, is_layer);
            for (level, part) in path.into_iter().take(MAX_LEVELS).enumerate() {
                let next = tree.namespaces.len();
                let parent = at;
                at = *places.entry((parent, part.to_owned())).or_insert(next);
                if at == next {
                    let before = tree.namespaces.get(parent).filter(|_| parent > 0);
                    let name = before.map_or_else(
                        || part.to_owned(),
                        |before| format!("{}{separator}{part}", before.name),
                    );
                    tree.namespaces.push(Namespace { parent, level: level + 1, name, layers: 0 });
                }
                tree.count(at, is_layer);
            }
            tree.owners.push(at);
        }
        tree
    }

    fn count(&mut self, namespace: usize, is_layer: bool) {
        if let Some(namespace) = self.namespaces.get_mut(namespace) {
            namespace.layers += usize::from(is_layer);
        }
    }

    /// For each namespace the one that stands for it: a namespace with one layer, and one that has all layers of its parent,
    /// is not folded.
    fn shown(&self) -> Vec<usize> {
        let mut shown = Vec::with_capacity(self.namespaces.len());
        for (index, namespace) in self.namespaces.iter().enumerate() {
            let parent = shown.get(namespace.parent).copied().unwrap_or(0);
            let outer = self.namespaces.get(parent).map_or(0, |parent| parent.layers);
            shown.push(if index == 0 || namespace.layers < 2 || namespace.layers == outer {
                parent
            } else {
                index
            });
        }
        shown
    }

    /// The graph with folded namespaces, then those of the namespaces, which will have indices from `next` on.
    fn graphs(&self, mut graph: Graph, own: usize, next: usize) -> Vec<Graph> {
        let shown = self.shown();
        let kept: BTreeSet<usize> = shown.iter().copied().filter(|index| *index > 0).collect();
        let numbers: HashMap<usize, usize> = kept.iter().copied().zip(1..).collect();
        let number = |namespace: usize| numbers.get(&namespace).copied().unwrap_or(0);
        let page_index = |number: usize| {
            u32::try_from(if number == 0 { own } else { next + number - 1 }).unwrap_or(u32::MAX)
        };
        let outer = |namespace: usize| {
            let parent = self.namespaces.get(namespace).map_or(0, |namespace| namespace.parent);
            shown.get(parent).copied().unwrap_or(0)
        };
        let (leaf_nodes, edges) = (std::mem::take(&mut graph.nodes), std::mem::take(&mut graph.edges));
        let kind = graph.kind;
        let mut graphs = vec![graph];
        // The node of each namespace in the graph around it.
        let mut nodes: HashMap<usize, u32> = HashMap::new();
        for namespace in &kept {
            let parent = number(outer(*namespace));
            let name =
                self.namespaces.get(*namespace).map(|namespace| namespace.name.clone()).unwrap_or_default();
            let inner = Some(page_index(number(*namespace)));
            graphs.push(Graph {
                name: name.clone(),
                kind,
                parent: Some(page_index(parent)),
                ..Graph::default()
            });
            let op = "namespace".to_owned();
            let node = push(&mut graphs, parent, GraphNode { name, op, inner, ..GraphNode::default() });
            nodes.insert(*namespace, node);
        }
        let mut leaves = Vec::with_capacity(leaf_nodes.len());
        for (node, owner) in leaf_nodes.into_iter().zip(&self.owners) {
            let owner = shown.get(*owner).copied().unwrap_or(0);
            let mut around = owner;
            while around > 0 {
                let slot = nodes.get(&around).copied().unwrap_or(0);
                let outer = outer(around);
                let slot = graphs.get_mut(number(outer)).and_then(|graph| graph.nodes.get_mut(slot as usize));
                if let Some(slot) = slot {
                    slot.origins.extend(&node.origins);
                }
                around = outer;
            }
            leaves.push((owner, push(&mut graphs, number(owner), node)));
        }
        for namespace in
            graphs.iter_mut().flat_map(|graph| &mut graph.nodes).filter(|node| node.inner.is_some())
        {
            namespace.origins.sort_unstable();
            namespace.origins.dedup();
        }
        let level = |namespace: usize| self.namespaces.get(namespace).map_or(0, |namespace| namespace.level);
        let mut known = BTreeSet::new();
        for edge in edges {
            let end = |index: u32| leaves.get(index as usize).copied();
            let (Some(mut from), Some(mut to)) = (end(edge.from), end(edge.to)) else { continue };
            // Lifts the ends to the namespace that has both.
            while from.0 != to.0 {
                let side = if level(from.0) >= level(to.0) { &mut from } else { &mut to };
                *side = (outer(side.0), nodes.get(&side.0).copied().unwrap_or(0));
            }
            let place = number(from.0);
            if from.1 != to.1 && known.insert((place, from.1, to.1)) {
                let lifted = GraphEdge { from: from.1, to: to.1, ..edge };
                if let Some(graph) = graphs.get_mut(place) {
                    graph.edges.push(lifted);
                }
            }
        }
        graphs
    }
}

/// Adds a node to a graph.
fn push(graphs: &mut [Graph], graph: usize, node: GraphNode) -> u32 {
    let Some(graph) = graphs.get_mut(graph) else { return 0 };
    graph.nodes.push(node);
    u32::try_from(graph.nodes.len() - 1).unwrap_or(u32::MAX)
}
