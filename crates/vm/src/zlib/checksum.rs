//! CRC-32 (RFC 1952) and Adler-32 (RFC 1950), continued from an earlier value.

/// CRC-32 tables for eight bytes at a time.
const TABLES: [[u32; 256]; 8] = tables();

#[expect(clippy::cast_possible_truncation, reason = "counts to 255")]
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// CRC-32 of what gave `crc` followed by `bytes`; start with zero.
pub fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    let mut groups = bytes.chunks_exact(8);
    for group in &mut groups {
        let mixed = crc.to_le_bytes();
        let at =
            |idx: usize| usize::from(if idx < 4 { group[idx] ^ mixed[idx] } else { group[idx] });
        crc = (0..8).fold(0, |sum, idx| sum ^ TABLES[7 - idx][at(idx)]);
    }
    for &byte in groups.remainder() {
        crc = crc >> 8 ^ TABLES[0][usize::from(crc.to_le_bytes()[0] ^ byte)];
    }
    !crc
}

/// Adler-32 of what gave `adler` followed by `bytes`; start with one.
pub fn adler32(adler: u32, bytes: &[u8]) -> u32 {
    const BASE: u32 = 65_521;
    /// Most bytes before the sums must be reduced.
    const RUN: usize = 5_552;
    let mut low = adler & 0xffff;
    let mut high = adler >> 16;
    for run in bytes.chunks(RUN) {
        for &byte in run {
            low += u32::from(byte);
            high += low;
        }
        low %= BASE;
        high %= BASE;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_of_the_check_string_is_the_published_one() {
        assert_eq!(crc32(0, b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(crc32(0, b"12345"), b"6789"), 0xcbf4_3926);
        assert_eq!(crc32(0, b""), 0);
    }

    #[test]
    fn adler32_of_a_word_is_the_published_one() {
        assert_eq!(adler32(1, b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(1, &[0xff; 100_000]), adler32(adler32(1, &[0xff; 99_999]), &[0xff]));
    }
}
