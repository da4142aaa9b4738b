//! Random graphs.

use proptest::prelude::*;
use tvmscript_ir_core::{StructuralEqual, Value};
use tvmscript_tvm_json::{load, save};

use tvmscript_toy_nodes::graphs::{build, choices};
use tvmscript_toy_nodes::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_reads_back(choices in choices()) {
        let fail = |error: &dyn std::fmt::Display| TestCaseError::fail(error.to_string());
        let mapped = StructuralEqual { map_free_vars: true, skip_tensor_content: false };
        let value = Value::Node(build(&choices, true));
        let text = save(&value).map_err(|e| fail(&e))?;
        let read = load(&text, &registry()).map_err(|e| fail(&e))?;
        prop_assert!(mapped.compare_values(&value, &read));
        prop_assert_eq!(text, save(&read).map_err(|e| fail(&e))?);
    }
}
