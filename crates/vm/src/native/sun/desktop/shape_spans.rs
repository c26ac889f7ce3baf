//! `sun.java2d.pipe.ShapeSpanIterator`: which pixels lie in a shape without smooth edges.
//!
//! Outlines become segments, each with the pixel that it enters per row and a Bresenham error; curves are
//! split until they are flat. A pixel is inside where its centre is. All of an iterator lies in raw
//! memory, so that a rollback takes it back: a head, the segments, and the spans once they are asked for.

use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::value::Ref;
use crate::vm::Vm;

const ITERATOR: &str = "sun/java2d/pipe/ShapeSpanIterator";

pub(crate) const NATIVES: &[NativeRow] = &[
    (ITERATOR, "initIDs", "()V", nothing),
    (ITERATOR, "setNormalize", "(Z)V", set_normalize),
    (ITERATOR, "setRule", "(I)V", set_rule),
    (ITERATOR, "setOutputAreaXYXY", "(IIII)V", set_area),
    (ITERATOR, "intersectClipBox", "(IIII)V", clip),
    (ITERATOR, "appendPoly", "([I[IIII)V", append_polygon),
    (ITERATOR, "addSegment", "(I[F)V", add_segment),
    (ITERATOR, "moveTo", "(FF)V", |vm, args| add(vm, args, 0)),
    (ITERATOR, "lineTo", "(FF)V", |vm, args| add(vm, args, 1)),
    (ITERATOR, "quadTo", "(FFFF)V", |vm, args| add(vm, args, 2)),
    (ITERATOR, "curveTo", "(FFFFFF)V", |vm, args| add(vm, args, 3)),
    (ITERATOR, "closePath", "()V", |vm, args| add(vm, args, 4)),
    (ITERATOR, "pathDone", "()V", |vm, args| add(vm, args, 4)),
    (ITERATOR, "getPathBox", "([I)V", path_box),
    (ITERATOR, "nextSpan", "([I)Z", next_span),
    (ITERATOR, "skipDownTo", "(I)V", skip_down_to),
    (ITERATOR, "getNativeIterator", "()J", zero),
    (ITERATOR, "getNativeConsumer", "()J", zero),
    (ITERATOR, "dispose", "()V", dispose),
];

/// Largest error of a segment, just below a whole pixel.
const WHOLE: i32 = i32::MAX;
/// Curves are halved no more often than this.
const MOST_LEVELS: u32 = 10;
const N_WORDS: usize = 26;
const SEGMENT_WORDS: usize = 7;
const SPAN_WORDS: usize = 3;

/// A line from the middle of one row to that of a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    /// First pixel whose centre is right of it in row `y`.
    x: i32,
    y: i32,
    /// The row behind its last.
    end: i32,
    error: i32,
    /// What `x` and `error` change by with every row.
    step: i32,
    error_step: i32,
    /// 1 down, -1 up.
    direction: i32,
}

/// What is known of a shape.
#[derive(Debug, Clone, Copy)]
struct Shape {
    adjusts: bool,
    even_odd: bool,
    /// Left, top, right, bottom of where spans are wanted.
    area: [i32; 4],
    /// Left, top, right, bottom of all points so far.
    bounds: Option<[f32; 4]>,
    start: [f32; 2],
    current: [f32; 2],
    /// How far the current point was moved.
    moved: [f32; 2],
    n_segments: u32,
    capacity: u32,
    segments: u64,
    /// The spans and the number of the next one; `None` before they are asked for.
    spans: Option<(u64, u32, u32)>,
}

impl Shape {
    fn to_words(self) -> [u32; N_WORDS] {
        let mut words = [0; N_WORDS];
        words[0] = u32::from(self.adjusts) | u32::from(self.even_odd) << 1;
        words[0] |= u32::from(self.bounds.is_some()) << 2 | u32::from(self.spans.is_some()) << 3;
        let floats = [self.start, self.current, self.moved].concat();
        let bounds = self.bounds.unwrap_or_default();
        let bits = floats.into_iter().chain(bounds).map(f32::to_bits);
        let area = self.area.into_iter().map(i32::cast_unsigned);
        let (spans, next, n_spans) = self.spans.unwrap_or_default();
        let halves = |address: u64| {
            let [a, b, c, d, e, f, g, h] = address.to_le_bytes();
            [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])]
        };
        let rest = [self.n_segments, self.capacity, next, n_spans];
        let rest = rest.into_iter().chain(halves(self.segments)).chain(halves(spans));
        for (word, value) in words[1..].iter_mut().zip(area.chain(bits).chain(rest)) {
            *word = value;
        }
        words
    }

    fn from_words(words: &[u32; N_WORDS]) -> Shape {
        let flag = |bit: u32| words[0] >> bit & 1 != 0;
        let float = |idx: usize| f32::from_bits(words[idx]);
        let address = |idx: usize| u64::from(words[idx]) | u64::from(words[idx + 1]) << 32;
        Shape {
            adjusts: flag(0),
            even_odd: flag(1),
            area: [1, 2, 3, 4].map(|idx| words[idx].cast_signed()),
            start: [float(5), float(6)],
            current: [float(7), float(8)],
            moved: [float(9), float(10)],
            bounds: flag(2).then(|| [11, 12, 13, 14].map(float)),
            n_segments: words[15],
            capacity: words[16],
            segments: address(19),
            spans: flag(3).then(|| (address(21), words[17], words[18])),
        }
    }
}

fn words_at<const N: usize>(vm: &Vm, address: u64) -> Option<[u32; N]> {
    let (words, _) = vm.heap.raw_bytes(address, N * 4)?.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    words.try_into().ok()
}

fn bytes_of(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A block of raw memory with these bytes.
fn new_block(vm: &mut Vm, size: usize, bytes: &[u8]) -> Res<u64> {
    match vm.heap.raw_allocate(size.max(8) as u64) {
        Some(address) if vm.heap.raw_store(address, bytes) => Ok(address),
        _ => Err(vm.throw("java/lang/OutOfMemoryError", "path data")),
    }
}

fn store(vm: &mut Vm, address: u64, bytes: &[u8]) -> Res<()> {
    if vm.heap.raw_store(address, bytes) {
        return Ok(());
    }
    Err(vm.throw("java/lang/InternalError", "path data are gone"))
}

fn address_slot(vm: &Vm, object: Ref) -> u32 {
    vm.field_offset(vm.class_of(object), "pData", "J")
}

/// The shape of an iterator.
fn load(vm: &mut Vm, object: Ref) -> Res<Shape> {
    let address = vm.heap.load_u64(object, address_slot(vm, object));
    match words_at(vm, address).filter(|_| address != 0) {
        Some(words) => Ok(Shape::from_words(&words)),
        None => Err(vm.throw("java/lang/InternalError", "private data not initialized")),
    }
}

fn save(vm: &mut Vm, object: Ref, shape: Shape) -> Res<u64> {
    let address = vm.heap.load_u64(object, address_slot(vm, object));
    store(vm, address, &bytes_of(shape.to_words()))?;
    Ok(0)
}

fn set_normalize(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let shape = Shape {
        adjusts: args.boolean(),
        even_odd: false,
        area: [0; 4],
        bounds: None,
        start: [0.0; 2],
        current: [0.0; 2],
        moved: [0.0; 2],
        n_segments: 0,
        capacity: 0,
        segments: 0,
        spans: None,
    };
    let slot = address_slot(vm, object);
    if vm.heap.load_u64(object, slot) == 0 {
        let bytes = bytes_of(shape.to_words());
        let address = new_block(vm, bytes.len(), &bytes)?;
        vm.heap.store_u64(object, slot, address);
    }
    save(vm, object, shape)
}

fn set_rule(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let shape = load(vm, object)?;
    save(vm, object, Shape { even_odd: args.int() == 0, ..shape })
}

fn set_area(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let shape = load(vm, object)?;
    save(vm, object, Shape { area: [args.int(), args.int(), args.int(), args.int()], ..shape })
}

fn clip(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let mut shape = load(vm, object)?;
    let [left, top, right, bottom] = shape.area;
    shape.area =
        [left.max(args.int()), top.max(args.int()), right.min(args.int()), bottom.min(args.int())];
    save(vm, object, shape)
}

fn append_polygon(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let arrays = [args.reference(), args.reference()];
    if arrays.iter().any(|array| array.is_null()) {
        return Err(vm.throw("java/lang/NullPointerException", "polygon data arrays"));
    }
    let n = u32::try_from(args.int()).unwrap_or(0);
    if arrays.iter().any(|&array| vm.heap.array_length(array) < n) {
        return Err(vm.throw("java/lang/ArrayIndexOutOfBoundsException", "polygon data arrays"));
    }
    let mut shape = load(vm, object)?;
    let shift = if shape.adjusts { 0.25 } else { 0.0 };
    let offsets = [to_float(args.int()) + shift, to_float(args.int()) + shift];
    shape.even_odd = true;
    // The points are where they shall be already.
    let adjusts = std::mem::replace(&mut shape.adjusts, false);
    let mut outline = Outline { shape, segments: Vec::new() };
    for idx in 0..n {
        let at = |array: Ref| vm.heap.load_u32(array, ELEMENTS_OFFSET + idx * 4).cast_signed();
        let x = to_float(at(arrays[0])) + offsets[0];
        let y = to_float(at(arrays[1])) + offsets[1];
        outline.add(u32::from(idx > 0).cast_signed(), &[x, y]);
    }
    outline.close();
    outline.shape.adjusts = adjusts;
    store_segments(vm, object, outline)
}

#[expect(clippy::cast_precision_loss, reason = "as the library does")]
fn to_float(number: i32) -> f32 {
    number as f32
}

/// How many coordinates a part of an outline has.
fn n_coordinates(kind: i32) -> u32 {
    match kind {
        0 | 1 => 2,
        2 => 4,
        3 => 6,
        _ => 0,
    }
}

fn add_segment(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let kind = args.int();
    let array = args.reference();
    if array.is_null() || vm.heap.array_length(array) < n_coordinates(kind) {
        return Err(vm.throw("java/lang/ArrayIndexOutOfBoundsException", "coords"));
    }
    let points = (0..n_coordinates(kind))
        .map(|idx| f32::from_bits(vm.heap.load_u32(array, ELEMENTS_OFFSET + idx * 4)))
        .collect::<Vec<f32>>();
    extend(vm, object, kind, &points)
}

fn add(vm: &mut Vm, mut args: Args<'_>, kind: i32) -> Res<u64> {
    let object = args.reference();
    let points: Vec<f32> = (0..n_coordinates(kind)).map(|_| args.float()).collect();
    extend(vm, object, kind, &points)
}

fn extend(vm: &mut Vm, object: Ref, kind: i32, points: &[f32]) -> Res<u64> {
    let mut outline = Outline { shape: load(vm, object)?, segments: Vec::new() };
    outline.add(kind, points);
    store_segments(vm, object, outline)
}

/// Puts new segments behind the old ones.
fn store_segments(vm: &mut Vm, object: Ref, outline: Outline) -> Res<u64> {
    let Outline { mut shape, segments } = outline;
    let new = segments.iter().flat_map(|s| {
        [s.x, s.y, s.end, s.error, s.step, s.error_step, s.direction].map(i32::cast_unsigned)
    });
    let new = bytes_of(new);
    let used = shape.n_segments as usize * SEGMENT_WORDS * 4;
    let n = shape.n_segments + u32::try_from(segments.len()).unwrap_or(0);
    if n > shape.capacity {
        let old = vm.heap.raw_bytes(shape.segments, used).unwrap_or_default().to_vec();
        shape.capacity = (n * 2).max(16);
        let block = new_block(vm, shape.capacity as usize * SEGMENT_WORDS * 4, &old)?;
        if shape.segments != 0 {
            vm.heap.raw_free(shape.segments);
        }
        shape.segments = block;
    }
    if !new.is_empty() {
        store(vm, shape.segments + used as u64, &new)?;
    }
    shape.n_segments = n;
    save(vm, object, shape)
}

/// A shape while parts are added.
struct Outline {
    shape: Shape,
    segments: Vec<Segment>,
}

type Point = [f32; 2];

fn middle(a: Point, b: Point) -> Point {
    [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
}

/// The square of the distance of a point from a line between two others.
fn distance_squared(from: Point, to: Point, point: Point) -> f32 {
    let line = [to[0] - from[0], to[1] - from[1]];
    let mut p = [point[0] - from[0], point[1] - from[1]];
    let mut along = p[0] * line[0] + p[1] * line[1];
    let mut projected = 0.0;
    if along > 0.0 {
        p = [line[0] - p[0], line[1] - p[1]];
        along = p[0] * line[0] + p[1] * line[1];
        if along > 0.0 {
            projected = along * along / (line[0] * line[0] + line[1] * line[1]);
        }
    }
    (p[0] * p[0] + p[1] * p[1] - projected).max(0.0)
}

#[expect(clippy::cast_possible_truncation, reason = "what lies outside is clipped")]
fn ceil(number: f32) -> i32 {
    number.ceil() as i32
}

impl Outline {
    fn add(&mut self, kind: i32, points: &[f32]) {
        let (mut points, _) = points.as_chunks::<2>();
        let mut adjusted: Vec<Point>;
        if self.shape.adjusts && !points.is_empty() {
            adjusted = points.to_vec();
            self.adjust(&mut adjusted);
            points = &adjusted;
        }
        let current = self.shape.current;
        match (kind, points) {
            (0, &[to]) => {
                self.close();
                self.shape.start = to;
            }
            (1, &[to]) => self.segment(current, to),
            (2, &[control, to]) => self.quad([current, control, to], 0),
            (3, &[first, second, to]) => self.cubic([current, first, second, to], 0),
            _ => return self.close(),
        }
        for &[x, y] in points {
            let [left, top, right, bottom] = self.shape.bounds.unwrap_or([x, y, x, y]);
            self.shape.bounds = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
        }
        if let Some(&last) = points.last() {
            self.shape.current = last;
        }
    }

    /// Moves the last point to a place near the middle of a pixel and the control points with their
    /// neighbours.
    fn adjust(&mut self, points: &mut [Point]) {
        let Some(&last) = points.last() else { return };
        let to = last.map(|c| (c + 0.25).floor() + 0.25);
        let moved = [to[0] - last[0], to[1] - last[1]];
        let before = self.shape.moved;
        let shift = |point: &mut Point, by: Point| {
            point[0] += by[0];
            point[1] += by[1];
        };
        match points {
            [control, _] => {
                shift(control, [(before[0] + moved[0]) / 2.0, (before[1] + moved[1]) / 2.0])
            }
            [first, second, _] => {
                shift(first, before);
                shift(second, moved);
            }
            _ => {}
        }
        if let Some(last) = points.last_mut() {
            *last = to;
        }
        self.shape.moved = moved;
    }

    fn close(&mut self) {
        let (from, to) = (self.shape.current, self.shape.start);
        if from != to {
            self.segment(from, to);
            self.shape.current = to;
        }
    }

    fn quad(&mut self, [from, control, to]: [Point; 3], level: u32) {
        if level < MOST_LEVELS && distance_squared(from, to, control) > 1.0 {
            let (a, b) = (middle(from, control), middle(control, to));
            let half = middle(a, b);
            self.quad([from, a, half], level + 1);
            return self.quad([half, b, to], level + 1);
        }
        self.segment(from, to);
    }

    fn cubic(&mut self, [from, first, second, to]: [Point; 4], level: u32) {
        let is_bent =
            distance_squared(from, to, first) > 1.0 || distance_squared(from, to, second) > 1.0;
        if level < MOST_LEVELS && is_bent {
            let (a, b, c) = (middle(from, first), middle(first, second), middle(second, to));
            let (ab, bc) = (middle(a, b), middle(b, c));
            let half = middle(ab, bc);
            self.cubic([from, a, ab, half], level + 1);
            return self.cubic([half, bc, c, to], level + 1);
        }
        self.segment(from, to);
    }

    #[expect(clippy::cast_possible_truncation, reason = "fractions, and what is clipped")]
    fn segment(&mut self, mut from: Point, mut to: Point) {
        let mut direction = 1;
        if from[1] > to[1] {
            (from, to, direction) = (to, from, -1);
        }
        let (y, end) = (ceil(from[1] - 0.5), ceil(to[1] - 0.5));
        let [_, top, _, bottom] = self.shape.area;
        if y >= end || y >= bottom || end <= top {
            return;
        }
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let slope = dx / dy;
        let down = to_float(y) + 0.5 - from[1];
        let at = from[0] + down * dx / dy;
        let x = ceil(at - 0.5);
        let fraction = f64::from(slope) - f64::from(slope).floor();
        self.segments.push(Segment {
            x,
            y,
            end,
            error: ((at - (to_float(x) - 0.5)) * to_float(WHOLE)) as i32,
            step: slope.floor() as i32,
            error_step: (fraction * f64::from(WHOLE)) as i32,
            direction,
        });
    }
}

impl Segment {
    /// Goes that many rows on.
    fn advance(&mut self, n_rows: i32) {
        let error = i64::from(self.error) + i64::from(self.error_step) * i64::from(n_rows);
        let whole = i32::try_from(error >> 31).unwrap_or(0);
        self.x = self.x.wrapping_add(self.step.wrapping_mul(n_rows)).wrapping_add(whole);
        self.error = i32::try_from(error & i64::from(WHOLE)).unwrap_or(0);
        self.y += n_rows;
    }
}

/// All spans in the area, as x, y and the x behind each, from top to bottom.
fn spans(shape: &Shape, mut segments: Vec<Segment>) -> Vec<[i32; SPAN_WORDS]> {
    let [left, top, right, bottom] = shape.area;
    segments.sort_by_key(|segment| segment.y);
    let mut waiting = segments.into_iter().peekable();
    let mut active: Vec<Segment> = Vec::new();
    let mut found = Vec::new();
    let mut y = waiting.peek().map_or(bottom, |segment| segment.y).max(top);
    while y < bottom {
        while let Some(mut segment) = waiting.next_if(|segment| segment.y <= y) {
            segment.advance(y - segment.y);
            active.push(segment);
        }
        active.retain(|segment| segment.end > y);
        if active.is_empty() {
            // Nothing until the next segment begins.
            match waiting.peek() {
                Some(next) => y = next.y,
                None => break,
            }
            continue;
        }
        active.sort_by_key(|segment| segment.x);
        let (mut crossings, mut start) = (0, left);
        for segment in &mut active {
            let was_inside = if shape.even_odd { crossings & 1 } else { crossings } != 0;
            crossings += segment.direction;
            let is_inside = if shape.even_odd { crossings & 1 } else { crossings } != 0;
            let x = segment.x.clamp(left, right.max(left));
            if is_inside && !was_inside {
                start = x;
            } else if was_inside && !is_inside && x > start {
                found.push([start, y, x]);
            }
            segment.advance(1);
        }
        y += 1;
    }
    found
}

fn path_box(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let shape = load(vm, args.reference())?;
    let array = args.reference();
    let [left, top, right, bottom] = shape.bounds.unwrap_or_default();
    let sides = [left.floor(), top.floor(), right.ceil(), bottom.ceil()];
    store_ints(vm, array, &sides.map(ceil));
    Ok(0)
}

fn store_ints(vm: &mut Vm, array: Ref, values: &[i32]) {
    for (value, idx) in values.iter().zip(0..vm.heap.array_length(array)) {
        vm.heap.store_u32(array, ELEMENTS_OFFSET + idx * 4, value.cast_unsigned());
    }
}

/// The spans of a shape, made when they are first asked for.
fn with_spans(vm: &mut Vm, object: Ref) -> Res<(Shape, (u64, u32, u32))> {
    let mut shape = load(vm, object)?;
    if let Some(spans) = shape.spans {
        return Ok((shape, spans));
    }
    let mut segments = Vec::new();
    for idx in 0..u64::from(shape.n_segments) {
        let at = shape.segments + idx * SEGMENT_WORDS as u64 * 4;
        if let Some(words) = words_at::<SEGMENT_WORDS>(vm, at) {
            let [x, y, end, error, step, error_step, direction] = words.map(u32::cast_signed);
            segments.push(Segment { x, y, end, error, step, error_step, direction });
        }
    }
    let all = spans(&shape, segments);
    let bytes = bytes_of(all.iter().flatten().map(|word| word.cast_unsigned()));
    let block = new_block(vm, bytes.len(), &bytes)?;
    let spans = (block, 0, u32::try_from(all.len()).unwrap_or(u32::MAX));
    shape.spans = Some(spans);
    save(vm, object, shape)?;
    Ok((shape, spans))
}

fn span_at(vm: &Vm, block: u64, idx: u32) -> Option<[i32; SPAN_WORDS]> {
    let at = block + u64::from(idx) * SPAN_WORDS as u64 * 4;
    words_at::<SPAN_WORDS>(vm, at).map(|words| words.map(u32::cast_signed))
}

fn next_span(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let array = args.reference();
    let (shape, (block, next, n_spans)) = with_spans(vm, object)?;
    let Some([left, y, right]) = span_at(vm, block, next).filter(|_| next < n_spans) else {
        return Ok(0);
    };
    save(vm, object, Shape { spans: Some((block, next + 1, n_spans)), ..shape })?;
    store_ints(vm, array, &[left, y, right, y + 1]);
    Ok(1)
}

fn skip_down_to(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let row = args.int();
    let (shape, (block, mut next, n_spans)) = with_spans(vm, object)?;
    while next < n_spans && span_at(vm, block, next).is_some_and(|[_, y, _]| y < row) {
        next += 1;
    }
    save(vm, object, Shape { spans: Some((block, next, n_spans)), ..shape })
}

fn dispose(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let slot = address_slot(vm, object);
    let address = vm.heap.load_u64(object, slot);
    if address == 0 {
        return Ok(0);
    }
    let shape = load(vm, object)?;
    if shape.segments != 0 {
        vm.heap.raw_free(shape.segments);
    }
    if let Some((block, ..)) = shape.spans {
        vm.heap.raw_free(block);
    }
    vm.heap.raw_free(address);
    vm.heap.store_u64(object, slot, 0);
    Ok(0)
}
