//! Builds a small Python program from docs, and prints it at two widths.
//!
//! Run it with `cargo run -p tvmscript-doc --example program`.

use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{BinaryOp, DocArena, FunctionParts};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut docs = DocArena::new();
    let [name, n, total, i, range, print] =
        ["squares", "n", "total", "i", "range", "print"].map(|t| docs.id(t));
    let (zero, int) = (docs.int(0), docs.id("int"));

    // def squares(n: int): the parameter is an assignment without a value.
    let parameter = docs.assign(n, None, Some(int))?;
    let start = docs.bind(total, zero);
    let square = docs.binary(BinaryOp::Mult, i, i);
    let sum = docs.binary(BinaryOp::Add, total, square);
    let add = docs.bind(total, sum);
    let numbers = docs.call_args(range, &[n]);
    let for_loop = docs.for_(i, numbers, &[add]);
    docs.set_comment(for_loop, Some("the sum of squares below n"));
    let (text, newlines) = (docs.str("the sum is"), docs.str("\n\n"));
    let message = docs.call(print, &[text, total], &[("end", newlines)]);
    let message = docs.expr_stmt(message);
    let result = docs.return_(total);
    let body = [start, for_loop, message, result];
    let parts =
        FunctionParts { name, args: &[parameter], decorators: &[], return_type: Some(int), body: &body };
    let function = docs.function(parts)?;

    for max_width_columns in [None, Some(40)] {
        let options = PythonOptions { max_width_columns, ..PythonOptions::default() };
        println!("{}\n", python::print(&docs, function, &options)?);
    }
    Ok(())
}
