//! The fenced blocks of a Markdown page.

/// A fenced block.
pub struct Block {
    /// The word behind the fence.
    pub language: String,
    /// The name behind `file=`.
    pub file: Option<String>,
    /// The first line of its text, counted from 0.
    pub start: usize,
    /// One past its last line.
    pub end: usize,
}

/// The blocks of a page, in order.
pub fn blocks(lines: &[String]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in lines.iter().enumerate() {
        let Some(info) = line.strip_prefix("```") else { continue };
        match open.take() {
            None => open = Some(opened(info, number + 1)),
            Some(block) => blocks.push(Block { end: number, ..block }),
        }
    }
    assert!(open.is_none(), "a block is never closed");
    blocks
}

fn opened(info: &str, start: usize) -> Block {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or_default().to_owned();
    let file = words.find_map(|word| word.strip_prefix("file=")).map(str::to_owned);
    Block { language, file, start, end: start }
}
