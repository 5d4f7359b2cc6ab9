import type { DriftDocument, ProposalFacts, ShownDrift } from "../documents/index.js";
import { cells, padTo } from "./cells.js";
import { asChange, driftAdvice, driftCounts, driftRemarks } from "./drift-phrases.js";
import { fieldText } from "./field-text.js";
import { largest } from "./largest.js";
import { requestCount } from "./phrases.js";
import { flow, type Line, type Span, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { undeclaredText } from "./undeclared.js";
import { visible } from "./visible.js";

const changeColumn = 10;

/** Drift for a terminal: each object with its fields, as last applied and live; the counts at the end. */
export function renderDriftText(drift: DriftDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const page = { color: options.color, width };
  const column = Math.min(
    24,
    largest(
      drift.objects.map(({ address }) => cells(visible(address))),
      0,
    ),
  );
  const lines = drift.objects.flatMap((object) => objectLines(object, column, page));
  const paragraph = (text: string, rest = "  ") => wrapped([styled(text)], width, "  ", rest);
  return toTerminal(
    [
      ...wrap(titleOf(drift), { width, first: [], rest: [styled("  ")] }),
      [],
      ...lines,
      ...drift.unreadable.flatMap(({ address, reason }) =>
        wrapped([styled("unreadable  ", "error"), styled(`${address}: ${reason}`)], width, "  ", "      "),
      ),
      ...(lines.length + drift.unreadable.length > 0 ? [[]] : []),
      ...undeclaredText(drift, width),
      ...drift.notes.flatMap((note) =>
        wrapped([styled("note", "warning"), styled(`  ${note}`)], width, "  ", "        "),
      ),
      ...proposalLines("pull request", drift.pull_request, width),
      ...proposalLines("issue", drift.issue, width),
      ...driftAdvice(drift).flatMap((advice) => paragraph(advice)),
      ...wrapped(
        [styled(`${driftCounts(drift)}. ${requestCount(drift.requests)}.`, "strong")],
        width,
        "  ",
        "  ",
      ),
    ],
    options.color,
  );
}

function titleOf({ service, environment, targets }: DriftDocument): Span[] {
  const title = [styled("Drift in "), styled(service, "strong"), styled(" since the last apply")];
  if (environment !== undefined) title.push(styled(` (${environment})`));
  if (targets !== undefined) title.push(styled(`, limited to ${targets.join(", ")}`));
  return title;
}

function objectLines(object: ShownDrift, column: number, page: TextOptions): Line[] {
  const { address, label, id, change, updated_at, fields } = object;
  const indent = " ".repeat(page.width < 60 ? 4 : changeColumn + 2);
  const things: Line[] = [
    [
      styled(`  ${change.padEnd(changeColumn)}`, change === "changed" ? "changed" : "removed"),
      styled(padTo(visible(address), column), "strong"),
    ],
  ];
  if (label !== "") things.push([styled(`"${label}"`)]);
  if (change === "vanished") things.push([styled(id, "dim")]);
  if (updated_at !== undefined) things.push([styled(`edited ${updated_at}`, "dim")]);
  return [
    ...flow(things, page.width, indent),
    ...fields.flatMap((field) => fieldText(asChange(field), indent, page)),
    ...driftRemarks(object).flatMap((remark) =>
      wrapped([styled(remark, "dim")], page.width, indent, `${indent}  `),
    ),
  ];
}

function proposalLines(what: string, proposal: ProposalFacts | undefined, width: number): Line[] {
  if (!proposal) return [];
  const { result, number, url, branch, written, refused, notes } = proposal;
  const name = [`${what} ${result}`, ...(number === undefined ? [] : [`#${number}`])].join(" ");
  const where = [url, branch && `branch ${branch}`].filter((part) => part !== undefined);
  return [
    ...wrapped([styled(name, "good"), styled(`  ${where.join(", ")}`)], width, "  ", "      "),
    ...written.flatMap(({ address, field, file }) =>
      wrapped(
        [styled(`${address}.${field}`, "strong"), styled(` into ${file}`)],
        width,
        "      ",
        "        ",
      ),
    ),
    ...refused.flatMap(({ address, field, reason }) => {
      const place = field === undefined ? address : `${address}.${field}`;
      const line = [styled("left out", "warning"), styled(`  ${place}: ${reason}`)];
      return wrapped(line, width, "      ", "        ");
    }),
    ...notes.flatMap((note) => wrapped([styled(note, "dim")], width, "      ", "        ")),
    [],
  ];
}

function wrapped(line: Line, width: number, first: string, rest: string): Line[] {
  return wrap(line, { width, first: [styled(first)], rest: [styled(rest)] });
}
