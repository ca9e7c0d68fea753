//! Colours, or none.

use anstyle::{AnsiColor, Style};

/// What a piece of text is, from which its colour follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A heading or a name that stands out.
    Strong,
    /// Something went wrong.
    Bad,
    /// Everything is as it should be.
    Good,
    /// Neither good nor bad, but to be noticed.
    Caution,
    /// Of less interest than what stands beside it.
    Faint,
    /// A message is posted or begins, a thread is started or awaited.
    Control,
}

/// Paints text by its role, or leaves it as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    colours: bool,
}

impl Palette {
    /// Leaves everything as it is.
    pub const PLAIN: Palette = Palette { colours: false };
    /// Uses the terminal's colours.
    pub const COLOURS: Palette = Palette { colours: true };

    /// The text with its colour.
    pub fn paint(self, role: Role, text: &str) -> String {
        if !self.colours || text.is_empty() {
            return text.to_owned();
        }
        let style = style(role);
        format!("{style}{text}{style:#}")
    }
}

fn style(role: Role) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match role {
        Role::Strong => Style::new().bold(),
        Role::Bad => colour(AnsiColor::Red).bold(),
        Role::Good => colour(AnsiColor::Green).bold(),
        Role::Caution => colour(AnsiColor::Yellow).bold(),
        Role::Faint => Style::new().dimmed(),
        Role::Control => colour(AnsiColor::Cyan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_palette_adds_nothing() {
        assert_eq!(Palette::PLAIN.paint(Role::Bad, "x"), "x");
    }

    #[test]
    fn colours_are_taken_back_after_the_text() {
        assert_eq!(Palette::COLOURS.paint(Role::Strong, "x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
