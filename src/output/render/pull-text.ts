import type { PullDocument, RefusedPull } from "../documents/index.js";
import { count } from "./phrases.js";
import { flow, type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** A pull for a terminal: a line for each field with its file, and the reason if it was refused. */
export function renderPullText(pull: PullDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const word = pull.dry_run ? "would pull" : "pulled";
  const lines = [
    ...pull.pulled.flatMap(({ address, field, file }) =>
      flow([verb(word), [styled(`${address}.${field}`, "strong")], [styled(`into ${file}`)]], width, "    "),
    ),
    ...pull.refused.flatMap((refused) => refusedLines(refused, width)),
  ];
  const ending = wrap([styled(summarize(pull), "strong")], {
    width,
    first: [styled("  ")],
    rest: [styled("  ")],
  });
  return toTerminal([...lines, ...(lines.length > 0 ? [[]] : []), ...ending], options.color);
}

function verb(word: string): Line {
  return [styled(`  ${word.padEnd(10)}`, "good")];
}

function refusedLines({ address, field, reason }: RefusedPull, width: number): Line[] {
  const what = field === undefined ? address : `${address}.${field}`;
  const below = { width, first: [styled("    ")], rest: [styled("    ")] };
  return [
    ...flow([[styled(`  ${"refused".padEnd(10)}`, "error")], [styled(what, "strong")]], width, "    "),
    ...wrap([styled(reason)], below),
  ];
}

function summarize({ pulled, refused, files, dry_run }: PullDocument): string {
  if (pulled.length + refused.length === 0) return "Nothing to pull: nothing was edited elsewhere.";
  const into = files.length > 0 ? ` into ${count(files.length, "file")}` : "";
  const not = refused.length > 0 ? `, ${count(refused.length, "refusal")}` : "";
  const dry = dry_run ? " would be" : "";
  return `${count(pulled.length, "field")}${dry} pulled${into}${not}.`;
}
