/** Documents as text for terminals, Markdown for code hosts, and JSON. Pure functions that return strings. */

export type { PlanMarkdownOptions } from "./blocks-markdown.js";
/** Sessions of a period, next to those of the period before. */
export { renderReportCsv } from "./csv.js";
export { renderMarkdown, renderSentence, renderText, type ShownDocument } from "./document.js";
/** What was applied when; record by record, because there may be many. */
export { type HistoryOptions, renderHistoryItem } from "./history.js";
/** Any document as JSON that is safe to print. */
export { historyJson, listJson, renderJson, renderJsonLine } from "./json.js";
export type { MarkdownOptions } from "./markdown.js";
/** For the incoming webhooks of chats. */
export { renderSlackNotice, renderTeamsNotice } from "./notice.js";
export type { ApplyProgress } from "./outcome.js";
/** The counts alone, such as "1 to create; 12 unchanged". */
export { count, diagnosticCounts, planCounts, sessionDoubts } from "./phrases.js";
export { renderProgressText } from "./progress-text.js";
/** Of several projects, one after the other. */
export { renderProjectHeading, resultCounts, underFolder } from "./projects.js";
export {
  type BaseComparison,
  type OtherPullRequest,
  type ReviewFacts,
  renderOutcomeMarkdown,
  renderOutdatedMarkdown,
  renderReviewMarkdown,
} from "./review-markdown.js";
export { type ReviewSection, renderReviewsMarkdown } from "./reviews-markdown.js";
/** A report of sessions as one HTML file that loads nothing. */
export { renderSessionsPage } from "./sessions-page/page.js";
export { budgetSentence } from "./sessions-report.js";
export { openSessionsWriter, renderSessionsMarkdown, renderSessionsText } from "./sessions-writer.js";
export type { TextOptions } from "./span.js";
/**
 * Makes foreign text safe to print, for the few lines that are not rendered from a document; and makes all
 * output safe.
 */
export { inert, type Shown, visible } from "./visible.js";
/** What a watch of the sessions says: a line for each event. */
export { renderSessionEventText } from "./watch-lines.js";
