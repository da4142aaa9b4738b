//! `import`: a model of another framework as a Relax module.

use std::fmt::Write as _;
use std::path::Path;

use tvmscript::PrinterConfig;
use tvmscript::docsifier::print_text;
use tvmscript::frontend::{self, Format, ImportOptions, Model};
use tvmscript::ir_core::SourceTexts;

use super::{Answer, Run};
use crate::failure::{FileError, FileErrorKind};
use crate::import_args::{ImportArgs, InputFormat};
use crate::input::{Warnings, display_name};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output};

/// The release whose importers build the same modules.
const RELEASE: &str = "tvm-0.27";

pub(super) fn run(args: &ImportArgs, run: &mut Run<'_>) -> Outcome {
    if let Some(format) = args.list_operators {
        return output::write(args.output.as_deref(), &list(format));
    }
    let Some(file) = &args.file else { return Outcome::Misused };
    // The folder of a saved model is one model.
    run.for_each_valid_file(
        std::slice::from_ref(file),
        |path, settings, timings| import(path, args, settings, timings),
        |path, (text, warnings)| {
            let name = display_name(path);
            warnings.iter().for_each(|warning| output::diagnose(&format!("warning: {name}: {warning}")));
            output::write(args.output.as_deref(), &text)
        },
    )
}

/// The supported operators with their versions.
fn list(format: InputFormat) -> String {
    let mut text = String::new();
    for operator in frontend::supported_operators(format.into()) {
        let versions: String = operator.versions.iter().map(|version| format!(" {version}")).collect();
        let domain =
            if operator.domain.is_empty() { String::new() } else { format!(" ({})", operator.domain) };
        let _ = write!(text, "{}{domain}{versions}: {}", operator.name, operator.relax);
        let _ = match operator.unsupported {
            "" => writeln!(text),
            unsupported => writeln!(text, "; not supported: {unsupported}"),
        };
    }
    text
}

fn import(
    path: &Path,
    args: &ImportArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<((String, Vec<String>), Warnings)> {
    let failed = |error| FileError::new(FileErrorKind::Import(error), None);
    let model = timings.time("read", || match args.input_format {
        Some(format) => Model::open_as(path, Format::from(format)),
        None => Model::open(path),
    });
    let model = model.map_err(failed)?;
    let mut options = ImportOptions::default();
    options.keeps_params = args.keep_params;
    options.shapes = args.shapes.clone();
    options.opset = args.opset;
    options.max_folded_bytes = args.max_folded_bytes;
    options.stubs_unsupported = args.stub_unsupported;
    let imported = timings.time("import", || frontend::import(&model, &options)).map_err(failed)?;
    let mut config = settings.printer_config();
    config.release = config.release.or_else(|| settings.registry().find_release(RELEASE).ok());
    let config = PrinterConfig { show_spans: args.show_spans.then(SourceTexts::new), ..config };
    let printed =
        timings.time("print", || print_text(imported.module.object(), settings.registry(), &config));
    let printed = printed.map_err(|error| FileError::new(FileErrorKind::Unprintable(error), None))?;
    let warnings = imported.warnings.iter().map(ToString::to_string).collect();
    Ok(((printed.text + "\n", warnings), Warnings::default()))
}
