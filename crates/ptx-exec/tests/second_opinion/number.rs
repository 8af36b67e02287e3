//! Numbers as the manual writes them out by hand: little-endian rows of bits, and the algorithms of school on them.

/// A number: its bits, the lowest first. Negative ones are in two's complement.
pub(crate) type Bits = Vec<bool>;

/// The lowest bits of a value.
pub(crate) fn bits(value: u128, size: usize) -> Bits {
    let bytes = value.to_le_bytes();
    (0..size).map(|at| bytes[at / 8] >> (at % 8) & 1 == 1).collect()
}

/// The value of these bits.
pub(crate) fn value(of: &[bool]) -> u128 {
    let mut bytes = [0; 16];
    for (at, bit) in of.iter().enumerate() {
        bytes[at / 8] |= u8::from(*bit) << (at % 8);
    }
    u128::from_le_bytes(bytes)
}

/// The number of a few bits as a count; `most` if it is more.
pub(crate) fn count(of: &[bool], most: usize) -> usize {
    of.iter().rev().fold(0, |count: usize, bit| (count * 2 + usize::from(*bit)).min(most.max(1) * 2)).min(most)
}

/// The bits of a count.
pub(crate) fn counted(mut count: usize, size: usize) -> Bits {
    let mut bits = vec![false; size];
    for bit in &mut bits {
        *bit = count % 2 == 1;
        count /= 2;
    }
    bits
}

pub(crate) fn top(of: &[bool]) -> bool {
    of.last().copied().unwrap_or(false)
}

pub(crate) fn is_zero(of: &[bool]) -> bool {
    of.iter().all(|bit| !bit)
}

/// The number in more bits, or the lowest bits of it in fewer.
pub(crate) fn resized(of: &[bool], signed: bool, size: usize) -> Bits {
    let fill = signed && top(of);
    (0..size).map(|at| of.get(at).copied().unwrap_or(fill)).collect()
}

pub(crate) fn inverted(of: &[bool]) -> Bits {
    of.iter().map(|bit| !bit).collect()
}

/// The sum of two numbers of the same size and a carry, and the carry out.
pub(crate) fn sum(a: &[bool], b: &[bool], mut carry: bool) -> (Bits, bool) {
    let digits = a.iter().zip(b).map(|(a, b)| {
        let digit = a ^ b ^ carry;
        carry = *a && *b || carry && (*a || *b);
        digit
    });
    (digits.collect(), carry)
}

/// The difference of two numbers of the same size and a borrow, and the borrow out.
pub(crate) fn difference(a: &[bool], b: &[bool], mut borrow: bool) -> (Bits, bool) {
    let digits = a.iter().zip(b).map(|(a, b)| {
        let digit = a ^ b ^ borrow;
        borrow = !*a && (*b || borrow) || *b && borrow;
        digit
    });
    (digits.collect(), borrow)
}

pub(crate) fn add(a: &[bool], b: &[bool]) -> Bits {
    sum(a, b, false).0
}

pub(crate) fn sub(a: &[bool], b: &[bool]) -> Bits {
    difference(a, b, false).0
}

pub(crate) fn negated(of: &[bool]) -> Bits {
    sub(&vec![false; of.len()], of)
}

pub(crate) fn magnitude(of: &[bool]) -> Bits {
    if top(of) { negated(of) } else { of.to_vec() }
}

/// The number times two to this power, in as many bits.
pub(crate) fn raised(of: &[bool], by: usize) -> Bits {
    (0..of.len()).map(|at| at >= by && of[at - by]).collect()
}

/// The number without its lowest bits, filled from above.
pub(crate) fn lowered(of: &[bool], by: usize, fill: bool) -> Bits {
    (0..of.len()).map(|at| of.get(at + by).copied().unwrap_or(fill)).collect()
}

/// The product in twice as many bits: a shifted copy for each bit that is set.
pub(crate) fn product(a: &[bool], b: &[bool], signed: bool) -> Bits {
    let size = a.len() * 2;
    let (a, b) = (resized(a, signed, size), resized(b, signed, size));
    let mut product = vec![false; size];
    for at in (0..size).filter(|at| b[*at]) {
        let mut carry = false;
        for (digit, other) in product[at..].iter_mut().zip(&a) {
            let before = *digit;
            *digit = before ^ other ^ carry;
            carry = before && *other || carry && (before || *other);
        }
    }
    product
}

/// The quotient and the remainder of unsigned numbers of the same size, bit by bit from the top.
pub(crate) fn division(a: &[bool], b: &[bool]) -> (Bits, Bits) {
    let mut quotient = vec![false; a.len()];
    let divisor = resized(b, false, b.len() + 1);
    let mut rest = vec![false; b.len() + 1];
    for at in (0..a.len()).rev() {
        rest.rotate_right(1);
        rest[0] = a[at];
        let (less, borrow) = difference(&rest, &divisor, false);
        if !borrow {
            (quotient[at], rest) = (true, less);
        }
    }
    rest.truncate(b.len());
    (quotient, rest)
}

/// True if the first number is less: the first bit from the top that differs decides.
pub(crate) fn less(a: &[bool], b: &[bool], signed: bool) -> bool {
    let highest = a.len().wrapping_sub(1);
    let differs = (0..a.len()).rev().find(|at| a[*at] != b[*at]);
    differs.is_some_and(|at| b[at] != (signed && at == highest))
}

/// True if a signed number of more bits is also one of this type: all bits above are the sign, or zeros.
pub(crate) fn fits(of: &[bool], signed: bool, size: usize) -> bool {
    let above = if signed { top(&of[..size]) } else { false };
    of[size..].iter().all(|bit| *bit == above)
}

/// The nearest number of this type to a signed number of more bits.
pub(crate) fn saturated(of: &[bool], signed: bool, size: usize) -> Bits {
    if fits(of, signed, size) {
        return of[..size].to_vec();
    }
    let below = top(of);
    let mut nearest = vec![!below; size];
    if signed {
        nearest[size - 1] = below;
    }
    nearest
}
