//! Tensor expressions: schedules with their record, pictures of them, and functions of TIR.

use serde_json::Value;
use tvmscript::prim::{Expr, IntImm};
use tvmscript::te::script::{FileError, schedule_of_file};
use tvmscript::te::tedd::{Model, Picture, text};
use tvmscript::te::{Attach, Schedule, Table, TeError};
use tvmscript::{Object, ParseOptions, PrinterConfig, parse, print, registry};

const GEMM: &str = include_str!("../../vectors/tedd/gemm.py");

fn schedule(program: &str) -> Schedule {
    let options = ParseOptions::default();
    match schedule_of_file("program.py", program, registry(), options, None) {
        Ok(schedule) => schedule,
        Err(FileError::Script(errors)) => panic!("{errors:?}"),
        Err(error) => panic!("{error}"),
    }
}

fn primitives(schedule: &Schedule) -> Vec<&str> {
    schedule.record().iter().map(|record| record.primitive).collect()
}

fn expr_text(expr: &Expr) -> String {
    text(expr.object(), registry())
}

#[test]
fn p92_22_the_schedule_of_the_rfc_has_eight_records() {
    let gemm = schedule(GEMM);
    let expected = ["vanilla", "split", "split", "reorder", "split", "reorder", "vectorize", "parallel"];
    assert_eq!(primitives(&gemm), expected);
    // Without the option, nothing is kept.
    let plain = Schedule::new(gemm.outputs());
    assert!(plain.record().is_empty());
    assert_eq!(primitives(&Schedule::new(&[]).keep_record()), ["vanilla"]);
}

#[test]
fn p92_23_a_refused_primitive_leaves_no_record_and_changes_nothing() {
    let mut gemm = schedule(GEMM);
    let before = Table::of(&gemm, expr_text);
    let (id, stage) = gemm.stages().last().expect("a stage");
    let split = stage.all_iters[0].clone();
    let (outer, inner) = (stage.leaf_iters[0].clone(), stage.leaf_iters[2].clone());
    let is_not_a_leaf = |error| matches!(error, TeError::NotALeaf { .. });
    assert!(is_not_a_leaf(gemm.split(id, &split, IntImm::int32(2)).expect_err("it is split already")));
    assert!(is_not_a_leaf(gemm.parallel(id, &split).expect_err("it is no loop")));
    assert!(matches!(gemm.fuse(id, &[outer.clone(), inner]), Err(TeError::NotConsecutive { .. })));
    assert!(matches!(gemm.reorder(id, &[outer.clone(), outer]), Err(TeError::Twice { .. })));
    assert_eq!(Table::of(&gemm, expr_text), before);
    let text = format!("{GEMM}s[C].split(k, factor=2)\n");
    let error = schedule_of_file("gemm.py", &text, registry(), ParseOptions::default(), None);
    let Err(FileError::Script(errors)) = error else { panic!("a split variable is refused") };
    assert!(errors[0].to_string().contains("`k` is not a loop of the stage `C`"), "{errors:?}");
}

#[test]
fn p92_25_pictures_are_those_of_tvm() {
    let cases = include_str!("../../vectors/tedd.jsonl").lines();
    let cases: Vec<Value> = cases.map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(cases.len(), 12);
    for case in cases {
        let program = match case["case"].as_str() {
            Some("gemm") => GEMM,
            Some("softmax") => include_str!("../../vectors/tedd/softmax.py"),
            Some("fuse_bind") => include_str!("../../vectors/tedd/fuse_bind.py"),
            _ => include_str!("../../vectors/tedd/rowsum.py"),
        };
        let picture = match case["diagram"].as_str() {
            Some("schedule_tree") => Picture::ScheduleTree,
            Some("itervar") => Picture::IterVarRelationship,
            _ => Picture::Dataflow,
        };
        let schedule = schedule(program);
        let record = &schedule.record()[case["record"].as_u64().expect("a number") as usize];
        assert_eq!(Some(record.primitive), case["primitive"].as_str());
        let dot = picture.dot(&Model::of_te(&record.schedule, registry()));
        assert_eq!(Some(dot.as_str()), case["dot"].as_str(), "{}", case["id"]);
    }
}

const CHAIN: &str = "from tvm import te
A = te.placeholder((64, 64), name=\"A\")
B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name=\"B\")
C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name=\"C\")
s = te.create_schedule(C.op)
";

#[test]
fn p92_25_compute_at_moves_a_stage_under_the_loop_of_another() {
    let moved = schedule(&format!("{CHAIN}s[B].compute_at(s[C], C.op.axis[0])\n"));
    let [before, after] = moved.record() else { panic!("two records") };
    let tree = |schedule: &Schedule| Picture::ScheduleTree.dot(&Model::of_te(schedule, registry()));
    assert!(tree(&before.schedule).contains("\tStage_1 -> ROOT "));
    assert!(tree(&after.schedule).contains("\tStage_1 -> Stage_2:IterVar_2_0 [color=\"#922B21\"]"));
    // The stage that moved is marked, and only it.
    let both = [&before.schedule, &after.schedule].map(|schedule| Model::of_te(schedule, registry()));
    let compared = Picture::ScheduleTree.compare(&both[0], &both[1]);
    let marked: Vec<&str> = compared.lines().filter(|line| line.contains("BORDER=\"2\"")).collect();
    assert_eq!(marked.len(), 2, "{compared}");
    assert!(marked.iter().all(|line| line.contains("Stage_1 ")), "{compared}");
    // The loop that it is attached to is split afterwards.
    let text = format!("{CHAIN}s[B].compute_at(s[C], C.op.axis[0])\ns[C].split(C.op.axis[0], 8)\n");
    let normal = schedule(&text).normalize().expect("a schedule");
    let attached = normal.stages().find_map(|(_, stage)| match &stage.attach {
        Attach::At(_, iter) => Some(iter.var.name.get().to_string()),
        _ => None,
    });
    assert_eq!(attached.as_deref(), Some("i.inner"));
}

#[test]
fn p92_26_the_table_of_a_record_reads_back_and_makes_the_same_schedule() {
    let gemm = schedule(GEMM);
    let table = Table::of(&gemm, expr_text);
    let printed = table.to_string();
    assert!(printed.contains("\n4      | split     | C     | k, 8 "), "{printed}");
    let read = Table::parse(&printed).expect("a table");
    assert_eq!(read, table);
    let mut again = Schedule::new(gemm.outputs()).keep_record();
    again.apply_table(&read).expect("the same primitives apply");
    for picture in Picture::ALL {
        let of = |schedule: &Schedule| picture.dot(&Model::of_te(schedule, registry()));
        assert_eq!(of(&again), of(&gemm));
    }
    // Separators in names.
    let mut odd = Table::default();
    odd.rows.push(tvmscript::te::Row {
        primitive: "a|b".to_owned(),
        arguments: vec!["f(x, [1, 2])".to_owned(), "a, b".to_owned(), "(\"".to_owned(), "\\".to_owned()],
        ..Default::default()
    });
    assert_eq!(Table::parse(&odd.to_string()).expect("a table"), odd);
}

#[test]
fn p92_31_records_share_the_stages_that_a_primitive_leaves_alone() {
    let moved = schedule(&format!("{CHAIN}s[C].split(C.op.axis[0], 8)\n"));
    let [before, after] = moved.record() else { panic!("two records") };
    let stages = |schedule: &Schedule| {
        schedule.stages().map(|(_, stage)| std::ptr::from_ref(stage)).collect::<Vec<_>>()
    };
    let shared: Vec<bool> = stages(&before.schedule)
        .iter()
        .zip(stages(&after.schedule))
        .map(|(one, other)| *one == other)
        .collect();
    assert_eq!(shared, [true, true, false]);
}

#[test]
fn caches_are_stages_that_readers_read() {
    let cached = schedule(&format!(
        "{CHAIN}AA = s.cache_read(A, \"shared\", [B])\nCL = s.cache_write(C, \"local\")\ns[B].compute_inline()\n"
    ));
    assert_eq!(primitives(&cached), ["vanilla", "set_scope", "set_scope", "compute_inline"]);
    let names = |schedule: &Schedule| -> Vec<String> {
        schedule.stages().map(|(_, stage)| format!("{} {}", stage.op.name, stage.scope)).collect()
    };
    assert_eq!(names(&cached), ["A global", "A.shared shared", "B global", "C.local local", "C global"]);
    let body = |schedule: &Schedule, name: &str| {
        let stage = schedule.stages().find(|(_, stage)| stage.op.name.as_str() == name).expect("a stage").1;
        text(stage.op.body().expect("a computation").object(), registry())
    };
    assert_eq!(body(&cached, "B"), "[A_shared[i, j] + T.float32(1.0)]".replace("A_shared", "A.shared"));
    assert_eq!(body(&cached, "C"), "[C.local[i, j]]");
    let normal = cached.normalize().expect("a schedule");
    assert_eq!(body(&normal, "C.local"), "[(A.shared[i_c, j_c] + T.float32(1.0)) * T.float32(2.0)]");
}

#[test]
fn a_file_names_its_schedule() {
    let of = |text: &str, select| schedule_of_file("a.py", text, registry(), ParseOptions::default(), select);
    assert!(matches!(of("x = 1\n", None), Err(FileError::NoSchedule)));
    let two = format!("{CHAIN}t = te.create_schedule(B.op)\nt[B].fuse(*B.op.axis)\n");
    assert!(matches!(of(&two, None), Err(FileError::Several { count: 2 })));
    assert_eq!(of(&two, Some("t")).map(|schedule| schedule.record().len()).ok(), Some(2));
    assert_eq!(of(&two, Some("s")).map(|schedule| schedule.record().len()).ok(), Some(1));
    assert!(matches!(of(&two, Some("A")), Err(FileError::NotASchedule { .. })));
    assert!(matches!(of(&two, Some("missing")), Err(FileError::NotASchedule { .. })));
}

fn function(program: &str) -> Object {
    let mut options = ParseOptions::default();
    options.calls = vec!["make()".to_owned()];
    let parsed = parse("program.py", program, registry(), &options);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.scripts.into_iter().next().expect("a function").node
}

#[test]
fn computations_become_functions() {
    let program = "from tvm import te, tir
def make():
    k = te.reduce_axis((0, 8), \"k\")
    A = te.placeholder((4, 8), name=\"A\")
    X = te.placeholder((4, 8), \"int32\", name=\"X\")
    combine = lambda x, y: (tir.Select(x[1] >= y[1], x[0], y[0]), tir.max(x[1], y[1]))
    argmax = te.comm_reducer(combine, lambda t0, t1: (tir.const(-1, t0), te.min_value(t1)))
    at, value = te.compute((4,), lambda i: argmax((X[i, k], A[i, k]), axis=k), name=\"best\")
    C = te.compute((4,), lambda i: value[i] * 2.0, name=\"C\")
    return te.create_prim_func([A, X, at, C])
";
    let printed = print(&function(program), registry(), &PrinterConfig::default()).expect("a text");
    for line in [
        "def main(A: T.Buffer((4, 8), \"float32\"), X: T.Buffer((4, 8), \"int32\"), best_v0: T.Buffer((4,), \"int32\"), C: T.Buffer((4,), \"float32\")):",
        "    best_v1 = T.alloc_buffer((4,))",
        "                best_v0[v_i] = -1",
        "            v_best_v0: T.int32 = T.Select(best_v1[v_i] >= A[v_i, v_k], best_v0[v_i], X[v_i, v_k])",
        "            best_v1[v_i] = v_best_v1",
        "            C[v_i] = best_v1[v_i] * T.float32(2.0)",
    ] {
        assert!(printed.lines().any(|own| own == line), "{line}\n{printed}");
    }
    let read = parse("printed.py", &printed, registry(), &ParseOptions::default());
    assert!(read.errors.is_empty(), "{:?}", read.errors);
}
