//! The compression functions of `MessageDigest`: MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4), and the
//! permutation behind SHA-3 (FIPS 202). HotSpot runs the same methods itself; like there, the scratch
//! arrays of the Java code stay as they are, since nothing reads them before they are written.

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::ClassId;
use crate::vm::Vm;

const BLOCK: &str = "([BI)V";

pub(super) const ROWS: &[Row] = &[
    ("sun/security/provider/MD5", "implCompress0", BLOCK, md5_block),
    ("sun/security/provider/SHA", "implCompress0", BLOCK, sha1_block),
    ("sun/security/provider/SHA2", "implCompress0", BLOCK, sha256_block),
    ("sun/security/provider/SHA5", "implCompress0", BLOCK, sha512_block),
    // 17 keeps the state in bytes, 25 in words.
    ("sun/security/provider/SHA3", "keccak", "()V", keccak_of_bytes),
    ("sun/security/provider/SHA3", "keccak", "([J)V", keccak_of_words),
];

/// FIPS 180-4 §4.2.3; the first 64, cut to their upper halves, are those of SHA-256.
#[rustfmt::skip]
const SHA2_ROUNDS: [u64; 80] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
];

/// RFC 1321 §3.4.
#[rustfmt::skip]
const MD5_ROUNDS: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

const MD5_SHIFTS: [[u32; 4]; 4] =
    [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// FIPS 202 §3.2.5.
#[rustfmt::skip]
const KECCAK_ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
];

/// Byte offset in the heap of the elements of an array in a field, if it has `len` of them.
unsafe fn elements(
    vm: *mut Vm,
    heap: *mut u8,
    object: u32,
    descriptor: &str,
    len: u32,
) -> Option<usize> {
    // SAFETY: the object is valid and the machine is, too.
    unsafe {
        let class = ClassId(word!(heap, object, 0, u32));
        let offset = (*vm).try_field_offset(class, "state", descriptor)?;
        elements_of(heap, word!(heap, object, offset, u32), len)
    }
}

unsafe fn elements_of(heap: *mut u8, array: u32, len: u32) -> Option<usize> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        let fits = array != 0 && word!(heap, array, LENGTH_OFFSET, u32) == len;
        fits.then_some(((array as usize) << 3) + ELEMENTS_OFFSET as usize)
    }
}

/// The block in the arguments `byte[] buf, int ofs`.
unsafe fn block<const N: usize>(heap: *mut u8, args: *mut u64) -> Option<[u8; N]> {
    // SAFETY: arguments are registers; references are valid; the range is checked.
    unsafe {
        let (array, at) = (*args.add(1) as u32, *args.add(2) as u32);
        if array == 0 || at as usize + N > word!(heap, array, LENGTH_OFFSET, u32) as usize {
            return None;
        }
        let start = ((array as usize) << 3) + (ELEMENTS_OFFSET as usize) + at as usize;
        Some(heap.add(start).cast::<[u8; N]>().read_unaligned())
    }
}

/// An intrinsic that mixes a block into a state of words.
macro_rules! compression {
    ($name:ident, $mix:ident, $word:ty, $len:literal, $block:literal, $descriptor:literal) => {
        unsafe fn $name(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
            // SAFETY: arguments are registers; the state has as many words as are read and written.
            unsafe {
                let Some(at) = elements(vm, heap, *args as u32, $descriptor, $len) else {
                    return false;
                };
                let Some(block) = block::<$block>(heap, args) else {
                    return false;
                };
                let state = heap.add(at).cast::<[$word; $len]>();
                let mixed = $mix(state.read_unaligned(), &block);
                (*vm).heap.before_bulk_write(at, size_of::<[$word; $len]>());
                state.write_unaligned(mixed);
                true
            }
        }
    };
}

compression!(md5_block, md5, u32, 4, 64, "[I");
compression!(sha1_block, sha1, u32, 5, 64, "[I");
compression!(sha256_block, sha256, u32, 8, 64, "[I");
compression!(sha512_block, sha512, u64, 8, 128, "[J");

unsafe fn keccak_of_bytes(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the argument is a register.
    unsafe {
        match elements(vm, heap, *args as u32, "[B", 200) {
            Some(at) => permute(vm, heap, at),
            None => false,
        }
    }
}

unsafe fn keccak_of_words(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the argument is a register.
    unsafe {
        match elements_of(heap, *args as u32, 25) {
            Some(at) => permute(vm, heap, at),
            None => false,
        }
    }
}

/// Permutes the 200 bytes at a byte offset.
unsafe fn permute(vm: *mut Vm, heap: *mut u8, at: usize) -> bool {
    // SAFETY: the caller found 200 bytes there.
    unsafe {
        let state = heap.add(at).cast::<[u64; 25]>();
        let mixed = keccak(state.read_unaligned().map(u64::from_le)).map(u64::to_le);
        (*vm).heap.before_bulk_write(at, size_of::<[u64; 25]>());
        state.write_unaligned(mixed);
        true
    }
}

fn md5(state: [u32; 4], block: &[u8; 64]) -> [u32; 4] {
    let (words, _) = block.as_chunks::<4>();
    let [mut a, mut b, mut c, mut d] = state;
    for (idx, &constant) in MD5_ROUNDS.iter().enumerate() {
        let (mixed, word) = match idx / 16 {
            0 => (b & c | !b & d, idx),
            1 => (d & b | !d & c, 5 * idx + 1),
            2 => (b ^ c ^ d, 3 * idx + 5),
            _ => (c ^ (b | !d), 7 * idx),
        };
        let word = u32::from_le_bytes(words[word % 16]);
        let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(word);
        let turned = sum.rotate_left(MD5_SHIFTS[idx / 16][idx % 4]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(turned));
    }
    add(state, [a, b, c, d])
}

fn sha1(state: [u32; 5], block: &[u8; 64]) -> [u32; 5] {
    let mut words = [0; 80];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for t in 16..80 {
        words[t] = (words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = state;
    for (t, &word) in words.iter().enumerate() {
        let (mixed, constant) = match t / 20 {
            0 => (b & c | !b & d, 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let sum = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
        let sum = sum.wrapping_add(constant).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
    }
    add(state, [a, b, c, d, e])
}

/// SHA-2 for one width of words: the rotations are those of FIPS 180-4 §4.1.2 and §4.1.3.
macro_rules! sha2 {
    ($name:ident, $word:ty, $n_rounds:literal, $constant:expr, $sums:expr, $sigmas:expr) => {
        fn $name(state: [$word; 8], block: &[u8; size_of::<$word>() * 16]) -> [$word; 8] {
            const SUMS: [[u32; 3]; 2] = $sums;
            // Two rotations and a shift each.
            const SIGMAS: [[u32; 3]; 2] = $sigmas;
            let turned = |x: $word, [one, two, three]: [u32; 3]| {
                x.rotate_right(one) ^ x.rotate_right(two) ^ x.rotate_right(three)
            };
            let shifted = |x: $word, [one, two, shift]: [u32; 3]| {
                x.rotate_right(one) ^ x.rotate_right(two) ^ (x >> shift)
            };
            let mut words = [0; $n_rounds];
            let (chunks, _) = block.as_chunks::<{ size_of::<$word>() }>();
            for (word, bytes) in words.iter_mut().zip(chunks) {
                *word = <$word>::from_be_bytes(*bytes);
            }
            for t in 16..$n_rounds {
                words[t] = shifted(words[t - 2], SIGMAS[1])
                    .wrapping_add(words[t - 7])
                    .wrapping_add(shifted(words[t - 15], SIGMAS[0]))
                    .wrapping_add(words[t - 16]);
            }
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
            for (&word, &constant) in words.iter().zip(&SHA2_ROUNDS) {
                let one = h
                    .wrapping_add(turned(e, SUMS[1]))
                    .wrapping_add(e & f ^ !e & g)
                    .wrapping_add($constant(constant))
                    .wrapping_add(word);
                let two = turned(a, SUMS[0]).wrapping_add(a & b ^ a & c ^ b & c);
                (h, g, f, e) = (g, f, e, d.wrapping_add(one));
                (d, c, b, a) = (c, b, a, one.wrapping_add(two));
            }
            add(state, [a, b, c, d, e, f, g, h])
        }
    };
}

sha2!(
    sha256,
    u32,
    64,
    |constant: u64| (constant >> 32) as u32,
    [[2, 13, 22], [6, 11, 25]],
    [[7, 18, 3], [17, 19, 10]]
);
sha2!(
    sha512,
    u64,
    80,
    |constant: u64| constant,
    [[28, 34, 39], [14, 18, 41]],
    [[1, 8, 7], [19, 61, 6]]
);

/// Adds word by word.
fn add<W: Copy + WrappingAdd, const N: usize>(one: [W; N], other: [W; N]) -> [W; N] {
    std::array::from_fn(|idx| one[idx].plus(other[idx]))
}

trait WrappingAdd {
    fn plus(self, other: Self) -> Self;
}

impl WrappingAdd for u32 {
    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
}

impl WrappingAdd for u64 {
    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }
}

/// The Keccak permutation of 1,600 bits; lane (x, y) is at `x + 5 * y`.
fn keccak(mut lanes: [u64; 25]) -> [u64; 25] {
    for constant in KECCAK_ROUNDS {
        let columns: [u64; 5] =
            std::array::from_fn(|x| (0..5).fold(0, |all, y| all ^ lanes[x + 5 * y]));
        for (idx, lane) in lanes.iter_mut().enumerate() {
            let x = idx % 5;
            *lane ^= columns[(x + 4) % 5] ^ columns[(x + 1) % 5].rotate_left(1);
        }
        // Rho and pi: each lane turns by a triangular number and moves on.
        let (mut x, mut y) = (1, 0);
        let mut moving = lanes[1];
        for t in 0..24_u32 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let turned = moving.rotate_left((t + 1) * (t + 2) / 2 % 64);
            moving = std::mem::replace(&mut lanes[x + 5 * y], turned);
        }
        for row in lanes.as_chunks_mut::<5>().0 {
            let old = *row;
            for (x, lane) in row.iter_mut().enumerate() {
                *lane ^= !old[(x + 1) % 5] & old[(x + 2) % 5];
            }
        }
        lanes[0] ^= constant;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only block of a message of three bytes, `abc`.
    fn abc<const N: usize>(length: impl Fn(&mut [u8; N])) -> [u8; N] {
        let mut block = [0; N];
        block[..4].copy_from_slice(b"abc\x80");
        length(&mut block);
        block
    }

    #[test]
    fn one_block_gives_the_digests_of_the_standards() {
        let start = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
        let block = abc::<64>(|block| block[56] = 24);
        assert_eq!(
            md5(start, &block).map(u32::swap_bytes),
            [0x9001_5098, 0x3cd2_4fb0, 0xd696_3f7d, 0x28e1_7f72]
        );
        let start = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
        let block = abc::<64>(|block| block[63] = 24);
        let digest = [0xa999_3e36, 0x4706_816a, 0xba3e_2571, 0x7850_c26c, 0x9cd0_d89d];
        assert_eq!(sha1(start, &block), digest);
    }

    #[test]
    fn the_permutation_of_zeros_is_the_known_one() {
        let lanes = keccak([0; 25]);
        assert_eq!(lanes[0], 0xf125_8f79_40e1_dde7);
        assert_eq!(lanes[24], 0xeaf1_ff7b_5cec_a249);
    }
}
