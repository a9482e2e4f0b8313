//! Edits of notebooks.
//!
//! A notebook is read as the Markdown of its cells, and the file is JSON, in which each line of a
//! source is an escaped string. An edit names a text as it is shown, and changes the strings of the
//! cell that holds it; all other bytes stay. A text that is in no source may be in the file's own
//! lines, and is then edited there like that of any other file.

#[cfg(test)]
mod tests;
mod view;

use docent_document::notebook::is_notebook;

use crate::error::{NotebookProblem, Reason};
use crate::insert::InsertPosition;
use crate::original::Original;
use crate::plan::{Edit, Plan, RefusedEdit, plan_resolved, resolve};
use crate::replace::ResolvedEdit;
use crate::source::Source;
use view::{MarkLine, NotebookView};

/// Name of the file's own lines, which decides that they have no headings.
const OWN_NAME: &str = "notebook.json";

/// An edit in the text that it refers to.
enum NotebookEdit {
    /// The cells as they are shown.
    Cells(ResolvedEdit),
    /// The file's own lines.
    File(ResolvedEdit),
}

/// The texts in which an edit is looked up.
struct NotebookTexts<'o, 't> {
    view: &'o NotebookView<'t>,
    /// The sources, in which the words that number the cells do not count.
    sources: Original<'o>,
    /// The sources with these words, which a text of several cells contains.
    framed: Original<'o>,
    file: Original<'o>,
}

/// Applies edits to a notebook called `name`, of which `markdown` is shown. Each edit has its index
/// in the call. Either all edits are applied or none; see [`plan`](crate::plan::plan).
///
/// # Errors
/// The edits that cannot be made, in their order.
pub fn plan_notebook(
    source: &Source<'_>,
    name: &str,
    markdown: &str,
    edits: &[(usize, Edit<'_>)],
) -> Result<Plan, Vec<RefusedEdit>> {
    let view = NotebookView::new(source.text(), markdown);
    let alone = view.text(MarkLine::Fence);
    let framed = view.text(MarkLine::Shown);
    let (alone, framed) = (Source::from_text(&alone), Source::from_text(&framed));
    let texts = NotebookTexts {
        view: &view,
        sources: Original::new(&alone, name),
        framed: Original::new(&framed, name),
        file: Original::new(source, OWN_NAME),
    };
    // Without Markdown, which could not be made, the file's own lines are all that is shown.
    if markdown.is_empty() {
        let results = edits.iter().map(|(_, edit)| texts.in_file(edit)).collect();
        return texts.plan_file(edits, results);
    }
    let found: Vec<Result<NotebookEdit, Reason>> =
        edits.iter().map(|(_, edit)| texts.find(edit)).collect();
    let is_of_cells = |one: &Result<_, _>| matches!(one, Ok(NotebookEdit::Cells(_)));
    let is_of_file = |one: &Result<_, _>| matches!(one, Ok(NotebookEdit::File(_)));
    let first_of_cells = found.iter().position(is_of_cells);
    let is_all_of_file = found.iter().all(is_of_file);
    let resolved = |one| match (one, first_of_cells) {
        (Ok(NotebookEdit::File(_)), Some(first)) => {
            let other = edits[first].0;
            Err(Reason::Notebook(NotebookProblem::Mixed { other }))
        }
        (Ok(NotebookEdit::Cells(one) | NotebookEdit::File(one)), _) => Ok(one),
        (Err(reason), _) => Err(reason),
    };
    let results = found.into_iter().map(resolved).collect();
    if is_all_of_file {
        return texts.plan_file(edits, results);
    }
    let (shown, splices) = plan_resolved(&texts.framed, edits, results)?;
    let splices = view.changes(&splices);
    Ok(Plan {
        text: source.splice_text(&splices),
        bytes: source.splice_bytes(&splices),
        changed: !splices.is_empty(),
        ..shown
    })
}

impl NotebookTexts<'_, '_> {
    /// Applies edits that were resolved in the file's own lines.
    fn plan_file(
        &self,
        edits: &[(usize, Edit<'_>)],
        results: Vec<Result<ResolvedEdit, Reason>>,
    ) -> Result<Plan, Vec<RefusedEdit>> {
        let (plan, _) = plan_resolved(&self.file, edits, results)?;
        if is_notebook(&plan.text) {
            return Ok(plan);
        }
        let index = edits.first().map_or(0, |(index, _)| *index);
        let reason = Reason::Notebook(NotebookProblem::NotJson);
        Err(vec![RefusedEdit { index, reason }])
    }

    /// Resolves an edit in the text that it refers to.
    fn find(&self, edit: &Edit<'_>) -> Result<NotebookEdit, Reason> {
        let reason = match self.in_cells(edit) {
            Ok(resolved) => return Ok(NotebookEdit::Cells(resolved)),
            Err(reason) => reason,
        };
        let is_outside = matches!(reason, Reason::Notebook(NotebookProblem::Outside { .. }));
        if !is_outside && !is_absent(&reason) {
            return Err(reason);
        }
        match self.in_file(edit) {
            Ok(resolved) => Ok(NotebookEdit::File(resolved)),
            Err(own @ Reason::Notebook(_)) => Err(own),
            Err(own) if is_outside || is_absent(&own) => Err(reason),
            Err(own) => Err(Reason::OwnLines(Box::new(own))),
        }
    }

    /// Resolves an edit in the file's own lines.
    fn in_file(&self, edit: &Edit<'_>) -> Result<ResolvedEdit, Reason> {
        let resolved = resolve(&self.file, edit)?;
        self.check_meaning(edit)?;
        Ok(resolved)
    }

    /// Refuses an edit of the file's own lines that may be meant as one of what is shown, and would
    /// then be another: `\\n` is two characters as it is shown, and a line break in JSON.
    fn check_meaning(&self, edit: &Edit<'_>) -> Result<(), Reason> {
        let (old, new) = match edit {
            Edit::Text(wanted, new) => (wanted.text, *new),
            Edit::Insert(
                InsertPosition::BeforeText(wanted) | InsertPosition::AfterText(wanted),
                new,
            ) => (wanted.text, *new),
            _ => return Ok(()),
        };
        if let Some(cell) = self.view.altered_cell_with(old) {
            return Err(Reason::Notebook(NotebookProblem::Altered { cell }));
        }
        let has_escapes = new.contains(|c: char| matches!(c, '"' | '\\') || c.is_control());
        match self.view.position(old).filter(|_| has_escapes) {
            Some(at) => {
                let line = self.framed.line_number(at);
                Err(Reason::Notebook(NotebookProblem::Outside { line }))
            }
            None => Ok(()),
        }
    }

    /// Resolves an edit in the sources of cells.
    fn in_cells(&self, edit: &Edit<'_>) -> Result<ResolvedEdit, Reason> {
        let is_by_line = match edit {
            Edit::Lines(..) => true,
            Edit::Insert(at, _) => !matches!(
                at,
                InsertPosition::BeforeText(_) | InsertPosition::AfterText(_)
            ),
            Edit::Text(..) | Edit::Section(_) | Edit::Hunks(_) => false,
        };
        if is_by_line {
            return Err(Reason::Notebook(NotebookProblem::LineNumbers));
        }
        let resolved = match resolve(&self.sources, edit) {
            Err(reason) if is_absent(&reason) => resolve(&self.framed, edit),
            resolved => resolved,
        }?;
        let mut ranges = resolved.splices.iter().map(|splice| &splice.range);
        match ranges.find(|range| !self.view.is_in_source(range)) {
            Some(outside) => {
                let line = self.framed.line_number(outside.start);
                Err(Reason::Notebook(NotebookProblem::Outside { line }))
            }
            None => Ok(resolved),
        }
    }
}

/// Returns true if an edit does not fit because its text does not occur.
fn is_absent(reason: &Reason) -> bool {
    match reason {
        Reason::NotFound(_) => true,
        Reason::Hunk { reason, .. } => is_absent(reason),
        _ => false,
    }
}
