//! Which tokens stand close together.

use super::tree::Word;
use crate::token::TokenKind;

/// Does a blank stand between two words that follow each other on a line?
pub(super) fn blank_between(before: &Word<'_>, after: &Word<'_>) -> bool {
    use TokenKind::*;
    match (before.kind, after.kind) {
        (LineComment | BlockComment, _) | (_, LineComment | BlockComment) => true,
        (_, Semicolon | Comma | Colon | CloseParenthesis | CloseBracket | DotDot) => false,
        (OpenParenthesis | OpenBracket | DotDot, _) => false,
        (Word | CloseBracket, OpenBracket) | (Word, OpenParenthesis) => false,
        _ => !before.is_sign,
    }
}

/// Is a `-` or `!` behind this token the sign of what follows, and no operator between two operands?
pub(super) fn sign_may_follow(before: Option<TokenKind>) -> bool {
    use TokenKind::{CloseBracket, CloseParenthesis, False, Number, Text, True, Word};
    let ends_operand = [Word, Number, Text, True, False, CloseParenthesis, CloseBracket]
        .map(Some)
        .contains(&before);
    !ends_operand
}
