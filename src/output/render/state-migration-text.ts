import type { StateMigrationDocument } from "../documents/index.js";
import { count } from "./phrases.js";
import { type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** A migration for a terminal: what was moved, and the line to write. */
export function renderStateMigrationText(migration: StateMigrationDocument, options: TextOptions): string {
  const { from, to, environment, unchanged } = migration;
  const width = Math.max(options.width, 24);
  const paragraph = (text: string, style: "plain" | "strong" = "plain"): Line[] =>
    wrap([styled(text, style)], { width, first: [styled("  ")], rest: [styled("  ")] });
  const verb = unchanged ? "Everything was in its new place already" : "Copied the state to its new place";
  const setting = environment === undefined ? ["state"] : ["environments", environment, "state"];
  return toTerminal(
    [
      ...paragraph(`${verb}, and compared what is there: ${describeContent(migration)}.`, "strong"),
      [],
      ...paragraph("Now write this in the manifest, so that every run uses it, and commit it:"),
      [],
      ...setting.map((key, depth): Line => {
        const value = depth === setting.length - 1 ? ` ${quoted(to)}` : "";
        return [styled(`${"  ".repeat(depth + 2)}${key}:${value}`, "added")];
      }),
      [],
      ...paragraph(
        `The old state stays in ${from}. A run with the old setting would go on with it: remove it when no branch ` +
          "and no pipeline uses it any more.",
      ),
    ],
    options.color,
  );
}

function describeContent({ serial, objects, pending, records }: StateMigrationDocument): string {
  const open = pending === 0 ? [] : [count(pending, "unsettled write")];
  return [`serial ${serial}`, count(objects, "object"), ...open, count(records, "record")].join(", ");
}

/** As a value in YAML. */
function quoted(text: string): string {
  return /^[\w./+:?=&%@~-]+$/.test(text) ? text : JSON.stringify(text);
}
