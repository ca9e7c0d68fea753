//! Values as JSON, for the page and for the reports of Rust tests.
//!
//! Everything else here uses `serde`. That takes longer to compile than all that a Rust test needs of this crate, and what is
//! written here is a handful of plain records, so they are written by hand.

/// A value that can be written as JSON.
pub trait Written {
    /// Writes it behind what is there.
    fn write(&self, out: &mut String);

    /// Is there nothing to say? Then a field that may be missing is left out.
    fn is_nothing(&self) -> bool {
        false
    }
}

/// The value as JSON.
pub fn to_json(value: &impl Written) -> String {
    let mut out = String::new();
    value.write(&mut out);
    out
}

/// Writes the text between quotes.
impl Written for str {
    fn write(&self, out: &mut String) {
        out.push('"');
        for character in self.chars() {
            match character {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                control if control < ' ' => {
                    out.push_str(&format!("\\u{:04x}", u32::from(control)));
                }
                other => out.push(other),
            }
        }
        out.push('"');
    }
}

impl Written for String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl Written for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }

    fn is_nothing(&self) -> bool {
        !self
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Written for $number {
            fn write(&self, out: &mut String) {
                out.push_str(&self.to_string());
            }
        }
    )*};
}
numbers!(usize u32 u64 i64);

/// What is no number has no name in JSON.
impl Written for f64 {
    fn write(&self, out: &mut String) {
        if self.is_finite() {
            out.push_str(&self.to_string());
        } else {
            None::<bool>.write(out);
        }
    }
}

impl<T: Written + ?Sized> Written for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }

    fn is_nothing(&self) -> bool {
        (**self).is_nothing()
    }
}

impl<T: Written> Written for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }

    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

impl<T: Written> Written for [T] {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, value) in self.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            value.write(out);
        }
        out.push(']');
    }

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Written> Written for Vec<T> {
    fn write(&self, out: &mut String) {
        self.as_slice().write(out);
    }

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<A: Written, B: Written> Written for (A, B) {
    fn write(&self, out: &mut String) {
        out.push('[');
        self.0.write(out);
        out.push(',');
        self.1.write(out);
        out.push(']');
    }
}

/// An object in the making.
#[doc(hidden)]
pub struct Fields<'a> {
    out: &'a mut String,
    before: char,
}

impl<'a> Fields<'a> {
    /// An object without fields.
    pub fn new(out: &'a mut String) -> Self {
        Self { out, before: '{' }
    }

    /// One more field.
    pub fn field(&mut self, name: &str, value: &(impl Written + ?Sized)) {
        self.out.push(self.before);
        self.before = ',';
        name.write(self.out);
        self.out.push(':');
        value.write(self.out);
    }

    /// No more fields.
    pub fn end(self) {
        if self.before == '{' {
            self.out.push('{');
        }
        self.out.push('}');
    }
}

/// Writes a struct as an object: first the fields that are always there, then, after `maybe`, those that are left out where they
/// say nothing. A field that is forgotten does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! written_object {
    ($type:ty { $($always:ident),* $(; maybe $($maybe:ident),*)? }) => {
        impl $crate::written::Written for $type {
            fn write(&self, out: &mut String) {
                let Self { $($always,)* $($($maybe,)*)? } = self;
                let mut fields = $crate::written::Fields::new(out);
                $(fields.field(stringify!($always), $always);)*
                $($(if !$crate::written::Written::is_nothing($maybe) {
                    fields.field(stringify!($maybe), $maybe);
                })*)?
                fields.end();
            }
        }
    };
}

/// Writes an enum as the names of its variants.
macro_rules! written_names {
    ($type:ty { $($variant:ident = $name:literal),* $(,)? }) => {
        impl $crate::written::Written for $type {
            fn write(&self, out: &mut String) {
                let name = match self { $(Self::$variant => $name),* };
                name.write(out);
            }
        }
    };
}
pub(crate) use written_names;

#[cfg(test)]
mod tests {
    use super::*;

    struct Record {
        name: String,
        numbers: Vec<usize>,
        pair: Option<(usize, bool)>,
    }
    written_object!(Record { name, numbers; maybe pair });

    #[test]
    fn what_is_written_is_read_by_others_as_it_was() {
        let text = "a \"quoted\" \\ line\nand \u{1}\t é 漢 \u{2028}";
        let record = Record { name: text.to_owned(), numbers: vec![], pair: Some((7, true)) };
        let read: serde_json::Value = serde_json::from_str(&to_json(&record)).expect("it is JSON");
        let wanted = serde_json::json!({ "name": text, "numbers": [], "pair": [7, true] });
        assert_eq!(read, wanted);
    }

    #[test]
    fn fields_that_say_nothing_can_be_left_out() {
        let record = Record { name: String::new(), numbers: vec![1, 2], pair: None };
        assert_eq!(to_json(&record), r#"{"name":"","numbers":[1,2]}"#);
    }
}
