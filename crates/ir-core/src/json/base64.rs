//! Base64 of tensor data: the standard alphabet, with padding.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, PAD};

const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// Encodes bytes.
pub fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

/// Decodes a text; nothing if it is not padded base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    ENGINE.decode(text).ok()
}
