//! What the user does.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that a user does. Typing is one of these for each character.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Action {
    /// `click`, `type`, `press`, `hover`, or the event that is triggered.
    pub kind: String,
    /// The element, `None` for the one that has the focus.
    pub selector: Option<String>,
    /// The character or the key.
    pub text: Option<String>,
    /// Does it follow the one before without a pause?
    pub at_once: bool,
    /// The call in the page, with its arguments.
    pub call: (String, Vec<String>),
}

impl Action {
    fn new(kind: &'static str, selector: &str) -> Action {
        Action {
            kind: kind.to_owned(),
            selector: Some(selector.to_owned()),
            text: None,
            at_once: false,
            call: (kind.to_owned(), vec![selector.to_owned()]),
        }
    }

    /// An event of an element that has a handler for it.
    pub fn trigger(selector: &str, event: &str) -> Action {
        Action {
            kind: event.to_owned(),
            call: ("trigger".to_owned(), vec![selector.to_owned(), event.to_owned()]),
            ..Action::new("click", selector)
        }
    }

    /// What tells it apart from others in a report.
    pub fn name(&self) -> String {
        self.selector.clone().or_else(|| self.text.clone()).unwrap_or_default()
    }
}

/// Reads a list such as `[{"click": "#next"}, {"type": ["#q", "ab"]}, {"press": "Enter"}, {"hover": ".menu"}]`.
pub fn read(text: &str) -> Result<Vec<Action>, Error> {
    let list: Value =
        serde_json::from_str(text).map_err(|error| Error::Actions(error.to_string()))?;
    let list = list.as_array().ok_or_else(|| Error::Actions("a list is expected".to_owned()))?;
    let mut actions = Vec::new();
    for (number, one) in list.iter().enumerate() {
        let wrong = |what: &str| Error::Actions(format!("action {}: {what}", number + 1));
        let object = one.as_object().filter(|object| object.len() == 1);
        let Some((kind, value)) = object.and_then(|object| object.iter().next()) else {
            return Err(wrong("an object with one of click, type, press, hover is expected"));
        };
        match (kind.as_str(), value) {
            ("click", Value::String(selector)) => actions.push(Action::new("click", selector)),
            ("hover", Value::String(selector)) => actions.push(Action::new("hover", selector)),
            ("press", Value::String(key)) => actions.push(Action {
                selector: None,
                text: Some(key.clone()),
                ..Action::new("press", key)
            }),
            ("type", Value::Array(pair)) => match pair.as_slice() {
                [Value::String(selector), Value::String(text)] => {
                    actions.extend(typed(selector, text))
                }
                _ => return Err(wrong("type takes a selector and a text")),
            },
            ("click" | "hover" | "press" | "type", _) => return Err(wrong("a text is expected")),
            (other, _) => {
                return Err(wrong(&format!(
                    "there is no action `{other}`; there are click, type, press and hover"
                )));
            }
        }
    }
    Ok(actions)
}

/// People type quickly: nothing comes between two characters unless it is put there.
fn typed(selector: &str, text: &str) -> Vec<Action> {
    let characters = text.chars().enumerate();
    let action = |(number, character): (usize, char)| Action {
        text: Some(character.to_string()),
        at_once: number > 0,
        call: ("type".to_owned(), vec![selector.to_owned(), character.to_string()]),
        ..Action::new("type", selector)
    };
    characters.map(action).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_manual() {
        let text = r##"[{"click": "#next"}, {"type": ["#q", "ab"]}, {"press": "Enter"}, {"hover": ".menu"}]"##;
        let actions = read(text).expect("it is right");
        let names: Vec<_> =
            actions.iter().map(|action| (action.kind.as_str(), action.name())).collect();
        assert_eq!(names.len(), 5);
        assert_eq!(names[0], ("click", "#next".to_owned()));
        assert_eq!(names[3], ("press", "Enter".to_owned()));
        assert_eq!((actions[1].at_once, actions[2].at_once), (false, true));
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| read(text).expect_err("it is wrong").to_string();
        assert!(said("{}").contains("a list is expected"));
        assert!(said(r#"[{"tap": "x"}]"#).contains("no action `tap`"));
        assert!(said(r#"[{"click": 3}]"#).contains("action 1: a text"));
        assert!(said(r##"[{"type": ["#q"]}]"##).contains("a selector and a text"));
    }
}
