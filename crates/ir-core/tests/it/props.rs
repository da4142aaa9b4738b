//! Properties of random graphs.

use proptest::prelude::*;
use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{
    StructuralEqual, Value, mismatches, post_order_mutate, structural_equal, structural_hash,
};

use tvmscript_toy_nodes::graphs::{build, choices};
use tvmscript_toy_nodes::*;

const MAPPED: StructuralEqual = StructuralEqual { map_free_vars: true, skip_tensor_content: false };

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hash_agrees_with_equality(a in choices(), b in choices()) {
        let (x, y) = (build(&a, true), build(&b, true));
        let equal = structural_equal(&x, &y);
        // Free variables count by order in the hash, so it agrees with equality up to them.
        let mapped = MAPPED.compare(&x, &y);
        prop_assert_eq!(mapped, structural_hash(&x) == structural_hash(&y));
        prop_assert!(mapped || !equal);
        prop_assert_eq!(equal, structural_equal(&y, &x));
        prop_assert_eq!(equal, mismatches(&x, &y).is_empty());
    }

    #[test]
    fn a_second_build_is_equal(a in choices()) {
        let (x, y) = (build(&a, true), build(&a, true));
        prop_assert!(structural_equal(&x, &y));
        prop_assert_eq!(mismatches(&x, &y), []);
        prop_assert_eq!(structural_hash(&x), structural_hash(&y));
    }

    #[test]
    fn json_reads_back(a in choices()) {
        let x = build(&a, true);
        let registry = registry();
        let text = native::save(&Value::Node(x.clone()));
        let y = native::load(&text, &registry).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(MAPPED.compare_values(&Value::Node(x), &y));
        prop_assert_eq!(text, native::save(&y));
    }

    #[test]
    fn an_idle_mutator_gives_the_same_pointer(a in choices(), hold in any::<bool>()) {
        let x = build(&a, true);
        let (address, before) = (x.address(), structural_hash(&x));
        let held = hold.then(|| x.clone());
        let y = post_order_mutate(x, |_| None).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(y.address(), address);
        prop_assert_eq!(structural_hash(&y), before);
        drop(held);
    }

    /// Other sharing leaves equality and hash in step with each other; it may separate binders, so equality is not
    /// certain.
    #[test]
    fn sharing_does_not_set_hash_and_equality_apart(a in choices()) {
        let (x, y) = (build(&a, true), build(&a, false));
        prop_assert_eq!(structural_equal(&x, &y), mismatches(&x, &y).is_empty());
        if structural_equal(&x, &y) {
            prop_assert_eq!(structural_hash(&x), structural_hash(&y));
        }
        prop_assert!(structural_equal(&y, &build(&a, false)));
    }
}
