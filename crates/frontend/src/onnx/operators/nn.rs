//! Layers of neural networks.

use tvmscript_relax::op::nn::activation::relu;

use super::rows;

rows! {
    "Relu" { 13: |cx| Ok(relu(cx.input(0)?).into()) } => "nn.relu";
}
