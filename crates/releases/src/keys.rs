//! Keys of programs of all releases.

use tvmscript_ir::program_key::ProgramKey;
use tvmscript_ir_core::digest::Digest;
use tvmscript_ir_core::{Object, Registry, Release, RewriteError};
use tvmscript_upgrade::{find, upgrade};

use crate::tvm_0_27;

/// The release that keys are defined for. It stays the same when releases are added.
pub const RELEASE_OF_KEYS: &Release = &tvm_0_27::RELEASE;

/// The key of a program of a release: that of the program which `upgrade` makes of it for [`RELEASE_OF_KEYS`], if rules
/// lead there, else that of the program itself (`docs/program-keys.md`).
///
/// # Errors
/// If the program cannot be upgraded.
pub fn program_key(
    program: &Object,
    release: &Release,
    registry: &Registry,
    options: ProgramKey,
) -> Result<Digest, RewriteError> {
    Ok(match find(registry, release, RELEASE_OF_KEYS) {
        Some(step) => options.of(&upgrade(program, step)?.node),
        None => options.of(program),
    })
}
