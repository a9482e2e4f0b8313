//! A nearest-neighbour search over vectors.

/// The nearest of the offered vectors, up to a maximum number.
pub(super) struct NearestVectors<'a> {
    /// Query vector in 16-bit numbers, the width in which processors multiply: half the time.
    vector: Vec<i16>,
    area: &'a str,
    most: usize,
    near: Vec<(i32, String)>,
    /// Product below which a vector cannot be among the nearest.
    farthest: i32,
}

impl<'a> NearestVectors<'a> {
    /// Returns an empty search for the `most` vectors nearest to `vector`, at places that begin
    /// with `area`.
    pub(super) fn new(vector: &[i8], area: &'a str, most: usize) -> Self {
        Self {
            vector: vector.iter().copied().map(i16::from).collect(),
            area,
            most,
            near: Vec::new(),
            farthest: i32::MIN,
        }
    }

    /// Offers a vector, whose numbers `whole` converts, and its place, bytes that should be UTF-8.
    pub(super) fn offer<N: Copy>(&mut self, place: &[u8], numbers: &[N], whole: impl Fn(N) -> i8) {
        if !place.starts_with(self.area.as_bytes()) || numbers.len() != self.vector.len() {
            return;
        }
        let product = product(&self.vector, numbers, whole);
        if product < self.farthest || self.most == 0 {
            return;
        }
        let Ok(place) = std::str::from_utf8(place) else {
            return;
        };
        self.near.push((product, place.to_owned()));
        // The list is cut when it has twice as many entries as are wanted. Finding the farthest
        // one scans all of them, so cutting after each vector would cost a scan for each.
        if self.near.len() / 2 > self.most {
            self.cut();
        }
    }

    /// Drops all but the nearest.
    fn cut(&mut self) {
        if self.near.len() <= self.most {
            return;
        }
        self.near
            .select_nth_unstable_by(self.most - 1, nearest_first);
        self.near.truncate(self.most);
        self.farthest = self.near[self.most - 1].0;
    }

    /// Returns the places, nearest first.
    pub(super) fn places(mut self) -> Vec<String> {
        self.cut();
        self.near.sort_unstable_by(nearest_first);
        self.near.into_iter().map(|(_, place)| place).collect()
    }
}

fn nearest_first(a: &(i32, String), b: &(i32, String)) -> std::cmp::Ordering {
    b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

/// Number of products computed at once without a loop. On baseline x86-64, for which the program is
/// built, 16 or 48 take a quarter more time, and a loop over all of them half as much again.
const AT_ONCE: usize = 32;

/// Returns the dot product of two vectors of one length: unit vectors times 127, so that it orders
/// as the cosine does.
fn product<N: Copy>(vector: &[i16], numbers: &[N], whole: impl Fn(N) -> i8) -> i32 {
    // The sum is at most 4096 · 128 · 128, that is 2²⁶, which fits.
    let sum = |vector: &[i16], numbers: &[N]| -> i32 {
        let pairs = vector.iter().zip(numbers);
        pairs
            .map(|(a, b)| i32::from(*a) * i32::from(whole(*b)))
            .sum()
    };
    let (vectors, vector) = vector.as_chunks::<AT_ONCE>();
    let (numbers, rest) = numbers.as_chunks::<AT_ONCE>();
    let pairs = vectors.iter().zip(numbers);
    let sums = pairs.map(|(vector, numbers)| sum(vector, numbers));
    sums.sum::<i32>() + sum(vector, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(number: i8) -> i8 {
        number
    }

    #[test]
    fn a_product_is_the_sum_of_all_numbers_products() {
        let vector: Vec<i16> = (0..40).map(|number| number * 37 % 255 - 127).collect();
        let numbers: Vec<i8> = (0..40)
            .map(|number| (number * 53 % 255 - 127) as i8)
            .collect();
        for length in 0..=40 {
            let pairs = vector[..length].iter().zip(&numbers);
            let expected: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            let of = product(&vector[..length], &numbers[..length], whole);
            assert_eq!(of, expected, "{length}");
        }
        assert_eq!(product(&[-128; 4096], &[-128; 4096], whole), 1 << 26);
    }

    #[test]
    fn however_many_are_offered_the_nearest_are_told() {
        let all: Vec<(i8, String)> = (0..=100)
            .chain((0..=100).rev())
            .map(|number: i8| (number, format!("docs\n{number:03}")))
            .collect();
        for most in [0, 1, 2, 3, 7, 150, usize::MAX] {
            let mut nearest = NearestVectors::new(&[1, -1], "docs\n", most);
            for (number, place) in &all {
                nearest.offer(place.as_bytes(), &[*number, 0], whole);
                nearest.offer(b"other\n", &[127, -127], whole);
                nearest.offer(b"docs\n\xFF", &[127, -127], whole);
                nearest.offer(b"docs\nx", &[127], whole);
            }
            let mut expected: Vec<&str> = all.iter().map(|(_, place)| place.as_str()).collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            expected.truncate(most);
            assert_eq!(nearest.places(), expected, "{most}");
        }
    }

    #[test]
    fn as_near_as_another_it_goes_by_its_place() {
        let mut nearest = NearestVectors::new(&[1], "", 2);
        for place in ["e", "d", "c", "b", "a", "f"] {
            nearest.offer(place.as_bytes(), &[1], whole);
        }
        assert_eq!(nearest.places(), ["a", "b"]);
    }
}
