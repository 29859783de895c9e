//! Integers of as many bytes as they need, and a reader over bytes that may be anything.
//!
//! Seven bits to a byte, least significant first, the high bit says that another follows; signed
//! ones alternate (0, -1, 1, -2, ...). Invariant: no bytes make the reader panic or allocate.
//! Proof: `tests/differential/test_segments.py` and the tests below.

/// Bytes that do not read as what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, (value << 1 ^ value >> 63).cast_unsigned());
}

/// What is left to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Malformed> {
        if let &[byte @ ..0x80, ref rest @ ..] = self.0 {
            self.0 = rest;
            return Ok(u64::from(byte));
        }
        let mut value = 0;
        for (at, &byte) in self.0.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7F);
            if at == 9 && bits > 1 {
                return Err(Malformed);
            }
            value |= bits << (7 * at);
            if byte < 0x80 {
                self.0 = &self.0[at + 1..];
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Malformed> {
        let value = self.number()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// A count of items that take at least a byte each, or a length: never more than is left.
    pub(crate) fn count(&mut self) -> Result<usize, Malformed> {
        let count = self.number()?;
        if count > self.0.len() as u64 {
            return Err(Malformed);
        }
        Ok(count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::{Malformed, Reader, put, put_signed};

    #[test]
    fn numbers_come_back() {
        let numbers = [
            0,
            1,
            127,
            128,
            300,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ];
        let signed = [0, -1, 1, 63, -64, i64::MIN, i64::MAX];
        let mut out = Vec::new();
        for value in numbers {
            put(&mut out, value);
        }
        for value in signed {
            put_signed(&mut out, value);
        }
        let mut reader = Reader(&out);
        assert_eq!(numbers.map(|_| reader.number().unwrap()), numbers);
        assert_eq!(signed.map(|_| reader.signed().unwrap()), signed);
        assert_eq!(reader.number(), Err(Malformed));
    }

    #[test]
    fn what_is_too_long_or_breaks_off_is_refused() {
        for bytes in [&[][..], &[0x80], &[0xFF; 10], &[0x80; 11]] {
            assert_eq!(Reader(bytes).number(), Err(Malformed));
        }
        let mut most = vec![0xFF; 9];
        most.push(2);
        assert_eq!(Reader(&most).number(), Err(Malformed));
        assert_eq!(Reader(&[3, 0, 0]).count(), Err(Malformed));
        assert_eq!(Reader(&[2, 0, 0]).count(), Ok(2));
    }
}
