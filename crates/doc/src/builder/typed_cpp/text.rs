//! Texts in pieces, so that a text that becomes part of many others is written once.

/// A text of a [`Texts`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Text(usize);

#[derive(Debug)]
enum Piece {
    Leaf(String),
    Joined(Vec<Text>),
}

/// Texts and what they consist of.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pieces: Vec<Piece>,
}

impl Texts {
    pub(super) fn leaf(&mut self, text: impl Into<String>) -> Text {
        self.push(Piece::Leaf(text.into()))
    }

    pub(super) fn joined(&mut self, texts: Vec<Text>) -> Text {
        self.push(Piece::Joined(texts))
    }

    /// The texts with a separator between them.
    pub(super) fn list(&mut self, texts: impl IntoIterator<Item = Text>) -> Text {
        let separator = self.leaf(", ");
        let mut parts = Vec::new();
        for text in texts {
            if !parts.is_empty() {
                parts.push(separator);
            }
            parts.push(text);
        }
        self.joined(parts)
    }

    fn push(&mut self, piece: Piece) -> Text {
        self.pieces.push(piece);
        Text(self.pieces.len() - 1)
    }

    /// Writes a text, and forgets all.
    pub(super) fn take(&mut self, text: Text) -> String {
        let mut out = String::new();
        let mut rest = vec![text];
        while let Some(Text(index)) = rest.pop() {
            match self.pieces.get(index) {
                Some(Piece::Leaf(leaf)) => out.push_str(leaf),
                Some(Piece::Joined(parts)) => rest.extend(parts.iter().rev()),
                None => {}
            }
        }
        self.pieces.clear();
        out
    }
}
