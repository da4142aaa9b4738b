//! Imports of mutated models of each format: of the fixtures, and with `FUZZ_SECONDS` of the large corpus, too.

use std::path::{Path, PathBuf};

use prost::encoding::{decode_varint, encode_varint};
use tvmscript::frontend::Format;
use tvmscript_test_texts::{Random, corpus, files_below, number, unzip, zip};
use tvmscript_tests::json_changes;

use crate::fuzz_targets::{campaign_with, targets};

/// Maximum size of a model, to limit the time.
const MAX_BYTES: usize = 20_000;

/// The models of a format.
fn models(extensions: &[&str]) -> Vec<Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models");
    let mut folders = vec![fixtures];
    if number("FUZZ_SECONDS", 0) > 0 {
        folders.push(corpus().join("frontends"));
    }
    let files =
        |folder: &PathBuf| extensions.iter().flat_map(|of| files_below(folder, of)).collect::<Vec<_>>();
    let read = |file: PathBuf| std::fs::read(file).unwrap();
    folders.iter().flat_map(files).map(read).filter(|model| model.len() <= MAX_BYTES).collect()
}

/// Numbers that make limits and overflows likely.
const NUMBERS: [u64; 14] = [
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    127,
    1 << 20,
    i32::MAX as u64,
    u32::MAX as u64,
    i64::MAX as u64,
    u64::MAX - 1,
    u64::MAX,
];

/// A number of a list or a small one.
fn any_number(random: &mut Random) -> u64 {
    match random.below(3) {
        0 => random.below(40) as u64,
        _ => NUMBERS[random.below(NUMBERS.len())],
    }
}

/// Overwrites, removes, inserts or moves bytes.
fn change_bytes(model: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut model = model.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(model.len());
        let number = any_number(random).to_le_bytes();
        match random.below(6) {
            0 => model.truncate(at),
            1 => drop(model.drain(at..(at + 1 + random.below(8)).min(model.len()))),
            2 => drop(model.splice(at..at, number)),
            3 => {
                let from = random.below(other.len());
                let part = &other[from..(from + 1 + random.below(64)).min(other.len())];
                let end = (at + part.len()).min(model.len());
                drop(model.splice(at..end, part.iter().copied()));
            }
            // Words of four bytes, as flat buffers have them, or single bytes.
            kind => {
                let (at, length) = if kind == 4 { (at & !3, 4) } else { (at, 1) };
                model.iter_mut().skip(at).take(length).zip(number).for_each(|(old, new)| *old = new);
            }
        }
    }
    model
}

// --- messages of Protocol Buffers -----------------------------------------------------------------------------------

/// A field: key, and number or content.
type Field = (u64, Result<u64, Vec<u8>>);

/// The fields of a message; `None` if the bytes are none.
fn fields(mut rest: &[u8]) -> Option<Vec<Field>> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let key = decode_varint(&mut rest).ok()?;
        let length = match key & 7 {
            0 => {
                found.push((key, Ok(decode_varint(&mut rest).ok()?)));
                continue;
            }
            1 => 8,
            2 => usize::try_from(decode_varint(&mut rest).ok()?).ok()?,
            5 => 4,
            _ => return None,
        };
        found.push((key, Err(rest.split_off(..length)?.to_vec())));
    }
    Some(found)
}

fn message(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, content) in fields {
        encode_varint(*key, &mut out);
        match content {
            Ok(value) => encode_varint(*value, &mut out),
            Err(bytes) => {
                if key & 7 == 2 {
                    encode_varint(bytes.len() as u64, &mut out);
                }
                out.extend(bytes);
            }
        }
    }
    out
}

/// Changes a field of a message or of one inside it: its number, its content, or which fields there are.
fn change_message(model: &[u8], other: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut all = fields(model).filter(|fields| !fields.is_empty())?;
    let theirs = fields(other).unwrap_or_default();
    let at = random.below(all.len());
    let (key, content) = &mut all[at];
    match content {
        Ok(value) => *value = any_number(random),
        Err(bytes) => {
            let same = theirs.iter().filter(|(other, _)| other == key).collect::<Vec<_>>();
            let same = same.get(random.below(same.len())).and_then(|(_, content)| content.as_ref().err());
            let inner = same.cloned().unwrap_or_default();
            let goes_inside = random.below(8) > 0;
            match change_message(bytes, &inner, random).filter(|_| goes_inside) {
                Some(changed) => *bytes = changed,
                None if key.wrapping_rem(8) != 2 => {
                    *bytes = any_number(random).to_le_bytes()[..bytes.len()].to_vec()
                }
                None => match random.below(5) {
                    0 => *bytes = change_bytes(bytes, &inner, random),
                    1 => *bytes = inner,
                    2 => bytes.clear(),
                    3 => drop(all.remove(at)),
                    _ => {
                        let field = all[random.below(all.len())].clone();
                        all.insert(at, field);
                    }
                },
            }
        }
    }
    Some(message(&all))
}

/// Changes fields of a message, seldom its bytes.
fn change_messages(model: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut changed = model.to_vec();
    for _ in 0..1 + random.below(3) {
        changed = change_message(&changed, other, random).unwrap_or(changed);
    }
    if random.below(10) == 0 { change_bytes(&changed, other, random) } else { changed }
}

/// Changes the program of an archive, seldom the archive.
fn change_archive(model: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    if random.below(10) == 0 {
        return change_bytes(model, other, random);
    }
    let mut entries = unzip(model);
    for (name, content) in &mut entries {
        if name.contains("models/") || name.ends_with(".json") && random.below(4) == 0 {
            let text = json_changes::change_structure(&String::from_utf8_lossy(content), random);
            *content = text.into_bytes();
        }
    }
    let entries: Vec<(&str, Vec<u8>)> =
        entries.iter().map(|(name, content)| (name.as_str(), content.clone())).collect();
    zip(&entries)
}

/// Changes a graph in either form.
fn change_graph(model: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    match fields(model) {
        Some(_) => change_messages(model, other, random),
        None => change_bytes(model, other, random),
    }
}

/// A check of a format's target on models.
fn target(format: Format) -> impl Fn(&Vec<u8>) {
    move |model| targets::import(format, model)
}

#[test]
fn models_of_the_fixtures_read_back() {
    let formats: [(Format, &[&str]); 4] = [
        (Format::Onnx, &["onnx"]),
        (Format::Torch, &["pt2"]),
        (Format::Tflite, &["tflite"]),
        (Format::TensorFlow, &["pb", "pbtxt"]),
    ];
    for (format, extensions) in formats {
        models(extensions).iter().for_each(target(format));
    }
}

#[test]
fn changed_onnx_models_import_or_err() {
    campaign_with("onnx", &models(&["onnx"]), 100, target(Format::Onnx), |model, other, random| {
        change_messages(model, other, random)
    });
}

#[test]
fn changed_programs_of_pytorch_import_or_err() {
    campaign_with("torch", &models(&["pt2"]), 100, target(Format::Torch), |model, other, random| {
        change_archive(model, other, random)
    });
}

#[test]
fn changed_tflite_models_import_or_err() {
    campaign_with("tflite", &models(&["tflite"]), 20, target(Format::Tflite), |model, other, random| {
        change_bytes(model, other, random)
    });
}

#[test]
fn changed_tensorflow_graphs_import_or_err() {
    campaign_with("tf", &models(&["pb", "pbtxt"]), 2, target(Format::TensorFlow), |model, other, random| {
        change_graph(model, other, random)
    });
}
