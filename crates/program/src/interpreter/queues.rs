//! Queues, which hold what was put into them like a list, and heaps, which are lists in the order of `__lt__`.

use super::Interpreter;
use super::aggregates::sorted;
use super::calls::Args;
use super::loops::MOST_ELEMENTS;
use crate::code::Comparison;
use crate::facts::Span;
use crate::program::heap::values::{ScopeId, Value};

impl<'p> Interpreter<'p> {
    /// Methods that queues have and lists do not; `None` when this is none of them.
    pub(super) fn queue_method(
        &mut self,
        queue: ScopeId,
        name: &str,
        args: &Args<'p>,
        span: Span,
    ) -> Option<Value<'p>> {
        let waits = match name {
            "get" => true,
            "get_nowait" => false,
            "put" | "put_nowait" | "empty" | "full" | "qsize" | "task_done" => true,
            "join" if args.items.is_empty() => {
                self.wake_waiting(span);
                return Some(Value::None);
            }
            _ => return None,
        };
        let Value::Sequence(held) = self.contents(&Value::Collection(queue)) else { return None };
        Some(match name {
            "put" | "put_nowait" => {
                let put = args.get(Some(0), Some("item"))?.value.clone();
                self.set_contents(queue, Value::sequence(held.iter().cloned().chain([put]).collect()));
                Value::None
            }
            "get" | "get_nowait" if held.is_empty() => {
                let gives_up = !waits || !args.items.is_empty();
                match gives_up {
                    true => self.seems_to_raise(),
                    // A thread waits here until somebody puts something into it.
                    false => self.handed.starved = true,
                }
                Value::Unknown
            }
            "get" | "get_nowait" => {
                // In a loop whose passes are not all followed it may be any of them.
                let is_first = !self.is_repeated_since(queue);
                let taken = if is_first { held[0].clone() } else { Value::one_of(held.iter().cloned()) };
                self.set_contents(queue, Value::sequence(held[1..].to_vec()));
                taken
            }
            "empty" => Value::Bool(held.is_empty()),
            "qsize" => Value::Int(held.len() as i64, self.place(span)),
            "task_done" => Value::None,
            _ => Value::Unknown,
        })
    }

    /// `heapq.heappush(heap, value)`, `heapq.heappop(heap)` and their like.
    pub(super) fn call_heapq(&mut self, name: &str, args: &Args<'p>) -> Option<Value<'p>> {
        let heap = args.at(0)?.value.clone();
        let Value::Collection(scope) = heap else { return None };
        let mut values = match self.contents(&heap) {
            Value::Sequence(values) => values.to_vec(),
            _ => return None,
        };
        values.extend(args.at(1).map(|argument| argument.value.clone()));
        let asks = |value: &Value<'p>| matches!(value, Value::Instance(_));
        if values.len() > 1 && values.len() <= MOST_ELEMENTS && values.iter().any(asks) {
            for pair in values.windows(2) {
                let [one, other] = pair else { continue };
                self.on_some_ways(|run| drop(run.compare(Comparison::Less, other.clone(), one.clone())));
            }
        }
        let ordered = if args.open { None } else { sorted(values) };
        let takes = matches!(name, "heappop" | "heappushpop" | "heapreplace");
        let (left, given) = match (ordered, name) {
            (None, _) => (Value::Unknown, if takes { Value::Unknown } else { Value::None }),
            (Some(values), "heappush" | "heapify") => (Value::sequence(values), Value::None),
            (Some(mut values), "heappop" | "heappushpop") if !values.is_empty() => {
                let first = values.remove(0);
                (Value::sequence(values), first)
            }
            (Some(_), "heappop") => {
                self.lacks_item();
                (Value::Unknown, Value::Unknown)
            }
            (Some(_), _) => (Value::Unknown, Value::Unknown),
        };
        self.set_contents(scope, left);
        Some(given)
    }
}
