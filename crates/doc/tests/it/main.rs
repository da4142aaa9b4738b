//! Tests of documents, their text in Python and in other languages, and underlines.

mod depth;
mod python_docs;
mod python_literals;
mod python_parentheses;
mod python_widths;
mod targets;
mod underline;
