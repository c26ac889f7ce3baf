//! Which objects a walk has met, and as which number: an open-addressed table that is emptied in
//! constant time.

use vm::value::Ref;

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    object: Ref,
    walk: u32,
    number: u32,
}

/// Numbers objects in the order of their first visit.
#[derive(Debug)]
pub struct Visited {
    entries: Vec<Entry>,
    walk: u32,
    n_objects: u32,
}

impl Default for Visited {
    fn default() -> Visited {
        Visited { entries: vec![Entry::default(); 64], walk: 1, n_objects: 0 }
    }
}

impl Visited {
    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.n_objects = 0;
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.entries.fill(Entry::default());
            self.walk = 1;
        }
    }

    /// How many objects were visited.
    pub fn len(&self) -> usize {
        self.n_objects as usize
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.n_objects == 0
    }

    /// The number of an object that was visited before; else gives it the next one.
    #[inline]
    pub fn visit(&mut self, object: Ref) -> Option<u32> {
        if self.n_objects as usize * 2 >= self.entries.len() {
            self.grow();
        }
        let idx = self.find(object);
        let entry = &mut self.entries[idx];
        if entry.walk == self.walk {
            return Some(entry.number);
        }
        *entry = Entry { object, walk: self.walk, number: self.n_objects };
        self.n_objects += 1;
        None
    }

    /// The number of an object, if it was visited.
    pub fn number(&self, object: Ref) -> Option<u32> {
        let entry = self.entries[self.find(object)];
        (entry.walk == self.walk).then_some(entry.number)
    }

    #[inline]
    fn find(&self, object: Ref) -> usize {
        let mask = self.entries.len() - 1;
        let mut idx = (object.0.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        loop {
            let entry = &self.entries[idx];
            if entry.walk != self.walk || entry.object == object {
                return idx;
            }
            idx = (idx + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![Entry::default(); self.entries.len() * 2];
        let old = std::mem::replace(&mut self.entries, larger);
        for entry in old.into_iter().filter(|entry| entry.walk == self.walk) {
            let idx = self.find(entry.object);
            self.entries[idx] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Visited;
    use vm::value::Ref;

    #[test]
    fn objects_are_numbered_by_first_visit_and_forgotten_on_clear() {
        let mut visited = Visited::default();
        for walk in 0..3 {
            for number in 0..1000 {
                assert_eq!(visited.visit(Ref(1 + number * 3)), None, "walk {walk}");
            }
            for number in 0..1000 {
                assert_eq!(visited.visit(Ref(1 + number * 3)), Some(number));
                assert_eq!(visited.number(Ref(2 + number * 3)), None);
            }
            visited.clear();
        }
    }
}
