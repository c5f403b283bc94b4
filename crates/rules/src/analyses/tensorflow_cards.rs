//! One card of all that TensorFlow sees, on which it computes.

use super::literal_defaults::default_of;
use super::tensorflow::{SETTINGS, called};
use crate::code::walk::Ancestor;
use crate::code::{Call, Expr, ExprKind, Operator, StatementKind};
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

/// One card chosen out of all, in a program without a mask.
pub(super) fn chosen_by_list(scope: &FileScope<'_>) -> Vec<RawFinding> {
    if scope.whole_text().contains("CUDA_VISIBLE_DEVICES") {
        return Vec::new();
    }
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, _| {
        if !shows_devices(scope, call) {
            return;
        }
        // A list with one card that an index picks: `[gpus[1]]`, `gpus[1]`, or a name for it.
        let one = call.arguments.first().map(|given| only_of(&given.value));
        if one.is_some_and(|one| matches!(scope.names.meant(one).kind, ExprKind::Item(_))) {
            found.push(RawFinding::at(scope.place(expr.span)));
        }
    });
    if found.is_empty() {
        found.extend(chosen_by_strategy(scope).or_else(|| chosen_by_block(scope)));
    }
    found
}

/// `for gpu in gpus: tf.config.set_visible_devices(gpu, "GPU")`, where each pass replaces what the one before has set.
pub(super) fn replaced_in_loop(scope: &FileScope<'_>) -> Vec<RawFinding> {
    /// The loop looks for one card, or each pass is for a program of its own.
    const ENDS: &[&str] = &["break", "return", "yield", "Process", "subprocess", "fork"];
    let mut found = Vec::new();
    scope.each_call(&mut |expr, call, around| {
        if !shows_devices(scope, call) {
            return;
        }
        // Devices of one kind do not replace those of another.
        let kind = argument(&call.arguments, Some(1), Some("device_type"));
        if kind.is_some_and(
            |kind| !matches!(&scope.names.meant(kind).kind, ExprKind::Text(name) if &**name == "GPU"),
        ) {
            return;
        }
        // Nothing asks for one of the passes between the loop and the call.
        let mut inner = around.iter().rev();
        let step = loop {
            match inner.next() {
                Some(Ancestor::Loop(step)) => break *step,
                None | Some(Ancestor::Function(_) | Ancestor::Then(_) | Ancestor::Otherwise(_)) => return,
                Some(_) => {}
            }
        };
        let StatementKind::For { target, iterable, .. } = &step.kind else { return };
        // `gpus[:1]`, and other parts that may be one card.
        let may_be_one = match &scope.names.meant(iterable).kind {
            ExprKind::Item(parts) => matches!(parts.1.kind, ExprKind::Unknown(_)),
            ExprKind::Sequence(listed) => listed.len() == 1,
            _ => false,
        };
        if may_be_one {
            return;
        }
        let Some(one) = call.arguments.first().map(|given| only_of(&given.value)) else { return };
        let is_one = match &one.kind {
            ExprKind::Name(_) => true,
            ExprKind::Item(_) => !scope.text(one.span).contains(':'),
            _ => false,
        };
        let names = target.names();
        let mut words = scope.text(one.span).split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        let is_of_pass = words.any(|word| names.contains(&word));
        let text = scope.text(step.span);
        if is_one && is_of_pass && !ENDS.iter().any(|word| text.contains(word)) {
            found.push(RawFinding::at(scope.place(expr.span)).word("text", scope.text(one.span)));
        }
    });
    found
}

/// Whether a call says which devices TensorFlow sees.
fn shows_devices(scope: &FileScope<'_>, call: &Call<'_>) -> bool {
    called(scope, call).is_some_and(|path| path.ends_with(".set_visible_devices") && SETTINGS.contains(&path))
}

/// What a list of one holds; any other expression itself.
fn only_of<'e, 's>(given: &'e Expr<'s>) -> &'e Expr<'s> {
    match &given.kind {
        ExprKind::Sequence(listed) if listed.len() == 1 => &listed[0],
        _ => given,
    }
}

/// `tf.distribute.MirroredStrategy(devices=["/gpu:1"])`, in a file that names no first card.
fn chosen_by_strategy(scope: &FileScope<'_>) -> Option<RawFinding> {
    const STRATEGIES: &[&str] =
        &["tensorflow.distribute.MirroredStrategy", "tensorflow.distribute.OneDeviceStrategy"];
    let text = scope.whole_text().to_ascii_lowercase();
    if text.contains("gpu:0") || text.contains("set_visible_devices") {
        return None;
    }
    let index_of = |expr: &Expr<'_>| match &scope.names.meant(expr).kind {
        ExprKind::Text(text) => text.to_ascii_lowercase().rsplit_once("gpu:")?.1.parse::<u32>().ok(),
        _ => None,
    };
    let mut found = None;
    scope.each_call(&mut |expr, call, _| {
        if found.is_some() || called(scope, call).is_none_or(|path| !STRATEGIES.contains(&path)) {
            return;
        }
        let named = |name| argument(&call.arguments, Some(0), Some(name));
        let Some(given) = named("devices").or_else(|| named("device")) else { return };
        let given = scope.names.meant(given);
        let are_others = match &given.kind {
            ExprKind::Sequence(names) => {
                !names.is_empty() && names.iter().all(|name| index_of(name).is_some_and(|index| index > 0))
            }
            _ => index_of(given).is_some_and(|index| index > 0),
        };
        if are_others {
            found = Some(RawFinding::at(scope.place(expr.span)));
        }
    });
    found
}

/// `with tf.device("/gpu:" + str(args.gpu)):` in a file that names one card alone. Of a loop over cards the number is not known.
fn chosen_by_block(scope: &FileScope<'_>) -> Option<RawFinding> {
    let (mut found, mut others) = (None, false);
    scope.each_call(&mut |expr, call, _| {
        if called(scope, call) != Some("tensorflow.device") {
            return;
        }
        let Some(name) = argument(&call.arguments, Some(0), Some("device_name")) else { return };
        if !scope.text(name.span).to_ascii_lowercase().contains("gpu") {
            return;
        }
        let chosen = names_one_card(scope, name);
        others |= !chosen;
        found = found.or(chosen.then_some(expr.span));
    });
    found.filter(|_| !others).map(|span| RawFinding::at(scope.place(span)))
}

/// `"/gpu:1"`, and `"/gpu:"` with a number that an option gives.
fn names_one_card(scope: &FileScope<'_>, name: &Expr<'_>) -> bool {
    let begins = |expr: &Expr<'_>, with: &str| matches!(&expr.kind, ExprKind::Text(text) if text.to_ascii_lowercase().contains(with));
    let by_default = |number: &Expr<'_>| {
        default_of(scope, number).and_then(|number| number.number()).is_some_and(|number| number > 0)
    };
    let is_option = |scope: &FileScope<'_>, number: &Expr<'_>| is_option(scope, number) || by_default(number);
    let is_given = |number: &Expr<'_>| match &number.kind {
        ExprKind::Call(call) if matches!(called(scope, call), Some("builtins.str" | "builtins.int")) => {
            call.arguments.first().is_some_and(|inner| is_option(scope, &inner.value))
        }
        _ => is_option(scope, number),
    };
    match &name.kind {
        ExprKind::Text(text) => {
            let index =
                text.to_ascii_lowercase().rsplit_once("gpu:").and_then(|(_, index)| index.parse().ok());
            index.is_some_and(|index: u32| index > 0)
        }
        ExprKind::Join(parts) => match &parts[..] {
            [kind, number] => begins(kind, "gpu:") && is_given(number),
            _ => false,
        },
        ExprKind::Binary(Operator::Add, sides) => begins(&sides.0, "gpu:") && is_given(&sides.1),
        ExprKind::Binary(Operator::Remainder, sides) => begins(&sides.0, "gpu:%") && is_given(&sides.1),
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::Attribute(text, "format") => {
                begins(text, "gpu:{") && call.arguments.first().is_some_and(|one| is_given(&one.value))
            }
            _ => false,
        },
        _ => false,
    }
}

/// `args.gpu`, `FLAGS.gpu`, or a name for it.
fn is_option(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let ExprKind::Attribute(object, _) = &scope.names.meant(expr).kind else { return false };
    matches!(&object.kind, ExprKind::Name(name) if ["args", "flags", "opt", "opts", "options", "hparams"].contains(&&*name.to_ascii_lowercase()))
}
