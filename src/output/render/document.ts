import type { PlanDocument, ProjectsDocument } from "../documents/index.js";
import { type Block, heading, sentence } from "./blocks.js";
import { blocksMarkdown, type PlanMarkdownOptions } from "./blocks-markdown.js";
import { blocksText } from "./blocks-text.js";
import { diagnosticsBlocks, errorBlocks } from "./diagnostics.js";
import { driftBlocks, withoutClosing } from "./drift.js";
import { blameBlocks, diffBlocks, objectBlocks } from "./history.js";
import { outcomeBlocks, smokeBlocks } from "./outcome.js";
import { planBlocks, type ShownAbove } from "./plan.js";
import { projectsBlocks } from "./projects.js";
import { rollbackBlocks } from "./proposal.js";
import { importBlocks, pullBlocks } from "./pull.js";
import { repeatOptions } from "./repeat-options.js";
import { reportBlocks } from "./sessions-report.js";
import { sessionBlocks } from "./sessions-writer.js";
import type { TextOptions } from "./span.js";
import { stateListBlocks, stateMigrationBlocks, stateShowBlocks } from "./state.js";
import { statusBlocks } from "./status.js";

/** Functions that describe a document as blocks, by format. */
const descriptions = {
  "avatarops/blame": blameBlocks,
  "avatarops/diagnostics": diagnosticsBlocks,
  "avatarops/diff": diffBlocks,
  "avatarops/drift": driftBlocks,
  "avatarops/error": errorBlocks,
  "avatarops/import": importBlocks,
  "avatarops/object": objectBlocks,
  "avatarops/outcome": outcomeBlocks,
  "avatarops/plan": (plan: PlanDocument) => planBlocks(plan),
  "avatarops/projects": (document: ProjectsDocument) => projectsBlocks(document, document.projects),
  "avatarops/pull": pullBlocks,
  "avatarops/rollback": rollbackBlocks,
  "avatarops/session": sessionBlocks,
  "avatarops/sessions-report": reportBlocks,
  "avatarops/smoke": smokeBlocks,
  "avatarops/state-list": stateListBlocks,
  "avatarops/state-migration": stateMigrationBlocks,
  "avatarops/state-object": stateShowBlocks,
  "avatarops/status": statusBlocks,
};

export type ShownDocument = Parameters<(typeof descriptions)[keyof typeof descriptions]>[0];

function describe(document: ShownDocument): Block[] {
  return (descriptions[document.format] as (document: ShownDocument) => Block[])(document);
}

export function renderText(document: ShownDocument, options: TextOptions): string {
  return blocksText(describe(document), options);
}

/** Renders a document for a code host. Truncates it at the limit, with a note. */
export function renderMarkdown(
  document: ShownDocument,
  options: PlanMarkdownOptions & ShownAbove & Pick<TextOptions, "repeated"> = {},
): string {
  const finish = /^avatarops\/(drift|rollback)$/.test(document.format) ? withoutClosing : undefined;
  const blocks = document.format === "avatarops/plan" ? planBlocks(document, options) : describe(document);
  return blocksMarkdown(repeatOptions(blocks, options.repeated), options, finish);
}

/** Renders a progress sentence for a terminal, with wrapped lines indented. */
export function renderSentence(text: string, options: TextOptions): string {
  return blocksText([heading(sentence(text))], options);
}
