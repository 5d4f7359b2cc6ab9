/** Documents as text for terminals, Markdown for code hosts, and JSON. Pure functions that return strings. */

/** Plans, field by field, prose word by word. */
export type { PlanMarkdownOptions } from "./blocks-markdown.js";
/** Diagnostics with their source lines. */
export { renderDiagnosticsMarkdown, renderDiagnosticsText } from "./diagnostics.js";
/** What moved in the account since the last apply. */
export { renderDriftMarkdown, renderDriftText } from "./drift.js";
/** The pages on which somebody edits the emulated account. */
export {
  type EditableObject,
  type EditField,
  renderAccountPage,
  renderEditPage,
  renderRefusalPage,
} from "./emulator-page.js";
/** The error that ended a command, and a sentence outside any document. */
export { renderErrorText, renderSentence } from "./error-text.js";
export {
  type HistoryOptions,
  renderHistoryDiffMarkdown,
  renderHistoryDiffText,
  renderHistoryItemMarkdown,
  renderHistoryItemText,
} from "./history.js";
/** What was applied when; record by record, because there may be many. */
/** The result of an import. */
export { renderImportText } from "./import-text.js";
/** Any document as JSON that is safe to print. */
export { historyJson, renderJson, renderJsonLine } from "./json.js";
export type { MarkdownOptions } from "./markdown.js";
export { renderObjectText } from "./object-text.js";
/** The outcome of an apply, and a line for each of its steps. */
export { renderOutcomeMarkdown, renderOutcomeText } from "./outcome.js";
/** The counts alone, such as "1 to create; 12 unchanged". */
export { diagnosticCounts, planCounts, sessionDoubts } from "./phrases.js";
export { renderPlanMarkdown, renderPlanText } from "./plan.js";
export { renderProgressText } from "./progress-text.js";
/** What a pull wrote into the files. */
export { renderPullText } from "./pull-text.js";
/** Sessions of a period, beside those of the period before. */
export { renderReportCsv } from "./report-csv.js";
export { renderReportMarkdown } from "./report-markdown.js";
export { renderReportText } from "./report-text.js";
export { budgetSentence } from "./report-view.js";
/** The comment on a pull request. */
export { type ReviewFacts, renderOutdatedMarkdown, renderReviewMarkdown } from "./review-markdown.js";
/** What a watch of the sessions shows: a screen, or a line for each event. */
export { renderSessionEventText } from "./session-event-text.js";
/** Sessions and their totals. */
export { renderSessionsMarkdown } from "./sessions-markdown.js";
/** A report of sessions as one HTML file that loads nothing. */
export { renderSessionsPage, type SessionsPageOptions } from "./sessions-page/page.js";
export { renderSessionsText } from "./sessions-text.js";
export { openSessionsWriter } from "./sessions-writer.js";
/** Whether sessions can be started with presets. */
export { renderSmokeMarkdown, renderSmokeText } from "./smoke.js";
/** Columns and colour of text. */
export type { TextOptions } from "./span.js";
export { renderStateMigrationText } from "./state-migration-text.js";
export { renderStateSecretsText } from "./state-secrets-text.js";
/** The content of a state. */
export { renderStateListText, renderStateShowText } from "./state-text.js";
/**
 * Makes foreign text safe to print, for the few lines that are not rendered from a document; and makes all
 * output safe.
 */
export { inert, type Shown, visible } from "./visible.js";
export { renderWatchFrame, type WatchView } from "./watch-frame.js";
