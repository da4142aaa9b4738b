//! Tells the crate if it is optimised, because the parsers then need far less native stack.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(optimised)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level != "0") {
        println!("cargo:rustc-cfg=optimised");
    }
}
