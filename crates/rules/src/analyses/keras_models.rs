//! Models of Keras that have their weights as soon as they are made, which makes the devices of TensorFlow.

use crate::code::{Call, Expr, ExprKind};
use crate::rules::files::FileScope;
use crate::rules::uses::argument;
use crate::versions::Range;

/// Layers with weights.
const WEIGHTED: &[&str] = &[
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Dense",
    "Embedding",
    "GRU",
    "LSTM",
    "LayerNormalization",
    "SeparableConv2D",
];

/// Whether a call makes a model whose inputs are known, or runs a layer: `Sequential([Input((3,)), Dense(1)])`, `model.add(Dense(1, input_shape=(3,)))`,
/// `Dense(1)(x)`.
pub(super) fn makes_weights(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    // With another backend nothing of it is TensorFlow's.
    if scope.program.has_any(&["KERAS_BACKEND"]) || builds_graphs(scope) {
        return false;
    }
    let path = scope.names.path(&call.callee).unwrap_or_default();
    // `Dense(1)(x)`
    if let Some(made) = path.strip_suffix("()") {
        return is_weighted(made) && !call.arguments.is_empty();
    }
    let layers = match path {
        "tensorflow.keras.Sequential"
        | "tensorflow.keras.models.Sequential"
        | "keras.Sequential"
        | "keras.models.Sequential" => argument(&call.arguments, Some(0), Some("layers")),
        _ => None,
    };
    if let Some(layers) = layers {
        let ExprKind::Sequence(layers) = &scope.names.meant(layers).kind else { return false };
        let is_open = layers.first().is_some_and(|first| !is_input(scope, first) && !has_shape(scope, first));
        return !is_open && layers.iter().any(|layer| is_layer(scope, layer));
    }
    match &call.callee.kind {
        ExprKind::Attribute(_, "add") => call
            .arguments
            .first()
            .is_some_and(|one| is_layer(scope, &one.value) && has_shape(scope, &one.value)),
        _ => false,
    }
}

/// With TensorFlow 1, or without eager execution, a model only adds to a graph.
fn builds_graphs(scope: &FileScope<'_>) -> bool {
    let file = scope.program.name_of(scope.file);
    let is_old = Range::read(">=2")
        .is_some_and(|new| scope.program.versions().satisfies(file, "tensorflow", &new) == Some(false));
    let words = ["disable_eager_execution", "disable_v2_behavior", "tf.Session", "ConfigProto"];
    is_old || words.iter().any(|word| scope.whole_text().contains(word))
}

fn is_weighted(path: &str) -> bool {
    let name = ["tensorflow.keras.layers.", "keras.layers."].iter().find_map(|root| path.strip_prefix(root));
    name.is_some_and(|name| WEIGHTED.contains(&name))
}

fn is_layer(scope: &FileScope<'_>, made: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(made).kind else { return false };
    scope.names.path(&call.callee).is_some_and(is_weighted)
}

/// `Input((3,))`, `InputLayer(…)`
fn is_input(scope: &FileScope<'_>, made: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(made).kind else { return false };
    scope.names.path(&call.callee).is_some_and(|path| {
        path.contains("keras.") && (path.ends_with(".Input") || path.ends_with(".InputLayer"))
    })
}

/// `Dense(1, input_shape=(3,))`
fn has_shape(scope: &FileScope<'_>, made: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &scope.names.meant(made).kind else { return false };
    ["input_shape", "input_dim", "batch_input_shape"]
        .iter()
        .any(|name| argument(&call.arguments, None, Some(name)).is_some())
}
