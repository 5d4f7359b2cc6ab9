/** Renders documents as terminal text, Markdown for code hosts, and JSON. All functions are pure. */

export type * from "./blocks-markdown.js";
export * from "./document.js";
export * from "./history.js";
export * from "./json.js";
export type * from "./markdown.js";
export * from "./notice.js";
export type * from "./outcome.js";
export type * from "./partial-changes.js";
export * from "./phrases.js";
export * from "./progress-text.js";
export * from "./projects.js";
export { commandsWithoutProject, repeatInDocument, repeatInSentence } from "./repeat-options.js";
export * from "./review-markdown.js";
export * from "./review-text.js";
export * from "./reviews-markdown.js";
export { describeBudget } from "./session-facts.js";
export * from "./sessions-page/page.js";
export * from "./sessions-writer.js";
export type * from "./span.js";
export { describeNextActor } from "./status-summary.js";
export * from "./visible.js";
export * from "./watch-lines.js";
