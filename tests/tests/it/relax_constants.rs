//! Constants without the metadata section: their text reads back.

use tvmscript::ir::constants::{ConstantStore, StoreError};
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::containers::{Tensor, TensorNode};
use tvmscript::ir_core::equal::structural_equal;
use tvmscript::ir_core::tensor::byte_count;
use tvmscript::ir_core::{ContentHash, DataType};
use tvmscript::{
    Object, ParseOptions, PrinterConfig, Ref, Registry, parse, print, registry, registry_builder,
    structural_hash, to_json, to_tvm_json,
};

/// Parses a text with a registry and returns its function.
fn read_with(text: &str, registry: &Registry) -> Object {
    let parsed = parse("constants", text, registry, &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
    parsed.scripts.into_iter().next().expect("one function").node
}

fn with(store: ConstantStore) -> Registry {
    registry_builder().with(store.dialect()).build().expect("no dialect clashes")
}

/// A tensor whose bytes are all different.
fn tensor(dtype: &str, shape: &[i64]) -> Tensor {
    let dtype: DataType = dtype.parse().expect("a type");
    let count = byte_count(shape, dtype).expect("a small tensor");
    let is_bool = dtype.is_bool();
    let data = (0..count).map(|i| if is_bool { (i % 2) as u8 } else { (i * 37 + 1) as u8 });
    Ref::new(TensorNode { dtype, shape: shape.into(), data: data.collect() })
}

/// A function that contains a tensor.
fn function_of(tensor: &Tensor) -> Object {
    let mut store = ConstantStore::new();
    let hash = store.insert(tensor.clone()).expect("a whole tensor");
    let dims: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
    let shape = format!("[{}]", dims.join(", "));
    let text = format!(
        "@R.function\ndef f(x: R.Object):\n    y = (R.elided_const(\"{hash}\", {shape}, \"{}\"), x)\n    return y\n",
        tensor.dtype
    );
    read_with(&text, &with(store))
}

const DTYPES: &[&str] = &[
    "bool",
    "int4",
    "uint4",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float4_e2m1fn",
    "float32x4",
];

#[test]
fn constants_of_every_type_read_back() {
    for dtype in DTYPES {
        for shape in [&[][..], &[5], &[2, 3], &[0], &[2, 0]] {
            let function = function_of(&tensor(dtype, shape));
            for show_meta in [false, true] {
                let config = PrinterConfig { show_meta, ..PrinterConfig::default() };
                let text = print(&function, registry(), &config).expect("it prints");
                let again = read_with(&text, registry());
                assert!(structural_equal(&again, &function), "{dtype} {shape:?}\n{text}");
                let twice = print(&again, registry(), &config).expect("it prints");
                assert_eq!(twice, text);
            }
            let json =
                tvmscript::from_tvm_json(&to_tvm_json(&function).expect("a whole function"), registry())
                    .expect("it loads");
            assert!(structural_equal(&json, &function), "{dtype} {shape:?}");
        }
    }
}

#[test]
fn nans_of_other_bits_keep_them() {
    let bits: Vec<u8> =
        [0x7fc0_0000u32, 0x7fc0_0001, 0xffc0_0000].iter().flat_map(|b| b.to_le_bytes()).collect();
    let tensor = Ref::new(TensorNode { dtype: DataType::FLOAT32, shape: Box::new([3]), data: bits.into() });
    let function = function_of(&tensor);
    let text = print(&function, registry(), &PrinterConfig::default()).expect("it prints");
    assert!(structural_equal(&read_with(&text, registry()), &function), "{text}");
}

#[test]
fn constants_that_are_left_out_are_found_by_their_content() {
    let function = function_of(&tensor("float32", &[8, 8]));
    let options = ConstantOptions { elide: Some(63) };
    for show_meta in [false, true] {
        let config = PrinterConfig { show_meta, ..PrinterConfig::default() }.with_part(options.clone());
        let text = print(&function, registry(), &config).expect("it prints");
        assert!(text.contains("R.elided_const(") && text.len() < 400, "{text}");
        // Without the constants, the text equals the whole program and prints the same.
        let short = read_with(&text, registry());
        assert!(structural_equal(&short, &function) && structural_equal(&function, &short), "{text}");
        assert_eq!(structural_hash(&short), structural_hash(&function));
        for options in [ConstantOptions::default(), options.clone()] {
            let config = PrinterConfig { show_meta, ..PrinterConfig::default() }.with_part(options);
            assert_eq!(print(&short, registry(), &config).expect("it prints"), text);
        }
        let json = tvmscript::from_json(&to_json(&short), registry()).expect("it loads");
        assert!(structural_equal(&json, &short));
        // Operations that need the elements fail.
        let error = to_tvm_json(&short).expect_err("no elements");
        assert!(error.to_string().contains("--constants FILE"), "{error}");
        assert!(ConstantStore::of_nodes(&short, 63).is_err());
        // With the constants, it is the original function.
        let store = ConstantStore::of_nodes(&function, 63).expect("a whole function");
        assert_eq!(store.len(), 1);
        let store = ConstantStore::from_json(&store.to_json(), registry()).expect("its own JSON");
        assert!(structural_equal(&read_with(&text, &with(store)), &function), "{text}");
        // With other constants, it is an error.
        let mut others = ConstantStore::new();
        others.insert(tensor("float32", &[4])).expect("a whole tensor");
        let parsed = parse("constants", &text, &with(others), &ParseOptions::default());
        assert!(parsed.errors[0].to_string().contains("is not among the 1 given"), "{:?}", parsed.errors);
    }
    let all = ConstantOptions { elide: Some(64) };
    let text = print(&function, registry(), &PrinterConfig::default().with_part(all)).expect("it prints");
    assert!(!text.contains("elided_const"), "{text}");
}

#[test]
fn a_constant_that_was_changed_is_not_taken() {
    let mut store = ConstantStore::new();
    let hash = store.insert(tensor("int32", &[3])).expect("a whole tensor");
    let changed = store.to_json().replace("int32", "uint32");
    match ConstantStore::from_json(&changed, registry()) {
        Err(StoreError::Changed { name, found }) => {
            assert_eq!(name, hash.to_string());
            assert_ne!(found, hash);
        }
        other => panic!("{other:?}"),
    }
}

/// Hashes of constants must not change between versions, since files contain them.
#[test]
fn the_hash_of_a_content_stays() {
    let tensor = TensorNode { dtype: DataType::FLOAT32, shape: Box::new([2]), data: [0; 8].into() };
    let hash = ContentHash::of(&tensor).to_string();
    assert_eq!(hash, "e6c274db3b5da67922782fe49b0e313862d722f67e0deb9195d9bd7e9565d25b");
}

#[test]
fn constants_print_as_lists_where_there_is_no_metadata() {
    let text = std::fs::read_to_string(tvmscript_tests::folder("ok").join("relax_constants.py"))
        .expect("the fixture is there");
    let read = |text: &str| {
        let scripts = tvmscript_tests::parse("constants", text).unwrap_or_else(|e| panic!("{e:?}"));
        scripts.into_iter().next().expect("one function")
    };
    let function = read(&text);
    let plain = print(&function, registry(), &PrinterConfig::default()).expect("it prints");
    assert!(plain.contains("R.const([[1.0, -0.0], [\"nan\", \"inf\"]], \"float32\")"), "{plain}");
    assert!(!plain.contains("metadata"), "{plain}");
    assert!(structural_equal(&read(&plain), &function), "{plain}");
}

#[test]
fn constants_of_scalar_functions_are_left_out_alike() {
    let whole = "@T.prim_func\ndef f(A: T.Buffer((3,), \"int32\")):\n    K = T.allocate_const([1, 2, 3], \"int32\", [3])\n    B = T.Buffer((3,), \"int32\", data=K)\n    A[0] = B[1]\n";
    let function = read_with(whole, registry());
    let config = PrinterConfig::default().with_part(ConstantOptions { elide: Some(2) });
    let text = print(&function, registry(), &config).expect("it prints");
    assert!(text.contains("T.allocate_const(T.elided_const(\""), "{text}");
    let short = read_with(&text, registry());
    assert!(structural_equal(&short, &function), "{text}");
    assert_eq!(structural_hash(&short), structural_hash(&function));
    assert_eq!(print(&short, registry(), &PrinterConfig::default()).expect("it prints"), text);
    let other = read_with(&whole.replace("2, 3]", "2, 4]"), registry());
    assert!(!structural_equal(&short, &other));
    let store = ConstantStore::of_nodes(&function, 2).expect("a whole function");
    let again = read_with(&text, &with(store));
    assert_eq!(
        print(&again, registry(), &PrinterConfig::default()).expect("it prints"),
        print(&function, registry(), &PrinterConfig::default()).expect("it prints")
    );
}
