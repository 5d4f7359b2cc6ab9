import {
  type DriftDocument,
  listNames,
  type ProposalFacts,
  referenceAdvice,
  type ShownDrift,
  type ShownDriftField,
} from "../documents/index.js";
import {
  type Block,
  bulletList,
  command,
  gap,
  heading,
  inline,
  joinInline,
  type ListItem,
  markdownOnly,
  name,
  notes,
  ownText,
  paragraph,
  sentence,
  textOnly,
} from "./blocks.js";
import { commands } from "./commands.js";
import type { Markdown } from "./markdown.js";
import { formatNumber, formatRequestCount } from "./phrases.js";
import { renderProposalBlocks } from "./proposal.js";
import { describeScope, renderSubject } from "./subject.js";

/*
 * "fixes #12" in a pull request description closes the issue on merge, in GitLab even within code. To prevent this, the
 * space before the reference is replaced by a visible code.
 */
const closing =
  /\b((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?)[ \t]+(?=(?:issues? +)?(?:<code>)?(?:[\w./-]{0,100}[#!]\d|https?:|[A-Z][A-Z\d_]*-\d|GH-\d))/gi;

export function dropClosing(text: Markdown): Markdown {
  return text.replace(closing, "$1‹U+0020›") as Markdown;
}

/** Describes the counts, and each object with its last applied and live fields. */
export function renderDriftBlocks(drift: DriftDocument): Block[] {
  const { service, objects, unreadable, rotation_pending: rotated, secrets_unverified: unverified } = drift;
  const counts = `${formatDriftCounts(drift)}.`;
  const requests = formatRequestCount(drift.requests);
  const proposed = drift.pull_request
    ? renderProposalBlocks(drift.pull_request, describeAlsoChanged(drift.pull_request))
    : [];
  const titles = ["Change", "Object", "Name", "Fields", "Edited"];
  return [
    textOnly(
      heading(
        ownText("Drift in "),
        name(service, "strong"),
        ownText(" since the last apply"),
        ...describeScope(drift),
      ),
      gap,
    ),
    markdownOnly(heading(ownText(counts)), ...proposed, renderSubject(drift, [[ownText(requests)]])),
    {
      is: "items",
      items: objects.map(renderDriftItem),
      noun: "object",
      titles,
      width: 10,
      command: commands.drift,
    },
    bulletList(
      [
        ...unreadable.map(
          ({ address, reason }) => inline`${name(address)} could not be read: ${sentence(reason, "error")}`,
        ),
        ...rotated.map(
          ({ address, note = "" }) =>
            inline`${name(address)} was rotated at its source, and the new value was not sent. ${sentence(note)}`,
        ),
        ...unverified.map(({ address, reason }) => inline`${name(address)}: ${sentence(reason, "dim")}`),
      ],
      maxListed,
      "object",
    ),
    gap,
    notes(drift.notes.map((note) => [sentence(note)])),
    textOnly(...proposed),
    ...createDriftAdvice(drift).map((advice) => paragraph([sentence(advice)])),
    textOnly(paragraph([ownText(`${counts} ${requests}.`, "strong")])),
  ];
}

function renderDriftItem(object: ShownDrift): ListItem {
  const { change, address, label, id, updated_at: edited, fields } = object;
  const blocks = [
    // Formatted like a planned change from the last applied value to the live value.
    ...fields.map(({ files, ...shown }): Block => {
      const cause = files === "other" ? "conflicting" : "configured";
      return { is: "difference", field: { ...shown, cause } };
    }),
    bulletList(renderDriftRemarks(object).map((remark) => [sentence(remark, "dim")])),
  ];
  return {
    ...{ word: change, style: change === "changed" ? "changed" : "removed", name: name(address), label },
    beside: [
      change === "vanished" ? name(id, "dim") : undefined,
      edited === undefined ? undefined : sentence(`edited ${edited}`, "dim"),
    ],
    cells: [
      joinInline(
        fields.map(({ field }) => [name(field)]),
        ", ",
      ),
      [name(edited ?? "")],
    ],
    below: blocks,
    section: blocks,
  };
}

const maxListed = 30;

const describeAlsoChanged = ({ also_changes: also = [] }: ProposalFacts) =>
  inline`These objects were edited elsewhere since the last apply. ${ownText("Merging this keeps the edits", "strong")} by writing the live texts into the files. ${ownText(also.length > 0 ? "The next apply then changes only the texts listed above." : "The next apply then leaves these objects unchanged.")} To undo an edit, close this pull request and run ${command(commands.overwrite)}.`;

/** Formats counts, such as "2 edited elsewhere, 1 gone; 12 as last applied, 3 cannot be read back". */
function formatDriftCounts({ summary, objects, rotation_pending: rotated }: DriftDocument): string {
  const conflicting = objects.filter((object) => object.conflicting).length;
  const both = conflicting > 0 ? ` (${formatNumber(conflicting)} conflicting)` : "";
  const moved = [
    ...(summary.changed > 0 ? [`${formatNumber(summary.changed)} edited elsewhere${both}`] : []),
    ...(summary.vanished > 0 ? [`${formatNumber(summary.vanished)} gone`] : []),
    ...(summary.unreadable > 0 ? [`${formatNumber(summary.unreadable)} could not be read`] : []),
  ];
  const rest = [
    `${formatNumber(summary.unchanged)} as last applied`,
    ...(summary.unobservable > 0 ? [`${formatNumber(summary.unobservable)} cannot be read back`] : []),
    ...(rotated.length > 0 ? [`${formatNumber(rotated.length)} rotated but not sent`] : []),
  ];
  return `${moved.join(", ") || "No drift"}; ${rest.join(", ")}`;
}

/** Returns remarks on an object, as sentences. */
function renderDriftRemarks({ address, change, successor, conflicting, fields }: ShownDrift): string[] {
  if (change === "vanished") {
    const other =
      successor === undefined
        ? []
        : [`Another object now has the same name: ${successor}. Apply adopts that object.`];
    return [
      ...other,
      "This object was deleted from the account. To keep it deleted, remove it from the files.",
    ];
  }
  const references = fields.filter(({ type, files }) => type === "reference" && isInFiles(files));
  const have = new Set(fields.filter(({ type }) => type !== "reference").map(({ files }) => files));
  const live = fields.flatMap(({ field, files }) => (files === "live" ? [field] : []));
  const merged = fields.flatMap(({ field, files }) => (files === "merged" ? [field] : []));
  const unknown = fields.some(({ before }) => typeof before === "object" && "digest" in before);
  return [
    ...(fields.some(({ files }) => files === "undeclared") ? ["It was removed from the files."] : []),
    ...(live.length > 0
      ? [`The files already have the live value of ${listNames(live)}, so apply only records the value.`]
      : []),
    ...(merged.length > 0
      ? [
          `The files already contain the edit to ${listNames(merged)} and other changes, so apply keeps the edit.`,
        ]
      : []),
    ...(have.has("other")
      ? [
          `The files changed as well. \`${commands.pull(address)}\` merges the edit, or shows what both sides changed.`,
        ]
      : conflicting
        ? [`Other fields changed in the files. \`${commands.pull(address)}\` adds the edit to the files.`]
        : []),
    ...references.map(({ field }) => `To keep the edit to ${field}: ${referenceAdvice}`),
    ...(unknown ? ["The applied text is neither in the files nor in the last 50 records."] : []),
  ];
}

/** Returns the next steps as sentences, if any. */
function createDriftAdvice({ objects, rotation_pending: rotated, pull_request }: DriftDocument): string[] {
  const rotation =
    rotated.length > 0
      ? [`Any apply sends the rotated values. To send nothing else: \`${commands.sendRotated}\`.`]
      : [];
  if (pull_request) return rotation;
  const fields = objects.flatMap((object) => object.fields);
  const isPulled = fields.some(({ type, files }) => type !== "reference" && files === "applied");
  const keep = `Keep the edits: \`${commands.pullAll}\` writes them into the files. In CI, \`${commands.bringBack}\` opens a pull request.`;
  const undo = `Undo the edits: \`${commands.overwrite}\`.`;
  const isUndone = fields.some(({ files }) => isInFiles(files));
  const advice = [...(isPulled ? [keep] : []), ...(isUndone ? [undo] : [])].join(" ");
  return [...rotation, ...(advice ? [advice] : [])];
}

/** Returns whether the files declare a value other than the live one. */
function isInFiles(files: ShownDriftField["files"]): boolean {
  return files === "applied" || files === "other";
}
