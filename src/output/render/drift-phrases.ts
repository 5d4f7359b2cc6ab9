import type { DriftDocument, ShownDrift, ShownDriftField, ShownField } from "../documents/index.js";
import { commands } from "./commands.js";
import { count, number } from "./phrases.js";

/** "2 edited elsewhere, 1 gone; 12 as last applied, 3 cannot be read". */
export function driftCounts({ summary }: DriftDocument): string {
  const moved = [
    ...(summary.changed > 0 ? [`${number(summary.changed)} edited elsewhere`] : []),
    ...(summary.vanished > 0 ? [`${number(summary.vanished)} gone`] : []),
    ...(summary.unreadable > 0 ? [`${number(summary.unreadable)} could not be read`] : []),
  ];
  const rest = [
    `${number(summary.unchanged)} as last applied`,
    ...(summary.unobservable > 0 ? [`${number(summary.unobservable)} cannot be read back`] : []),
  ];
  return `${moved.join(", ") || "No drift"}; ${rest.join(", ")}`;
}

/** The field as a difference in a plan has it: as last applied, then live. */
export function asChange(field: ShownDriftField): ShownField {
  const { files, ...shown } = field;
  return { ...shown, cause: files === "other" ? "conflicting" : "configured" };
}

/** What to know of an object besides its fields, as sentences. */
export function driftRemarks({ address, change, successor, fields }: ShownDrift): string[] {
  if (change === "vanished") {
    const other =
      successor === undefined ? [] : [`Another object has its name now: ${successor}. Apply adopts it.`];
    const again = `The account no longer has it. If it should not come back, take it out of the files, or stop managing it: \`${commands.forget(address)}\`.`;
    return [...other, again];
  }
  const have = new Set(fields.map(({ files }) => files));
  const unknown = fields.some(({ before }) => typeof before === "object" && "digest" in before);
  return [
    ...(have.has("undeclared") ? ["No file declares it any more."] : []),
    ...(have.has("live") ? [`${named(fields, "live")} so in the files already: apply records it.`] : []),
    ...(have.has("other")
      ? [`The files changed too: \`${commands.pull(address)}\` takes the live text and drops theirs.`]
      : []),
    ...(unknown ? ["Of a long text only the digest is recorded, and the files no longer have it."] : []),
  ];
}

function named(fields: readonly ShownDriftField[], files: ShownDriftField["files"]): string {
  const own = fields.filter((field) => field.files === files);
  if (own.length === fields.length) return "It is";
  return `${own.map(({ field }) => field).join(", ")} ${own.length === 1 ? "is" : "are"}`;
}

/** What the user can do about edits, as sentences; none if nothing was edited. */
export function driftAdvice({ objects, pull_request, issue }: DriftDocument): string[] {
  const edited = objects.some(({ fields }) => fields.some(({ files }) => files !== "live"));
  if (!edited || pull_request || issue) return [];
  return [
    `Keep the edits: \`${commands.pullAll}\` writes them into the files, \`${commands.bringBack}\` proposes that. Undo them: \`${commands.overwrite}\`.`,
  ];
}

/** "Drift: 2 objects edited elsewhere, 1 gone", for a title. */
export function driftTitle({ summary: { changed, vanished } }: DriftDocument): string {
  const edited = changed > 0 ? [`${count(changed, "object")} edited elsewhere`] : [];
  const gone = vanished > 0 ? [`${changed > 0 ? number(vanished) : count(vanished, "object")} gone`] : [];
  return `Drift: ${[...edited, ...gone].join(", ")}`.replace(/^Drift: $/, "No drift");
}
