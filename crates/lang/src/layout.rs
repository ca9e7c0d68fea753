//! Where things are: arrays of variables, locks, handlers and threads as ranges of numbers.

/// One dimension of an array: the indices `low` to `low + size - 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) low: i64,
    pub(crate) size: u32,
}

/// A single thing (no extents) or an array of things, numbered from `base` on, the last index fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) base: u32,
    pub(crate) extents: Vec<Extent>,
}

impl Array {
    /// How many things there are.
    pub(crate) fn count(&self) -> u32 {
        self.extents.iter().map(|extent| extent.size).product()
    }

    /// The indices of the thing with this offset from `base`.
    pub(crate) fn indices(&self, offset: u32) -> Vec<i64> {
        let mut rest = offset;
        let mut indices: Vec<i64> = Vec::with_capacity(self.extents.len());
        for extent in self.extents.iter().rev() {
            indices.push(extent.low + i64::from(rest % extent.size));
            rest /= extent.size;
        }
        indices.reverse();
        indices
    }

    /// The offset of the thing with these indices, if there is one.
    pub(crate) fn offset(&self, indices: &[i64]) -> Option<u32> {
        let mut offset = 0;
        for (extent, index) in self.extents.iter().zip(indices) {
            let within = index
                .checked_sub(extent.low)
                .filter(|within| (0..i64::from(extent.size)).contains(within))?;
            offset = offset * extent.size + within as u32;
        }
        Some(offset)
    }

    /// What people call the thing with this offset: `x`, `a[1][2]`.
    pub(crate) fn element_name(&self, offset: u32) -> String {
        let indices = self.indices(offset).into_iter().map(|index| format!("[{index}]"));
        std::iter::once(self.name.clone()).chain(indices).collect()
    }
}

/// The name of thing number `number` among arrays that are sorted by their bases.
pub(crate) fn name_of(arrays: &[Array], number: u32) -> String {
    // Empty arrays share their base with their successor, which comes after them.
    let array = &arrays[arrays.partition_point(|array| array.base <= number) - 1];
    array.element_name(number - array.base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_indices_are_inverse() {
        let extents = vec![Extent { low: 1, size: 2 }, Extent { low: 0, size: 3 }];
        let array = Array { name: "a".into(), base: 5, extents };
        assert_eq!(array.count(), 6);
        for offset in 0..6 {
            assert_eq!(array.offset(&array.indices(offset)), Some(offset));
        }
        assert_eq!(array.element_name(4), "a[2][1]");
        assert_eq!(array.offset(&[0, 0]), None);
        assert_eq!(array.offset(&[1, 3]), None);
        assert_eq!(array.offset(&[i64::MIN, 0]), None);
    }
}
