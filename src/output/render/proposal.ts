import type { ProposalFacts, RollbackDocument } from "../documents/index.js";
import {
  type Block,
  bulletList,
  gap,
  heading,
  type Inline,
  inline,
  markdownOnly,
  name,
  ownText,
  paragraph,
  sentence,
  textOnly,
} from "./blocks.js";
import { clip } from "./cells.js";

const maxListed = 30;

/**
 * Describes a pull request, or a branch without one. The Markdown blocks become the description of the pull request.
 * The terminal blocks show the result of the command.
 */
export function renderProposalBlocks(proposal: ProposalFacts, about: Inline): Block[] {
  const { result, number, url, branch, written, also_changes: also = [], refused, notes } = proposal;
  const title = number === undefined ? `branch ${result}` : `pull request ${result} #${number}`;
  const where = [url, branch && `branch ${branch}`].filter((part) => part !== undefined).join(", ");
  const renderSection = (title: string, entries: readonly Inline[]) =>
    entries.length > 0 ? [paragraph([ownText(title)]), bulletList(entries, maxListed, "field")] : [];
  return [
    textOnly(
      paragraph([ownText(result === "none" ? "nothing proposed" : title, "good"), sentence(`  ${where}`)], 4),
    ),
    {
      is: "indented",
      blocks: [
        ...renderSection(
          "The next apply also changes these texts, because they use the same files:",
          also.map((text) => [name(text)]),
        ),
        markdownOnly(paragraph(about)),
        ...renderSection(
          "Updated in the files:",
          written.map(({ file, ...field }) => inline`${name(toFieldAddress(field))} in ${name(file)}`),
        ),
        ...renderSection(
          "Left out:",
          refused.map(({ reason, ...field }) => inline`${name(toFieldAddress(field))}: ${sentence(reason)}`),
        ),
        ...notes.map((note) => paragraph([sentence(clip(note, 1_000), "dim")])),
      ],
    },
    textOnly(gap),
  ];
}

function toFieldAddress({ address, field }: { readonly address: string; readonly field?: string }): string {
  return field === undefined ? address : `${address}.${field}`;
}

export function renderRollbackBlocks({ serial, pull_request: proposal }: RollbackDocument): Block[] {
  const about = inline`Restores the texts applied at state serial ${ownText(String(serial))}. ${ownText("Merging this rolls them back", "strong")} with the next apply.`;
  return [
    markdownOnly(heading(ownText(`Rollback to serial ${serial}`))),
    ...renderProposalBlocks(proposal, about),
  ];
}
