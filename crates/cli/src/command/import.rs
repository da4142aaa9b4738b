//! `import`: a model of another framework as a Relax module.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use tvmscript::PrinterConfig;
use tvmscript::docsifier::print_text;
use tvmscript::frontend::operators::OperatorDoc;
use tvmscript::frontend::params::{self, ParamsFormat};
use tvmscript::frontend::{self, Format, ImportOptions, Imported};
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::SourceTexts;

use super::import_summary::Summary;
use super::{Answer, Run};
use crate::failure::{FileError, FileErrorKind};
use crate::import_args::{ImportArgs, ListFormat, ShownSpans};
use crate::input::Warnings;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, models, output};

pub(super) fn run(args: &ImportArgs, run: &mut Run<'_>) -> Outcome {
    if let Some(format) = args.list_operators {
        let operators = frontend::supported_operators(format.into());
        return output::write(args.output.as_deref(), &list(&operators, args.format));
    }
    let Some(file) = &args.file else { return Outcome::Misused };
    // The folder of a saved model is one model.
    run.for_each_valid_file(
        std::slice::from_ref(file),
        |path, settings, timings| import(path, args, settings, timings),
        |_, text| output::write(args.output.as_deref(), &text),
    )
}

/// The supported operators with their versions.
fn list(operators: &[OperatorDoc], format: ListFormat) -> String {
    if format == ListFormat::Json {
        let entry = |operator: &OperatorDoc| {
            let OperatorDoc { name, domain, versions, relax, unsupported } = operator;
            json!({"name": name, "domain": domain, "versions": versions, "relax": relax, "unsupported": unsupported})
        };
        return format!("{:#}\n", serde_json::Value::Array(operators.iter().map(entry).collect()));
    }
    let mut text = String::new();
    for operator in operators {
        text.push_str(operator.name);
        if !operator.domain.is_empty() {
            let _ = write!(text, " ({})", operator.domain);
        }
        operator.versions.iter().for_each(|version| {
            let _ = write!(text, " {version}");
        });
        let _ = write!(text, ": {}", operator.relax);
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
) -> Answer<(String, Warnings)> {
    let mut options = ImportOptions::default();
    options.keeps_params = args.keep_params;
    options.shapes = args.shapes.clone();
    options.opset = args.opset;
    options.max_folded_bytes = args.max_folded_bytes;
    options.marks_spans = args.show_spans == Some(ShownSpans::Marks);
    options.stubs_unsupported = args.stub_unsupported;
    options.lowers_control_flow = args.lower_control_flow;
    let (imported, warnings) = models::import(path, args.input_format.map(Format::from), &options, timings)?;
    if let Some(file) = &args.params {
        timings.time("params", || write_params(file, &imported))?;
    }
    let text = match args.summary {
        true => Summary::of(&imported).text(args.format),
        false => printed(&imported, args, settings, timings)?,
    };
    Ok((text, warnings))
}

fn printed(
    imported: &Imported,
    args: &ImportArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<String> {
    let mut config = settings.printer_config();
    config.release = config.release.or_else(models::release);
    if args.params.is_some() {
        config.part_mut::<ConstantOptions>().elide = Some(models::SHOWN_ELEMENTS);
    }
    let config = PrinterConfig { show_spans: args.show_spans.map(|_| SourceTexts::new()), ..config };
    let text = timings.time("print", || print_text(imported.module.object(), settings.registry(), &config));
    text.map(|printed| printed.text + "\n")
        .map_err(|error| FileError::new(FileErrorKind::Unprintable(error), None))
}

fn write_params(file: &Path, imported: &Imported) -> Result<(), Box<FileError>> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let format = ParamsFormat::of_extension(extension).unwrap_or(ParamsFormat::Safetensors);
    let written = output::replace_with(file, |out| params::write(format, &imported.constants, out));
    written.map_err(|error| {
        FileError::new(FileErrorKind::Unwritable(format!("{}: {error}", file.display())), None)
    })
}
