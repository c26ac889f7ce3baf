//! The extend operator: draws a call and its arguments out of what is there (sections 2.2, 2.3 and 2.5
//! of Pacheco, Lahiri, Ernst and Ball, "Feedback-directed Random Test Generation", 2007).
//!
//! An argument is a literal, a value of a sequence that is already part of the new one, a value of
//! another kept sequence (perhaps one that is a part already: a duplicate), a new array or object, or
//! `null`. Guided, a literal is often one that the sequence passed before. New objects are made where no kept sequence has one that fits, and filled by up to three calls.

use suite::types::Type;

use super::Settings;
use super::catalogue::{Catalogue, LiteralId, OpId, TypeId};
use super::guide::{Choosing, Guide};
use super::pool::{ComponentId, Pool};
use super::recipe::{Recipe, Source};
use super::rng::Rng;

/// Arrays inside arrays, at most.
const DEPTH: usize = 3;
/// Elements of a new array, at most.
const MOST_ELEMENTS: usize = 4;
/// Where literals fit as well as objects, so often they are taken.
const LITERALS: f64 = 0.5;
/// So often a literal is one that the sequence passed before: by what an object was given, what it holds is found,
/// changed and taken out again.
const PASSED_BEFORE: f64 = 0.6;
/// Sequences in sequences that are looked into for it: each is somewhere else in memory.
const DEEPEST_PASSED: usize = 8;
/// Calls that change a new object before it is used, at most.
const MOST_FILLED: usize = 3;
/// Where objects with the right type arguments are there already, so often a new one is made.
const FRESH: f64 = 0.3;
/// So often something stands in for a type although there are objects of it.
const STAND_INS: f64 = 0.2;
/// So often a value of a part is taken again instead of one of a further part.
const REUSE: f64 = 0.4;

/// Building on what costs more bytecodes than this is dear.
const CHEAP: usize = 200;
/// Where nothing new was seen of late, so often a component is one of the last that were kept: they are where nobody has
/// been, and the states that are seldom come to are a step away from them. And what part of all these are.
const LATE: f64 = 0.3;
const LAST: usize = 10;
/// How often another component is drawn instead of a dear one, at most.
const MOST_REDRAWN: usize = 4;

/// Puts one sequence together.
pub(super) struct Extension<'a> {
    pub(super) rng: Rng,
    pub(super) pool: &'a Pool,
    pub(super) catalogue: &'a Catalogue,
    pub(super) guide: &'a Guide,
    pub(super) settings: &'a Settings,
    recipe: Recipe,
    n_statements: u32,
}

impl<'a> Extension<'a> {
    pub(super) fn new(
        rng: Rng,
        pool: &'a Pool,
        catalogue: &'a Catalogue,
        guide: &'a Guide,
        settings: &'a Settings,
    ) -> Extension<'a> {
        let recipe = Recipe::default();
        Extension { rng, pool, catalogue, guide, settings, recipe, n_statements: 0 }
    }

    /// Draws a sequence; `None` where the call that was drawn lacks a receiver or the sequence grows too
    /// long.
    pub(super) fn draw(mut self) -> Option<Recipe> {
        let op = self.guide.draw(&mut self.rng)?;
        self.extend_by(op)?;
        Some(self.recipe)
    }

    fn extend_by(&mut self, op: OpId) -> Option<()> {
        let args = self.arguments(op)?;
        let times = match self.rng.happens(self.settings.repeat) {
            true => self.rng.below(self.settings.most_repeats + 1).max(1),
            false => 1,
        };
        self.recipe.steps.push(op, &args);
        // Repeated calls take the same objects; half of the time their literals change.
        let varies = self.rng.happens(0.5);
        let start = self.rng.below(4);
        let mut varied: Vec<Source> = Vec::with_capacity(args.len());
        for nth in 1..times {
            if self.length() >= self.settings.longest {
                break;
            }
            varied.clear();
            let args = args.iter().zip(&self.catalogue.op(op).params);
            varied.extend(args.map(|(&source, &wanted)| match source {
                Source::Literal(_) if varies => {
                    let counters = self.catalogue.counters(wanted);
                    match counters.get((start + nth) % counters.len().max(1)) {
                        Some(&literal) => Source::Literal(literal),
                        None => self.literal(wanted).map_or(source, Source::Literal),
                    }
                }
                _ => source,
            }));
            self.recipe.steps.push(op, &varied);
        }
        (self.length() <= self.settings.longest).then_some(())
    }

    fn length(&self) -> usize {
        self.n_statements as usize + self.recipe.steps.len()
    }

    fn arguments(&mut self, op: OpId) -> Option<Vec<Source>> {
        let described = self.catalogue.op(op);
        let mut args = Vec::with_capacity(described.params.len());
        let own = described.params.first().copied();
        for (position, &wanted) in described.params.iter().enumerate() {
            let is_receiver = described.has_receiver && position == 0;
            // Laws of `equals` are mostly broken between objects of one class.
            let wanted = match own {
                Some(own) if described.is_equals && !is_receiver && self.rng.happens(0.7) => own,
                _ => wanted,
            };
            args.push(self.argument(wanted, is_receiver, DEPTH)?);
        }
        // A comparator compares others, a comparable object itself.
        if let (true, Some(&compared)) = (described.compares, described.params.last())
            && self.rng.happens(0.4)
        {
            // A third one, for laws between three.
            let is_own = described.params.len() == 2;
            self.further(own.filter(|_| is_own).unwrap_or(compared));
        }
        Some(args)
    }

    fn literal(&mut self, wanted: TypeId) -> Option<LiteralId> {
        let is_guided = self.settings.choosing == Choosing::Guided;
        if is_guided && self.rng.happens(PASSED_BEFORE) {
            let passed = self.passed_before(wanted);
            if passed.is_some() {
                return passed;
            }
        }
        // Now and then a number that nobody thought of.
        let counters = self.catalogue.counters(wanted);
        if !counters.is_empty() && self.rng.happens(0.15) {
            return self.rng.one(counters).copied();
        }
        self.rng.one(self.catalogue.choices(wanted)).copied()
    }

    /// A literal of a type that some statement of the sequence so far passes; all statements alike, but for those
    /// that lie too deep to be looked up for nothing.
    fn passed_before(&mut self, wanted: TypeId) -> Option<LiteralId> {
        let length = self.length();
        if length == 0 {
            return None;
        }
        let mut at = self.rng.below(length);
        let mut recipe = &self.recipe;
        let pool = self.pool;
        let mut depth = 0;
        'inside: loop {
            depth += 1;
            if depth > DEEPEST_PASSED {
                return None;
            }
            for &part in &recipe.parts {
                let component = pool.component(part);
                let length = component.print.len() as usize;
                if at < length {
                    recipe = component.recipe();
                    continue 'inside;
                }
                at -= length;
            }
            break;
        }
        let (choices, counters) = (self.catalogue.choices(wanted), self.catalogue.counters(wanted));
        let literals = recipe.steps.get(at).args.iter().filter_map(|source| match source {
            Source::Literal(literal) => Some(*literal),
            Source::Part(..) | Source::Step(_) => None,
        });
        let fits = |literal: &LiteralId| choices.contains(literal) || counters.contains(literal);
        let fitting: Vec<LiteralId> = literals.filter(fits).collect();
        self.rng.one(&fitting).copied()
    }

    fn argument(&mut self, wanted: TypeId, is_receiver: bool, depth: usize) -> Option<Source> {
        if !self.catalogue.wanted(wanted).is_reference() {
            return self.literal(wanted).map(Source::Literal);
        }
        if !is_receiver && self.rng.happens(self.settings.nulls) {
            return Some(Source::Literal(self.catalogue.null));
        }
        let has_values = !self.pool.of_type(wanted).is_empty();
        let has_literals = !self.catalogue.choices(wanted).is_empty();
        if has_literals && (!has_values || self.rng.happens(LITERALS)) {
            return self.literal(wanted).map(Source::Literal);
        }
        if let Some(op) = self.catalogue.array(wanted)
            && depth > 0
            && (!has_values || self.rng.happens(0.7))
        {
            return self.array(op, depth);
        }
        let can_make = depth > 0 && !self.catalogue.makings(wanted).is_empty();
        let stand_ins = self.catalogue.stand_ins(wanted);
        if !stand_ins.is_empty()
            && (!has_values && !can_make || !is_receiver && self.rng.happens(STAND_INS))
        {
            let op = *self.rng.one(stand_ins)?;
            return self.step(op, &[]);
        }
        let is_erased = self.catalogue.erased(wanted) == wanted;
        if can_make && (!has_values || !is_erased && self.rng.happens(FRESH)) {
            return self.make(wanted, depth);
        }
        if self.rng.happens(REUSE)
            && let Some(source) = self.reused(wanted)
        {
            return Some(source);
        }
        if let Some(source) = self.further(wanted) {
            return Some(source);
        }
        if let Some(source) = self.reused(wanted) {
            return Some(source);
        }
        // Who knows: type arguments are a promise between compilers.
        if !is_erased && let Some(source) = self.further(self.catalogue.erased(wanted)) {
            return Some(source);
        }
        if has_literals {
            return self.literal(wanted).map(Source::Literal);
        }
        // A receiver there must be; elsewhere `null` is better than nothing.
        (!is_receiver).then_some(Source::Literal(self.catalogue.null))
    }

    /// A new array.
    fn array(&mut self, op: OpId, depth: usize) -> Option<Source> {
        let element = *self.catalogue.op(op).params.first()?;
        let length = self.rng.below(MOST_ELEMENTS + 1);
        let mut args = Vec::with_capacity(length);
        for _ in 0..length {
            args.push(self.argument(element, false, depth - 1)?);
        }
        self.step(op, &args)
    }

    /// A new object, and calls that change it.
    fn make(&mut self, wanted: TypeId, depth: usize) -> Option<Source> {
        let making = self.rng.one(self.catalogue.makings(wanted))?;
        let described = self.catalogue.op(making.op);
        let mut args = Vec::with_capacity(described.params.len());
        for (position, &param) in described.params.iter().enumerate() {
            let is_receiver = described.has_receiver && position == 0;
            args.push(self.argument(param, is_receiver, depth - 1)?);
        }
        let mut object = self.step(making.op, &args)?;
        if making.fillers.is_empty() {
            return Some(object);
        }
        for _ in 0..self.rng.below(MOST_FILLED + 1) {
            let filler = *self.rng.one(&making.fillers)?;
            let mut args = vec![object];
            for &param in self.catalogue.op(filler).params.iter().skip(1) {
                args.push(self.argument(param, false, depth - 1)?);
            }
            let result = self.step(filler, &args)?;
            if self.catalogue.goes_on(filler) {
                object = result;
            }
        }
        Some(object)
    }

    fn step(&mut self, op: OpId, args: &[Source]) -> Option<Source> {
        let at = u16::try_from(self.recipe.steps.len()).ok()?;
        self.recipe.steps.push(op, args);
        Some(Source::Step(at))
    }

    /// A value of a part.
    fn reused(&mut self, wanted: TypeId) -> Option<Source> {
        let mut fitting: Vec<Source> = Vec::new();
        for (part, &component) in self.recipe.parts.iter().enumerate() {
            let values = self.pool.component(component).values.iter().enumerate();
            for (idx, value) in values.filter(|(_, value)| value.types.contains(&wanted)) {
                debug_assert!(value.statement < self.n_statements);
                fitting.push(Source::Part(u16::try_from(part).ok()?, u16::try_from(idx).ok()?));
            }
        }
        self.rng.one(&fitting).copied()
    }

    /// A value of another kept sequence, which becomes a part.
    fn further(&mut self, wanted: TypeId) -> Option<Source> {
        let all = self.pool.of_type(wanted);
        let gold = self.pool.gold_of_type(wanted);
        let is_guided = self.settings.choosing == Choosing::Guided;
        let heat = self.guide.heat();
        let is_golden = is_guided && !gold.is_empty() && self.rng.happens(0.1 + 0.3 * heat);
        let from = if is_golden { gold } else { all };
        let mut chosen = *self.rng.one(from)?;
        // What must run for long is built on as much less often.
        for _ in 0..MOST_REDRAWN {
            let cost = self.pool.component(chosen.0).cost();
            if !is_guided || self.rng.below(cost as usize + 1) <= CHEAP {
                break;
            }
            chosen = *self.rng.one(from)?;
        }
        if is_guided && self.rng.happens(LATE * (1.0 - heat)) {
            let n_early = all.len() - all.len().div_ceil(LAST);
            chosen = *self.rng.one(&all[n_early..])?;
        }
        if is_guided && self.rng.happens(0.5 * heat) {
            // The cheaper of two.
            let other = *self.rng.one(from)?;
            let cost = |of: (ComponentId, u16)| self.pool.component(of.0).cost();
            if cost(other) < cost(chosen) {
                chosen = other;
            }
        }
        let (component, value) = chosen;
        let len = self.pool.component(component).print.len();
        if (self.n_statements + len) as usize > self.settings.longest {
            return None;
        }
        self.n_statements += len;
        self.recipe.parts.push(component);
        Some(Source::Part(u16::try_from(self.recipe.parts.len() - 1).ok()?, value))
    }

    /// Whether values of a type can be had at all.
    pub(super) fn has(pool: &Pool, catalogue: &Catalogue, wanted: TypeId) -> bool {
        let of = catalogue.wanted(wanted);
        !of.is_reference()
            || matches!(of, Type::Array(_))
            || !catalogue.choices(wanted).is_empty()
            || !catalogue.stand_ins(wanted).is_empty()
            || !catalogue.makings(wanted).is_empty()
            || !pool.of_type(catalogue.erased(wanted)).is_empty()
    }
}
