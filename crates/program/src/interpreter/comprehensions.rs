//! Comprehensions: what their generators go over, and what their conditions leave out.

use super::dictionaries::merged;
use super::iterator_loops::MOST_TURNS;
use super::iterators::Next;
use super::loops::{FEW_NUMBERS, MOST_ELEMENTS, weight_of_call};
use super::type_tests::may_be_range;
use super::{Flow, Interpreter};
use crate::code::walk::{CodeNode, walk_expr};
use crate::code::{Comprehension, Expr};
use crate::program::heap::values::Value;

impl<'p> Interpreter<'p> {
    pub(super) fn comprehension(&mut self, comprehension: &'p Comprehension<'p>) -> Value<'p> {
        let scope = self.new_scope(Some(self.here.scope), false);
        let outer = std::mem::replace(&mut self.here.scope, scope);
        let around = self.here.around_comprehension;
        self.here.around_comprehension = around.or(Some(outer));
        let (mut results, waiting) = (Vec::new(), self.waiting.len());
        let complete = self.comprehend(comprehension, 0, None, &mut results);
        self.here.scope = outer;
        self.here.around_comprehension = around;
        if !complete {
            self.lose_waiting(waiting);
            return self.list_of(comprehension);
        }
        if comprehension.elements.len() == 1 {
            return Value::sequence(results);
        }
        let pairs = results.iter().map(|pair| match pair {
            Value::Sequence(pair) => Some((pair[0].clone(), pair[1].clone())),
            _ => None,
        });
        let pairs: Option<Vec<_>> = pairs.collect();
        pairs.map_or(Value::Unknown, |pairs| Value::mapping(merged(Vec::new(), &pairs)))
    }

    /// Runs the generators from `depth` on, the first over what it is given; `true` when every element is known.
    pub(super) fn comprehend(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        depth: usize,
        given: Option<Value<'p>>,
        results: &mut Vec<Value<'p>>,
    ) -> bool {
        if !self.spend() {
            return false;
        }
        let Some(generator) = comprehension.generators.get(depth) else {
            let values: Vec<_> = comprehension.elements.iter().map(|element| self.eval(element)).collect();
            results.push(match &values[..] {
                [value] => value.clone(),
                _ => Value::sequence(values),
            });
            return true;
        };
        let iterable = given.unwrap_or_else(|| self.eval(&generator.iterable));
        if self.flow != Flow::Next {
            return false;
        }
        if let Some(names) = self.in_environment(&iterable, generator.iterable.span) {
            return self.comprehend_environment(comprehension, depth, names, results);
        }
        let iterable = self.iterator_behind(iterable, generator.iterable.span);
        if self.has_turns(&iterable) {
            return self.comprehend_turns(comprehension, depth, &iterable, results);
        }
        // Nobody fills a tuple or a range.
        if matches!(&iterable, Value::Sequence(values) if values.is_empty()) && self.is_python_here() {
            return true;
        }
        let iterable = self.iterate_all(iterable, generator.iterable.span);
        if self.flow != Flow::Next {
            return false;
        }
        match self.elements(&iterable) {
            Some(elements) if elements.len() <= self.most_elements(comprehension, &elements) => {
                self.comprehend_each(comprehension, depth, elements, results)
            }
            Some(_) if generator.conditions.is_empty() => {
                self.assign(&generator.target, Value::Unknown);
                self.comprehend(comprehension, depth + 1, None, &mut Vec::new());
                false
            }
            _ => {
                self.comprehend_any(comprehension, depth);
                false
            }
        }
    }

    /// So many elements are gone over one by one: of a range fewer where each makes a call of the project.
    fn most_elements(&self, comprehension: &'p Comprehension<'p>, elements: &[Value<'p>]) -> usize {
        if elements.len() <= FEW_NUMBERS || !may_be_range(elements) {
            return MOST_ELEMENTS;
        }
        let mut is_heavy = false;
        let code = self.code_of(self.here.file);
        let inner = comprehension.generators.iter().flat_map(|generator| &generator.conditions);
        for part in comprehension.elements.iter().chain(inner) {
            walk_expr(code, part, &mut |part, _| {
                is_heavy |= matches!(part, CodeNode::Expr(expr) if weight_of_call(expr) > FEW_NUMBERS);
            });
        }
        if is_heavy { FEW_NUMBERS } else { 2 * MOST_ELEMENTS }
    }

    /// What a generator does with elements that are known; `true` when every one that it gives is.
    fn comprehend_each(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        depth: usize,
        elements: Vec<Value<'p>>,
        results: &mut Vec<Value<'p>>,
    ) -> bool {
        let Some(generator) = comprehension.generators.get(depth) else { return false };
        let mut complete = true;
        for element in elements {
            self.assign(&generator.target, element);
            complete &= self.comprehend_if(&generator.conditions, comprehension, depth, results);
        }
        complete
    }

    /// The same with what an object gives whose `__next__` is asked until it raises.
    fn comprehend_turns(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        depth: usize,
        iterator: &Value<'p>,
        results: &mut Vec<Value<'p>>,
    ) -> bool {
        let Some(generator) = comprehension.generators.get(depth) else { return false };
        let mut complete = true;
        for _ in 0..MOST_TURNS {
            match self.turn(iterator, generator.iterable.span) {
                Next::Element(element) => {
                    self.assign(&generator.target, element);
                    complete &= self.comprehend_if(&generator.conditions, comprehension, depth, results);
                }
                Next::End => return complete,
                Next::Unknown => break,
            }
            if self.flow != Flow::Next {
                return false;
            }
        }
        if self.flow == Flow::Next {
            self.comprehend_any(comprehension, depth);
        }
        false
    }

    /// What a generator does with elements that are not known.
    fn comprehend_any(&mut self, comprehension: &'p Comprehension<'p>, depth: usize) {
        let Some(generator) = comprehension.generators.get(depth) else { return };
        self.any_number_of_times(|run| {
            run.assign(&generator.target, Value::Unknown);
            generator.conditions.iter().for_each(|condition| drop(run.eval(condition)));
            run.comprehend(comprehension, depth + 1, None, &mut Vec::new());
        });
    }

    /// What a generator gives for the variables of the environment: for those that are known, and for others, which the last
    /// of the results stands for.
    fn comprehend_environment(
        &mut self,
        comprehension: &'p Comprehension<'p>,
        depth: usize,
        names: Vec<Value<'p>>,
        results: &mut Vec<Value<'p>>,
    ) -> bool {
        let found = results.len();
        let complete = self.comprehend_each(comprehension, depth, names, results);
        self.comprehend_any(comprehension, depth);
        for result in &mut results[found..] {
            // Each may be there.
            *result = Value::one_of([result.clone(), Value::Unknown]);
        }
        results.push(Value::Unknown);
        complete && results.len() > found + 1
    }

    /// What a generator does with one element that its conditions may leave out.
    fn comprehend_if(
        &mut self,
        conditions: &'p [Expr<'p>],
        comprehension: &'p Comprehension<'p>,
        depth: usize,
        results: &mut Vec<Value<'p>>,
    ) -> bool {
        let Some((condition, rest)) = conditions.split_first() else {
            return self.comprehend(comprehension, depth + 1, None, results);
        };
        let Some(asked) = self.ask(condition) else { return false };
        match asked.truth {
            Some(true) => self.comprehend_if(rest, comprehension, depth, results),
            Some(false) => true,
            None => {
                self.on_some_ways(|run| {
                    run.comprehend_if(rest, comprehension, depth, &mut Vec::new());
                });
                false
            }
        }
    }
}
