//! Where two pictures of a page differ.

use std::io::Cursor;

/// Differences are looked for in squares of so many pixels.
const SQUARE: usize = 16;
/// So many rectangles are marked; beyond that, one around all.
const MOST_MARKS: usize = 24;
/// Nobody sees a colour change by so little. Browsers round differently, depending on what they have painted before.
const INVISIBLE: u8 = 2;
/// Pages have pictures of up to so many pixels; larger ones are not compared.
const MOST_PIXELS: usize = 64 << 20;

/// A rectangle, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marked {
    /// From the left.
    pub left: usize,
    /// From the top.
    pub top: usize,
    /// To the right.
    pub width: usize,
    /// Down.
    pub height: usize,
}

/// Where two pictures differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marks {
    /// The width of the wider one.
    pub width: usize,
    /// The height of the higher one.
    pub height: usize,
    /// Around everything that differs; empty if nothing does.
    pub marked: Vec<Marked>,
    /// How many pixels differ.
    pub pixels: usize,
}

struct Picture {
    width: usize,
    height: usize,
    /// Four bytes for each pixel.
    bytes: Vec<u8>,
}

/// Compares two PNG pictures. Nothing if one of them is none.
pub fn compare_pictures(before: &[u8], after: &[u8]) -> Option<Marks> {
    let (before, after) = (decode(before)?, decode(after)?);
    let (width, height) = (before.width.max(after.width), before.height.max(after.height));
    let (columns, rows) = (width.div_ceil(SQUARE), height.div_ceil(SQUARE));
    let mut squares = vec![false; columns * rows];
    let mut pixels = 0;
    for y in 0..height {
        for x in 0..width {
            if differ(before.pixel(x, y), after.pixel(x, y)) {
                pixels += 1;
                squares[y / SQUARE * columns + x / SQUARE] = true;
            }
        }
    }
    let mut marked = rectangles(squares, columns);
    if marked.len() > MOST_MARKS {
        marked = marked.into_iter().reduce(around).into_iter().collect();
    }
    marked.iter_mut().for_each(|mark| {
        mark.width = mark.width.min(width - mark.left);
        mark.height = mark.height.min(height - mark.top);
    });
    Some(Marks { width, height, marked, pixels })
}

/// Do people see a difference between two pictures? Where one of them cannot be read, their bytes decide.
pub fn look_different(before: &[u8], after: &[u8]) -> bool {
    before != after && compare_pictures(before, after).is_none_or(|marks| marks.pixels > 0)
}

fn differ(before: Option<&[u8]>, after: Option<&[u8]>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            before.iter().zip(after).any(|(one, other)| one.abs_diff(*other) > INVISIBLE)
        }
        (before, after) => before.is_some() != after.is_some(),
    }
}

impl Picture {
    fn pixel(&self, x: usize, y: usize) -> Option<&[u8]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y * self.width + x) * 4;
        self.bytes.get(at..at + 4)
    }
}

fn decode(png: &[u8]) -> Option<Picture> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().ok()?;
    let mut bytes = vec![0; reader.output_buffer_size().filter(|&size| size <= MOST_PIXELS * 4)?];
    let info = reader.next_frame(&mut bytes).ok()?;
    let (width, height) = (info.width as usize, info.height as usize);
    match info.color_type {
        png::ColorType::Rgba => {}
        png::ColorType::GrayscaleAlpha => {
            bytes = bytes.chunks(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect();
        }
        _ => return None,
    }
    Some(Picture { width, height, bytes })
}

/// A rectangle around each group of neighbouring squares.
fn rectangles(mut squares: Vec<bool>, columns: usize) -> Vec<Marked> {
    let mut marked = Vec::new();
    while let Some(first) = squares.iter().position(|&differs| differs) {
        let mut reached = vec![first];
        squares[first] = false;
        let mut all = rectangle(first, columns);
        while let Some(at) = reached.pop() {
            all = around(all, rectangle(at, columns));
            for next in neighbours(at, columns, squares.len()) {
                if std::mem::take(&mut squares[next]) {
                    reached.push(next);
                }
            }
        }
        marked.push(all);
    }
    marked
}

fn rectangle(square: usize, columns: usize) -> Marked {
    Marked {
        left: square % columns * SQUARE,
        top: square / columns * SQUARE,
        width: SQUARE,
        height: SQUARE,
    }
}

fn around(a: Marked, b: Marked) -> Marked {
    let (left, top) = (a.left.min(b.left), a.top.min(b.top));
    let right = (a.left + a.width).max(b.left + b.width);
    let bottom = (a.top + a.height).max(b.top + b.height);
    Marked { left, top, width: right - left, height: bottom - top }
}

fn neighbours(square: usize, columns: usize, count: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (square % columns, square / columns);
    let across = x.saturating_sub(1)..(x + 2).min(columns);
    let down = y.saturating_sub(1)..(y + 2).min(count / columns);
    down.flat_map(move |y| across.clone().map(move |x| y * columns + x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, dark: impl Fn(u32, u32) -> bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let pixels: Vec<u8> = (0..width * height)
            .flat_map(|at| [if dark(at % width, at / width) { 0 } else { 255 }; 3])
            .collect();
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&pixels).expect("a picture");
        drop(writer);
        bytes
    }

    #[test]
    fn equal_pictures_have_no_marks() {
        let picture = png(40, 40, |_, _| false);
        let marks = compare_pictures(&picture, &picture).expect("pictures");
        assert_eq!((marks.pixels, marks.marked), (0, Vec::new()));
    }

    #[test]
    fn each_place_that_differs_is_marked() {
        let before = png(100, 100, |_, _| false);
        let after = png(100, 100, |x, y| (x < 20 && y < 3) || (x == 99 && y == 99));
        let marks = compare_pictures(&before, &after).expect("pictures");
        assert_eq!(marks.pixels, 61);
        assert_eq!(
            marks.marked,
            [
                Marked { left: 0, top: 0, width: 32, height: 16 },
                Marked { left: 96, top: 96, width: 4, height: 4 },
            ]
        );
    }

    #[test]
    fn what_only_one_picture_has_differs() {
        let (small, large) = (png(32, 16, |_, _| false), png(32, 32, |_, _| false));
        let marks = compare_pictures(&small, &large).expect("pictures");
        assert_eq!(marks.marked, [Marked { left: 0, top: 16, width: 32, height: 16 }]);
    }

    #[test]
    fn what_is_no_picture_is_not_compared() {
        assert_eq!(compare_pictures(b"no picture", &png(1, 1, |_, _| true)), None);
    }
}
