//! The inner loops of ciphers and curves: AES (FIPS 197), the multiplication behind GCM (NIST SP 800-38D),
//! and choices between field elements that take the same time whatever they choose.

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::ClassId;
use crate::vm::Vm;

const BLOCK: &str = "([BI[BI)V";

pub(super) const ROWS: &[Row] = &[
    ("com/sun/crypto/provider/AESCrypt", "implEncryptBlock", BLOCK, encrypt_block),
    ("com/sun/crypto/provider/AESCrypt", "implDecryptBlock", BLOCK, decrypt_block),
    ("com/sun/crypto/provider/GHASH", "blockMult", "([J[J)V", multiply_block),
    (
        "sun/security/util/math/intpoly/IntegerPolynomial",
        "conditionalAssign",
        "(I[J[J)V",
        choose::<false>,
    ),
    (
        "sun/security/util/math/intpoly/IntegerPolynomial",
        "conditionalSwap",
        "(I[J[J)V",
        choose::<true>,
    ),
];

/// Twice a polynomial over two modulo that of AES (FIPS 197 §4.2.1).
const fn doubled(byte: u8) -> u8 {
    byte << 1 ^ if byte & 0x80 != 0 { 0x1b } else { 0 }
}

const fn product(a: u8, b: u8) -> u8 {
    let (mut a, mut b, mut sum) = (a, b, 0);
    while b != 0 {
        if b & 1 != 0 {
            sum ^= a;
        }
        a = doubled(a);
        b >>= 1;
    }
    sum
}

/// The substitution of FIPS 197 §5.1.1: inverses, by powers of three, then an affine map.
const fn substitution() -> [u8; 256] {
    let mut table = [0; 256];
    // Three generates all; its inverse is 0xf6.
    let (mut power, mut inverse) = (1_u8, 1_u8);
    let mut step = 0;
    while step < 255 {
        let i = inverse;
        table[power as usize] =
            0x63 ^ i ^ i.rotate_left(1) ^ i.rotate_left(2) ^ i.rotate_left(3) ^ i.rotate_left(4);
        power = product(power, 3);
        inverse = product(inverse, 0xf6);
        step += 1;
    }
    table[0] = 0x63;
    table
}

const fn inverted(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut idx = 0;
    while idx < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        {
            inverse[table[idx] as usize] = idx as u8;
        }
        idx += 1;
    }
    inverse
}

/// What a byte adds to a column: its substitute times each of four factors.
const fn columns(substitution: &[u8; 256], factors: [u8; 4]) -> [u32; 256] {
    let mut table = [0; 256];
    let mut idx = 0;
    while idx < 256 {
        let byte = substitution[idx];
        table[idx] = u32::from_be_bytes([
            product(byte, factors[0]),
            product(byte, factors[1]),
            product(byte, factors[2]),
            product(byte, factors[3]),
        ]);
        idx += 1;
    }
    table
}

static SUBSTITUTION: [u8; 256] = substitution();
static INVERSE: [u8; 256] = inverted(&substitution());
static COLUMNS: [u32; 256] = columns(&substitution(), [2, 1, 1, 3]);
static INVERSE_COLUMNS: [u32; 256] = columns(&inverted(&substitution()), [14, 9, 13, 11]);

fn byte(word: u32, shift: u32) -> usize {
    (word >> shift & 0xff) as usize
}

/// All rounds on a block. `keys` are the round keys in the order they are used; `step` is the distance between the
/// columns that a row was shifted from: 1 to encrypt, 3 to decrypt.
fn rounds(
    block: [u32; 4],
    keys: impl Fn(usize, usize) -> u32,
    n_rounds: usize,
    step: usize,
    columns: &[u32; 256],
    last: &[u8; 256],
) -> [u32; 4] {
    let mut state: [u32; 4] = std::array::from_fn(|i| block[i] ^ keys(0, i));
    for round in 1..n_rounds {
        state = std::array::from_fn(|i| {
            columns[byte(state[i], 24)]
                ^ columns[byte(state[(i + step) % 4], 16)].rotate_right(8)
                ^ columns[byte(state[(i + 2 * step) % 4], 8)].rotate_right(16)
                ^ columns[byte(state[(i + 3 * step) % 4], 0)].rotate_right(24)
                ^ keys(round, i)
        });
    }
    std::array::from_fn(|i| {
        u32::from_be_bytes([
            last[byte(state[i], 24)],
            last[byte(state[(i + step) % 4], 16)],
            last[byte(state[(i + 2 * step) % 4], 8)],
            last[byte(state[(i + 3 * step) % 4], 0)],
        ]) ^ keys(n_rounds, i)
    })
}

/// Byte offset in the heap of `len` elements of an array from `start` on.
unsafe fn range(heap: *mut u8, array: u32, start: u32, len: u32, size: u32) -> Option<usize> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if array == 0 || start.checked_add(len)? > word!(heap, array, LENGTH_OFFSET, u32) {
            return None;
        }
        Some(((array as usize) << 3) + ELEMENTS_OFFSET as usize + (start * size) as usize)
    }
}

/// The offset of the field with the round keys.
#[cold]
fn find_keys(vm: &mut Vm, class: u32) -> Option<u32> {
    let offset = vm.try_field_offset(ClassId(class), "K", "[I")?;
    // A class that a rollback takes back may leave its number to another one.
    if vm.classes[class as usize].made_at == 0 {
        vm.run.cipher_keys = Some((class, offset));
    }
    Some(offset)
}

/// `byte[] in, int inOffset, byte[] out, int outOffset` with the round keys in the field `K`.
#[inline(always)]
unsafe fn crypt<const DECRYPT: bool>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> Option<()> {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let cipher = *args as u32;
        if cipher == 0 {
            return None;
        }
        let class = word!(heap, cipher, 0, u32);
        let offset = match (*vm).run.cipher_keys {
            Some((known, offset)) if known == class => offset,
            _ => find_keys(&mut *vm, class)?,
        };
        let keys = word!(heap, cipher, offset, u32);
        if keys == 0 {
            return None;
        }
        let n_keys = word!(heap, keys, LENGTH_OFFSET, u32);
        if !matches!(n_keys, 44 | 52 | 60) {
            return None;
        }
        let from = range(heap, *args.add(1) as u32, *args.add(2) as u32, 16, 1)?;
        let to = range(heap, *args.add(3) as u32, *args.add(4) as u32, 16, 1)?;
        let key = |position: usize| word!(heap, keys, ELEMENTS_OFFSET as usize + position * 4, u32);
        let block = heap.add(from).cast::<[[u8; 4]; 4]>().read_unaligned();
        let block = block.map(u32::from_be_bytes);
        let n_rounds = n_keys as usize / 4 - 1;
        let result = if DECRYPT {
            // The key of the last round comes first.
            let keys = |round: usize, i: usize| key((round + 1) % (n_rounds + 1) * 4 + i);
            rounds(block, keys, n_rounds, 3, &INVERSE_COLUMNS, &INVERSE)
        } else {
            rounds(block, |round, i| key(round * 4 + i), n_rounds, 1, &COLUMNS, &SUBSTITUTION)
        };
        (*vm).heap.before_bulk_write(to, 16);
        heap.add(to).cast::<[[u8; 4]; 4]>().write_unaligned(result.map(u32::to_be_bytes));
        (*vm).fuel -= i64::from(n_keys / 4);
        Some(())
    }
}

unsafe fn encrypt_block(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as for every intrinsic.
    unsafe { crypt::<false>(vm, heap, args).is_some() }
}

unsafe fn decrypt_block(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as for every intrinsic.
    unsafe { crypt::<true>(vm, heap, args).is_some() }
}

/// `blockMult(long[] st, long[] subH)`: SP 800-38D §6.3.
unsafe fn multiply_block(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let (state, factor) = (*args as u32, *args.add(1) as u32);
        let (Some(at), Some(factor)) = (range(heap, state, 0, 2, 8), range(heap, factor, 0, 2, 8))
        else {
            return false;
        };
        let wide = |at: usize| {
            let [high, low] = heap.add(at).cast::<[u64; 2]>().read_unaligned();
            u128::from(high) << 64 | u128::from(low)
        };
        let (mut x, mut shifted, mut sum) = (wide(at), wide(factor), 0_u128);
        for _ in 0..128 {
            if x >> 127 != 0 {
                sum ^= shifted;
            }
            x <<= 1;
            let carry = shifted & 1 != 0;
            shifted >>= 1;
            if carry {
                shifted ^= 0xe1 << 120;
            }
        }
        (*vm).heap.before_bulk_write(at, 16);
        #[expect(clippy::cast_possible_truncation, reason = "split into halves")]
        heap.add(at).cast::<[u64; 2]>().write_unaligned([(sum >> 64) as u64, sum as u64]);
        (*vm).fuel -= 128;
    }
    true
}

/// `conditionalAssign(int set, long[] a, long[] b)`, or `conditionalSwap` (`SWAP`).
unsafe fn choose<const SWAP: bool>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let mask = i64::from(0_i32.wrapping_sub(*args as u32 as i32)).cast_unsigned();
        let (a, b) = (*args.add(1) as u32, *args.add(2) as u32);
        if a == 0 || a == b {
            return false;
        }
        let len = word!(heap, a, LENGTH_OFFSET, u32);
        let (Some(a), Some(b)) = (range(heap, a, 0, len, 8), range(heap, b, 0, len, 8)) else {
            return false;
        };
        (*vm).heap.before_bulk_write(a, len as usize * 8);
        if SWAP {
            (*vm).heap.before_bulk_write(b, len as usize * 8);
        }
        let (a, b) = (heap.add(a).cast::<u64>(), heap.add(b).cast::<u64>());
        for i in 0..len as usize {
            let (old_a, old_b) = (a.add(i).read_unaligned(), b.add(i).read_unaligned());
            let change = mask & (old_a ^ old_b);
            a.add(i).write_unaligned(old_a ^ change);
            if SWAP {
                b.add(i).write_unaligned(old_b ^ change);
            }
        }
        (*vm).fuel -= i64::from(len);
    }
    true
}
