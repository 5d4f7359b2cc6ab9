import type { DiagnosticsDocument, PlanDocument, ProjectsDocument } from "../documents/index.js";
import { type Block, heading, sentence } from "./blocks.js";
import { type PlanMarkdownOptions, renderBlocksMarkdown } from "./blocks-markdown.js";
import { renderBlocksText } from "./blocks-text.js";
import { renderDiagnosticsBlocks, renderErrorBlocks, renderWarningBlocks } from "./diagnostics.js";
import { dropClosing, renderDriftBlocks } from "./drift.js";
import { renderBlameBlocks, renderDiffBlocks, renderObjectBlocks } from "./history.js";
import { renderOutcomeBlocks, renderSmokeBlocks } from "./outcome.js";
import { type EarlierContent, renderPlanBlocks } from "./plan.js";
import { renderProjectsBlocks } from "./projects.js";
import { renderRollbackBlocks } from "./proposal.js";
import { renderImportBlocks, renderPullBlocks } from "./pull.js";
import { repeatOptions } from "./repeat-options.js";
import { renderReportBlocks } from "./sessions-report.js";
import { renderSessionBlocks } from "./sessions-writer.js";
import type { TextOptions } from "./span.js";
import { renderStateListBlocks, renderStateMigrationBlocks, renderStateShowBlocks } from "./state.js";
import { renderStatusBlocks } from "./status.js";

/** Functions that convert documents to blocks, by document format. */
const descriptions = {
  "avatarops/blame": renderBlameBlocks,
  "avatarops/diagnostics": renderDiagnosticsBlocks,
  "avatarops/diff": renderDiffBlocks,
  "avatarops/drift": renderDriftBlocks,
  "avatarops/error": renderErrorBlocks,
  "avatarops/import": renderImportBlocks,
  "avatarops/object": renderObjectBlocks,
  "avatarops/outcome": renderOutcomeBlocks,
  "avatarops/plan": (plan: PlanDocument) => renderPlanBlocks(plan),
  "avatarops/projects": (document: ProjectsDocument) => renderProjectsBlocks(document, document.projects),
  "avatarops/pull": renderPullBlocks,
  "avatarops/rollback": renderRollbackBlocks,
  "avatarops/session": renderSessionBlocks,
  "avatarops/sessions-report": renderReportBlocks,
  "avatarops/smoke": renderSmokeBlocks,
  "avatarops/state-list": renderStateListBlocks,
  "avatarops/state-migration": renderStateMigrationBlocks,
  "avatarops/state-object": renderStateShowBlocks,
  "avatarops/status": renderStatusBlocks,
};

export type ShownDocument = Parameters<(typeof descriptions)[keyof typeof descriptions]>[0];

function describe(document: ShownDocument): Block[] {
  return (descriptions[document.format] as (document: ShownDocument) => Block[])(document);
}

export function renderText(document: ShownDocument, options: TextOptions): string {
  return renderBlocksText(describe(document), options);
}

/** Renders warnings about the files. Repeated warnings are summarized. */
export function renderWarnings(document: DiagnosticsDocument, options: TextOptions): string {
  return renderBlocksText(renderWarningBlocks(document), options);
}

/** Renders a document for a code host. Truncates it at the limit, with a note. */
export function renderMarkdown(
  document: ShownDocument,
  options: PlanMarkdownOptions & EarlierContent & Pick<TextOptions, "repeated"> = {},
): string {
  const finish = /^avatarops\/(drift|rollback)$/.test(document.format) ? dropClosing : undefined;
  const blocks =
    document.format === "avatarops/plan" ? renderPlanBlocks(document, options) : describe(document);
  return renderBlocksMarkdown(repeatOptions(blocks, options.repeated), options, finish);
}

/** Renders a progress sentence for a terminal, and indents wrapped lines. */
export function renderSentence(text: string, options: TextOptions): string {
  return renderBlocksText([heading(sentence(text))], options);
}
