//! `diff`: structural difference of two files as an edit script.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use tvmscript::diff::render::{self, Comparison, Record, RenderOptions};
use tvmscript::diff::{EditScript, diff_with};
use tvmscript::ir_core::StructuralEqual;

use super::Run;
use super::equal::{failed, side_name};
use crate::args::{Diff, DiffFormat};
use crate::failure::FileErrorKind;
use crate::input::{self, Input, Script, Source, Warnings};
use crate::settings::Settings;
use crate::{Outcome, across, output};

/// The two files, as given.
struct Request<'a> {
    a: &'a Path,
    b: &'a Path,
    /// Names of both sides in the output.
    names: [String; 2],
    /// `true` if git runs the command as an external diff driver, which must not fail.
    is_driver: bool,
}

impl Request<'_> {
    /// Interprets the arguments; `None` if there are too few or too many.
    fn of(files: &[PathBuf]) -> Option<Request<'_>> {
        let name = |prefix: &str, path: &Path| match is_null(path) {
            true => path.display().to_string(),
            false => format!("{prefix}{}", path.display()),
        };
        match files {
            [a, b] => {
                let names = [input::display_name(a), input::display_name(b)];
                Some(Request { a, b, names, is_driver: false })
            }
            // The name, the old file with its hash and mode, the new one; for a renamed file, its name and a description.
            [path, a, _, _, b, _, _, rest @ ..] if rest.len() != 1 => {
                let new = rest.first().unwrap_or(path);
                let [old, new] =
                    [(a, path), (b, new)].map(|(file, path)| if is_null(file) { file } else { path });
                Some(Request { a, b, names: [name("a/", old), name("b/", new)], is_driver: true })
            }
            _ => None,
        }
    }
}

/// Returns `true` for the path that stands for an absent file.
fn is_null(path: &Path) -> bool {
    path.as_os_str() == "/dev/null" || path.as_os_str().eq_ignore_ascii_case("nul")
}

pub(super) fn run(args: &Diff, run: &mut Run<'_>) -> Outcome {
    if let [path] = args.files.as_slice() {
        // For a file with a merge conflict, git passes its name only.
        return output::result(&format!("* Unmerged path {}\n", path.display()));
    }
    let Some(request) = Request::of(&args.files) else {
        output::diagnose(
            "error: `diff` takes two files, or the seven or nine arguments of a diff driver of git",
        );
        return Outcome::Misused;
    };
    if request.a == request.b && request.a.as_os_str() == "-" {
        return output::stdin_twice();
    }
    if args.text.is_misused(&run.settings) {
        return Outcome::Misused;
    }
    // Both are loaded, so that the errors of both are shown.
    let (left, right) = (load(request.a, run), load(request.b, run));
    let outcome = match (left, right) {
        (Ok(left), Ok(right)) => match compare(args, &request, left, right, run) {
            Ok((text, is_equal)) => {
                let written = output::write(args.output.as_deref(), &text);
                written.and(if is_equal { Outcome::Done } else { Outcome::No })
            }
            Err(failure) => {
                output::diagnose(&failure.render(&request.names[0], None, &run.settings));
                Outcome::No
            }
        },
        _ if request.is_driver && args.format == DiffFormat::Unified => of_lines(args, &request, run),
        (left, right) => failed(left).and(failed(right)),
    };
    if request.is_driver { Outcome::Done } else { outcome }
}

/// Loads a file; an absent one has no scripts.
fn load(path: &Path, run: &mut Run<'_>) -> Result<Input, Outcome> {
    if !is_null(path) {
        return run.load(path);
    }
    let source = Source::new(input::display_name(path), String::new());
    Ok(Input { source, scripts: Vec::new(), warnings: Warnings::default() })
}

/// Compares lines, for files that are not scripts.
fn of_lines(args: &Diff, request: &Request<'_>, run: &mut Run<'_>) -> Outcome {
    let mut read = |path: &Path| match is_null(path) {
        true => Some(String::new()),
        false => input::read(path, &run.settings, &mut run.timings).ok().map(|source| source.text),
    };
    let (Some(a), Some(b)) = (read(request.a), read(request.b)) else { return Outcome::Misused };
    let options = options(args, &request.names[0], &request.names[1], run);
    output::result(&Comparison::of_texts(Some(&a), Some(&b)).unified(&options))
}

fn options(args: &Diff, name_a: &str, name_b: &str, run: &Run<'_>) -> RenderOptions {
    // The pager that git starts shows colours.
    let is_terminal = std::io::stdout().is_terminal() || std::env::var_os("GIT_PAGER_IN_USE").is_some();
    let width = || terminal_size::terminal_size().map_or(160, |(width, _)| width.0);
    RenderOptions {
        name_a: name_a.to_owned(),
        name_b: name_b.to_owned(),
        context_lines: args.context,
        width_columns: usize::from(args.columns.unwrap_or_else(width)),
        color: args.output.is_none() && output::use_color(run.settings.color_when(), is_terminal),
    }
}

/// The scripts of both files that belong together: of the same name, or at the same position without one.
fn pairs(left: &[Script], right: &[Script]) -> Vec<(Option<usize>, Option<usize>)> {
    if let ([_], [_]) = (left, right) {
        return vec![(Some(0), Some(0))];
    }
    let mut free: Vec<usize> = (0..right.len()).collect();
    let mut pairs: Vec<(Option<usize>, Option<usize>)> = Vec::new();
    for (index, script) in left.iter().enumerate() {
        let same = |other: &usize| right.get(*other).is_some_and(|other| other.name == script.name);
        let found = free.iter().position(same).map(|at| free.remove(at));
        pairs.push((Some(index), found));
    }
    pairs.extend(free.into_iter().map(|index| (None, Some(index))));
    pairs
}

/// The output, and `true` if the files are equal.
fn compare(
    args: &Diff,
    request: &Request<'_>,
    mut left: Input,
    mut right: Input,
    run: &mut Run<'_>,
) -> Result<(String, bool), FileErrorKind> {
    let settings = run.settings;
    let aligned = match args.as_written {
        true => None,
        false => across::align(&mut left, &mut right, run)?,
    };
    let (left, right) = (left.scripts.as_slice(), right.scripts.as_slice());
    let how = StructuralEqual {
        map_free_vars: args.map_free_vars || run.settings.fragment_of().is_some(),
        ..StructuralEqual::default()
    };
    let mut is_equal = true;
    let mut records: Vec<Record> = Vec::new();
    let mut shown: Vec<(Comparison, RenderOptions)> = Vec::new();
    let are_single = left.len() <= 1 && right.len() <= 1;
    for (i, j) in pairs(left, right) {
        let (a, b) = (i.and_then(|i| left.get(i)), j.and_then(|j| right.get(j)));
        let name = |name: &str, script: Option<&Script>| {
            if are_single { name.to_owned() } else { side_name(name, script.and_then(|s| s.name.as_deref())) }
        };
        let options = options(args, &name(&request.names[0], a), &name(&request.names[1], b), run);
        let comparison = match (a, b) {
            (Some(a), Some(b)) => {
                let mut script = run.timings.time("diff", || diff_with(&a.node, &b.node, how));
                is_equal &= script.is_equal;
                if args.ignore_names {
                    script.edits.retain(|edit| !edit.is_ignored);
                }
                if script.edits.is_empty() {
                    continue;
                }
                run.timings.time("print", || located(args, a, b, &script, &settings))?
            }
            (Some(one), None) | (None, Some(one)) => {
                is_equal = false;
                whole(args, one, a.is_some(), &settings)?
            }
            (None, None) => continue,
        };
        let prefixed = |path: &Option<String>, index: Option<usize>| {
            let path = path.as_deref()?;
            let rest = path.strip_prefix("<root>").unwrap_or(path);
            Some(if are_single { path.to_owned() } else { format!("<root>[{}]{rest}", index?) })
        };
        records.extend(comparison.records().iter().map(|record| Record {
            a: prefixed(&record.a, i),
            b: prefixed(&record.b, j),
            ..record.clone()
        }));
        shown.push((comparison, options));
    }
    let text = match args.format {
        DiffFormat::Json => match aligned {
            Some(aligned) => format!("{}\n", json!({"edits": records, "upgraded": aligned.report()})),
            None => render::to_json(&records) + "\n",
        },
        DiffFormat::Html => {
            let all: Vec<_> = shown.iter().map(|(comparison, options)| (comparison, options)).collect();
            render::page(&all)
        }
        DiffFormat::Unified => shown
            .iter()
            .map(|(comparison, options)| comparison.unified(options))
            .collect::<Vec<_>>()
            .join("\n"),
        DiffFormat::SideBySide => shown
            .iter()
            .map(|(comparison, options)| comparison.side_by_side(options))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    Ok((text, is_equal))
}

fn located(
    args: &Diff,
    a: &Script,
    b: &Script,
    script: &EditScript,
    settings: &Settings<'_>,
) -> Result<Comparison, FileErrorKind> {
    let config = a.with_own_release(args.text.config(settings));
    let comparison = Comparison::new(&a.node, &b.node, script, settings.registry(), &config);
    comparison.map_err(FileErrorKind::Unprintable)
}

/// A script that only one file has.
fn whole(
    args: &Diff,
    script: &Script,
    is_left: bool,
    settings: &Settings<'_>,
) -> Result<Comparison, FileErrorKind> {
    let config = script.with_own_release(args.text.config(settings));
    Comparison::of_one(&script.node, is_left, settings.registry(), &config)
        .map_err(FileErrorKind::Unprintable)
}
