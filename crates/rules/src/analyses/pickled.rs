//! Models on the GPU that are pickled as they are: `pickle.load` has no `map_location`.

use super::gpu_values::lies_on_gpu_in;
use super::memory::path;
use crate::code::ExprKind;
use crate::code::walk::within_function;
use crate::rules::files::{FileScope, RawFinding};
use crate::rules::uses::argument;

const PICKLERS: &[&str] = &[
    "cloudpickle.dump",
    "cloudpickle.dumps",
    "dill.dump",
    "dill.dumps",
    "joblib.dump",
    "pickle.dump",
    "pickle.dumps",
];

/// `pickle.dump(model, f)` of a model that lies on the GPU.
pub(super) fn on_gpu(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let mut found = Vec::new();
    if !scope.whole_text().contains("torch") {
        return found;
    }
    scope.each_call(&mut |expr, call, around| {
        let pickler = path(scope, &call.callee);
        if !PICKLERS.contains(&pickler) {
            return;
        }
        let Some(given) = argument(&call.arguments, Some(0), Some("obj")) else { return };
        let ExprKind::Name(name) = given.kind else { return };
        let body = match within_function(around).0 {
            Some(number) => &scope.code.functions[number].body,
            None => &scope.code.body,
        };
        // Who brings it back anywhere does so on purpose.
        let text = scope.whole_text();
        let comes_back = [".cpu()", ".to(\"cpu\")", ".to('cpu')", "to(device=\"cpu\")"]
            .iter()
            .any(|back| text.contains(&format!("{name}{back}")));
        if !comes_back && lies_on_gpu_in(scope, body, given) {
            let raw_finding = RawFinding::at(scope.place(expr.span)).word("name", name);
            found.push(raw_finding.word("pickler", pickler.split('.').next().unwrap_or(pickler)));
        }
    });
    found
}
