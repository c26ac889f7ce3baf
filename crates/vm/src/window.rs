//! Raw addresses that Java code may read but never write: the JDK's image, mapped once and shared
//! by all machines.

use crate::vm::Vm;

/// Where the image seems to begin.
pub const IMAGE_ADDRESS: u64 = 0x7e00_0000_0000;

impl Vm {
    /// The bytes at a raw address, raw memory and windows alike; `None` where there are none.
    #[inline]
    pub fn raw_bytes(&self, address: i64, len: usize) -> Option<&[u8]> {
        let address = address.cast_unsigned();
        if let Some(bytes) = self.heap.raw_bytes(address, len) {
            return Some(bytes);
        }
        let start = usize::try_from(address.checked_sub(IMAGE_ADDRESS)?).ok()?;
        self.image.map().get(start..start.checked_add(len)?)
    }
}
