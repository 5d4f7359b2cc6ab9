import type { DriftDocument, ProposalFacts, ShownDrift } from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  type Item,
  inMarkdown,
  inText,
  joined,
  list,
  name,
  notes,
  ours,
  paragraph,
  sentence,
  type Words,
  words,
} from "./blocks.js";
import { commands } from "./commands.js";
import { asChange, driftAdvice, driftCounts, driftRemarks, driftTitle } from "./drift-phrases.js";
import type { Markdown } from "./markdown.js";
import { requestCount } from "./phrases.js";
import { scope, subjectFacts } from "./subject.js";
import { undeclaredBlocks } from "./undeclared.js";

/*
 * In the description of a pull request, "fixes #12" closes an issue when it is merged: GitLab finds it in code, too.
 * So the space after such a word is written out wherever a reference follows.
 */
const closing =
  /\b((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?)[ \t]+(?=(?:issues? +)?(?:[\w./-]{0,100}[#!]\d|https?:|[A-Z][A-Z\d_]*-\d|GH-\d))/gi;

export function withoutClosing(text: Markdown): Markdown {
  return text.replace(closing, "$1‹U+0020›") as Markdown;
}

/** The counts, and each object with its fields, as last applied and live. */
export function driftBlocks(drift: DriftDocument): Block[] {
  const { service, objects, unreadable } = drift;
  const counts = `${driftCounts(drift)}.`;
  const requests = requestCount(drift.requests);
  const remarks = drift.notes.map((note) => [sentence(note)]);
  const titles = ["Change", "Object", "Name", "Fields", "Edited"];
  return [
    inText(
      heading(ours("Drift in "), name(service, "strong"), ours(" since the last apply"), ...scope(drift)),
      gap,
    ),
    inMarkdown(
      heading(ours(driftTitle(drift))),
      ...(drift.pull_request ? proposalDescription(drift.pull_request) : []),
      subjectFacts(drift, [[ours(requests)]]),
      paragraph([ours(counts)]),
    ),
    {
      is: "items",
      items: objects.map(driftItem),
      noun: "object",
      titles,
      width: 10,
      command: commands.drift,
    },
    inText(
      ...unreadable.map(({ address, reason }) =>
        paragraph([ours("unreadable  ", "error"), sentence(`${address}: ${reason}`)], 4),
      ),
      gap,
    ),
    ...undeclaredBlocks(drift.undeclared),
    inText(
      notes(remarks),
      ...proposalResult("pull request", drift.pull_request),
      ...proposalResult("issue", drift.issue),
    ),
    inMarkdown(
      list(
        [
          ...unreadable.map(
            ({ address, reason }) => words`${name(address)} could not be read: ${sentence(reason)}`,
          ),
          ...remarks,
        ],
        mostListed,
        "note",
      ),
    ),
    ...driftAdvice(drift).map((advice) => paragraph([sentence(advice)])),
    inText(paragraph([ours(`${counts} ${requests}.`, "strong")])),
  ];
}

function driftItem(object: ShownDrift): Item {
  const { change, address, label, id, updated_at: edited, fields } = object;
  const blocks = [
    ...fields.map((field): Block => ({ is: "difference", field: asChange(field) })),
    list(driftRemarks(object).map((remark) => [sentence(remark, "dim")])),
  ];
  return {
    ...{ word: change, style: change === "changed" ? "changed" : "removed", name: name(address), label },
    beside: [
      change === "vanished" ? name(id, "dim") : undefined,
      edited === undefined ? undefined : sentence(`edited ${edited}`, "dim"),
    ],
    cells: [
      joined(
        fields.map(({ field }) => [name(field)]),
        ", ",
      ),
      [name(edited ?? "")],
    ],
    below: blocks,
    sections: [{ blocks }],
  };
}

/** The most lines of a list. */
const mostListed = 30;

/** What a pull request changes, and what it leaves out: for its description. */
function proposalDescription({ written, refused, notes }: ProposalFacts): Block[] {
  const section = (title: string, entries: readonly Words[]) =>
    entries.length > 0 ? [paragraph([ours(title)]), list(entries, mostListed, "field")] : [];
  return [
    paragraph(
      words`These objects were edited elsewhere since the last apply. ${ours("Merging this keeps the edits:", "strong")} the files get the texts that are live, and there is nothing to apply. To undo an edit, close this and run ${name(commands.overwrite)}.`,
    ),
    ...section(
      "Brought back:",
      written.map(({ file, ...place }) => words`${name(fieldAddress(place))} in ${name(file)}`),
    ),
    ...section(
      "Left out:",
      refused.map(({ reason, ...place }) => words`${name(fieldAddress(place))}: ${sentence(reason)}`),
    ),
    ...notes.map((note) => paragraph(words`_${sentence(note.slice(0, 1_000))}_`)),
  ];
}

/** What became of a pull request or issue. */
function proposalResult(what: string, proposal: ProposalFacts | undefined): Block[] {
  if (!proposal) return [];
  const { result, number, url, branch, written, refused, notes } = proposal;
  const title = `${what} ${result}${number === undefined ? "" : ` #${number}`}`;
  const where = [url, branch && `branch ${branch}`].filter((part) => part !== undefined).join(", ");
  return [
    paragraph([ours(title, "good"), sentence(`  ${where}`)], 4),
    {
      is: "indented",
      blocks: [
        list(
          written.map(
            ({ file, ...place }) => words`${name(fieldAddress(place), "strong")} into ${name(file)}`,
          ),
        ),
        list(
          refused.map(({ reason, ...place }) => [
            ours("left out", "warning"),
            sentence(`  ${fieldAddress(place)}: ${reason}`),
          ]),
        ),
        list(notes.map((note) => [sentence(note, "dim")])),
      ],
    },
    gap,
  ];
}

function fieldAddress({ address, field }: { readonly address: string; readonly field?: string }): string {
  return field === undefined ? address : `${address}.${field}`;
}
