//! The manual's chapter of data movement and conversion.

use crate::asked::{Asked, Open, Type};
use crate::number::{Bits, count, resized, saturated, top};

pub(crate) const TABLE: &[(&str, crate::Opinion)] =
    &[("cvt", cvt), ("cvt.pack", cvt_pack), ("mov", mov), ("prmt", prmt)];

/// The number of elements of a vector: the digit at the end of its shape.
fn elements(asked: &Asked<'_>, slot: &str) -> usize {
    match asked.word(slot).chars().last().and_then(|digit| digit.to_digit(10)) {
        Some(2) => 2,
        Some(4) => 4,
        _ => panic!("{} is no vector", asked.word(slot)),
    }
}

fn mov(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let size = asked.of_type("type").size;
    Ok(match asked.form() {
        "value" => vec![given[0][..size].to_vec()],
        "pack" => {
            let each = size / elements(asked, "a.shape");
            vec![given.iter().flat_map(|element| element[..each].to_vec()).collect()]
        }
        "unpack" => {
            let each = size / elements(asked, "d.shape");
            given[0][..size].chunks(each).map(<[bool]>::to_vec).collect()
        }
        "vector" => given.iter().map(|element| element[..size].to_vec()).collect(),
        other => panic!("there is no opinion of the form {other} of mov"),
    })
}

fn cvt(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let (from, to) = (asked.of_type("atype"), asked.of_type("dtype"));
    let wide = resized(&given[0][..from.size], from.signed, 72);
    Ok(vec![if asked.has("sat") { saturated(&wide, to.signed, to.size) } else { wide[..to.size].to_vec() }])
}

fn cvt_pack(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let Type { size, signed, .. } = asked.of_type("convertType");
    let (a, b) = (saturated(&given[0][..32], signed, size), saturated(&given[1][..32], signed, size));
    let mut result = [b, a].concat();
    if let Some(c) = given.get(2) {
        result.extend(&c[..32 - 2 * size]);
    }
    Ok(vec![result])
}

/// The bytes that a special mode of prmt takes, the lowest last as in the manual's table, for each value of its selector.
fn picked(mode: &str) -> [[usize; 4]; 4] {
    match mode {
        "f4e" => [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]],
        "b4e" => [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
        "rc8" => [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
        "ecl" => [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
        "ecr" => [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]],
        "rc16" => [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]],
        other => panic!("{other} is no mode"),
    }
}

fn prmt(asked: &Asked<'_>, given: &[Bits]) -> Result<Vec<Bits>, Open> {
    let all = [&given[0][..32], &given[1][..32]].concat();
    let control = &given[2];
    let mut result = Bits::new();
    for place in 0..4 {
        if asked.has("mode") {
            let from = picked(asked.word("mode"))[count(&control[..2], 3)][3 - place];
            result.extend(&all[from * 8..from * 8 + 8]);
        } else {
            let nibble = &control[place * 4..place * 4 + 4];
            let from = count(&nibble[..3], 7);
            let byte = &all[from * 8..from * 8 + 8];
            result.extend(if nibble[3] { vec![top(byte); 8] } else { byte.to_vec() });
        }
    }
    Ok(vec![result])
}
