import type { ProposalFacts, RollbackDocument } from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  inMarkdown,
  inText,
  list,
  name,
  ours,
  paragraph,
  sentence,
  type Words,
  words,
} from "./blocks.js";
import { clip } from "./cells.js";

const mostListed = 30;

/** What a pull request changes, and what it leaves out: in Markdown its description, in a terminal what was done with it. */
export function proposalBlocks(proposal: ProposalFacts, about: Words): Block[] {
  const { result, number, url, branch, written, also_changes: also = [], refused, notes } = proposal;
  const title = `pull request ${result}${number === undefined ? "" : ` #${number}`}`;
  const where = [url, branch && `branch ${branch}`].filter((part) => part !== undefined).join(", ");
  const section = (title: string, entries: readonly Words[]) =>
    entries.length > 0 ? [paragraph([ours(title)]), list(entries, mostListed, "field")] : [];
  return [
    inText(paragraph([ours(title, "good"), sentence(`  ${where}`)], 4)),
    {
      is: "indented",
      blocks: [
        ...section(
          "This changes other texts, too, with the next apply, because they are made of the same files:",
          also.map((text) => [name(text)]),
        ),
        inMarkdown(paragraph(about)),
        ...section(
          "Brought back:",
          written.map(({ file, ...place }) => words`${name(fieldAddress(place))} in ${name(file)}`),
        ),
        ...section(
          "Left out:",
          refused.map(({ reason, ...place }) => words`${name(fieldAddress(place))}: ${sentence(reason)}`),
        ),
        ...notes.map((note) => paragraph([sentence(clip(note, 1_000), "dim")])),
      ],
    },
    inText(gap),
  ];
}

function fieldAddress({ address, field }: { readonly address: string; readonly field?: string }): string {
  return field === undefined ? address : `${address}.${field}`;
}

/** The pull request of a rollback. */
export function rollbackBlocks({ serial, pull_request: proposal }: RollbackDocument): Block[] {
  const about = words`These files get the texts that were applied with serial ${ours(String(serial))} of the state. ${ours("Merging this rolls back:", "strong")} the account gets them with the next apply.`;
  return [inMarkdown(heading(ours(`Rollback to serial ${serial}`))), ...proposalBlocks(proposal, about)];
}
