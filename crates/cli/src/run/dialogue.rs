//! Who moves next, asked step by step.

use crate::error::Error;
use crate::screen::Screen;
use mazurka_engine::Program;
use mazurka_engine::explain::{ByHand, Offer};
use mazurka_report::offer;
use std::io::{BufRead, stdin};

const HELP: &str = "  N        the move with this number
  back     take the last step back; back N: the last N
  other    take the last step back, make another move there, and go on as before as far as that is possible
  go       go on to the end with few switches
  quit     stop here
";

/// What somebody said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Move(usize),
    Back(usize),
    Other,
    Go,
    Help,
    Quit,
}

/// Asks until the execution is over, or nobody answers any more.
pub fn hold<P: Program>(by_hand: &mut ByHand<'_, P>, screen: &Screen) -> Result<(), Error> {
    let mut lines = stdin().lock().lines();
    loop {
        let offers = by_hand.offers();
        screen.print(&question(by_hand, &offers))?;
        // At the end of an execution one may still want to go back.
        let line = match lines.next() {
            Some(line) => line.map_err(|source| Error::Read { path: "-".into(), source })?,
            None => return Ok(()),
        };
        match answer(&line) {
            Some(Answer::Move(number)) if (1..=offers.len()).contains(&number) => {
                by_hand.take(&offers[number - 1]);
            }
            Some(Answer::Back(steps)) => by_hand.back(steps),
            Some(Answer::Other) => other(by_hand, screen)?,
            Some(Answer::Go) => by_hand.go_on(),
            Some(Answer::Quit) => return Ok(()),
            Some(Answer::Help) => screen.print(HELP)?,
            Some(Answer::Move(_)) | None => {
                let text = format!("there is no answer `{}`; these are:\n{HELP}", line.trim());
                screen.print(&text)?;
            }
        }
    }
}

/// Another move in the place of the last one, then what was done before.
fn other<P: Program>(by_hand: &mut ByHand<'_, P>, screen: &Screen) -> Result<(), Error> {
    by_hand.back(1);
    let offers = by_hand.offers();
    match offers.iter().find(|offer| !by_hand.was_done(offer)) {
        Some(offer) => {
            by_hand.take(offer);
            by_hand.go_on();
            Ok(())
        }
        None => {
            by_hand.go_on();
            screen.print("nobody else could move there\n")
        }
    }
}

fn question<P: Program>(by_hand: &ByHand<'_, P>, offers: &[Offer]) -> String {
    let steps = by_hand.steps();
    if offers.is_empty() {
        return format!("after step {steps} nobody can move (back, other, quit)\n? ");
    }
    let mut out = format!("step {}: who moves? (number, back, other, go, quit, help)\n", steps + 1);
    for (at, it) in offers.iter().enumerate() {
        out.push_str(&format!("{:>4}  {}\n", at + 1, offer(&it.event)));
    }
    out + "? "
}

fn answer(line: &str) -> Option<Answer> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["back" | "b"] => Some(Answer::Back(1)),
        ["back" | "b", steps] => steps.parse().ok().map(Answer::Back),
        ["other" | "o"] => Some(Answer::Other),
        ["go" | "g"] => Some(Answer::Go),
        ["help" | "h" | "?"] => Some(Answer::Help),
        ["quit" | "q" | "exit"] => Some(Answer::Quit),
        [number] => number.parse().ok().map(Answer::Move),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        assert_eq!(answer(" 3 "), Some(Answer::Move(3)));
        assert_eq!(answer("back"), Some(Answer::Back(1)));
        assert_eq!(answer("b 4"), Some(Answer::Back(4)));
        assert_eq!(answer("other"), Some(Answer::Other));
        assert_eq!(answer("go"), Some(Answer::Go));
        assert_eq!(answer("q"), Some(Answer::Quit));
        assert_eq!(answer(""), None);
        assert_eq!(answer("go away"), None);
    }
}
