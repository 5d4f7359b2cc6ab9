import {
  describeHold,
  type HistoryChange,
  type HistoryField,
  type HistoryGapDocument,
  type HistoryRecordDocument,
  isForgotten,
  type ShownCommit,
  type ShownField,
  type ShownPoint,
} from "../documents/index.js";
import { count, number } from "./phrases.js";
import { isShort, valueInLine } from "./value-text.js";

/** Our words about a history, for text and Markdown. Names from outside are separate pieces. */

/** "2026-01-02 03:04 UTC"; as it is if it is no time. */
export function formatMoment(at: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(at) ?? [];
  return day === undefined ? at : `${day} ${minute} UTC`;
}

function shortId(commit: string): string {
  return commit.slice(0, 10);
}

/** "commit 0123456789", and whether the files were those of it. */
export function commitWords({ id, modified }: ShownCommit): string {
  return `commit ${shortId(id)}${modified ? ", with changes that were not committed" : ""}`;
}

/** "serial 12 (2026-01-02 03:04 UTC, commit 0123456789)". */
export function pointWords({ serial, at, commit }: ShownPoint): string {
  const facts = [...(at === undefined ? [] : [formatMoment(at)]), ...(commit ? [commitWords(commit)] : [])];
  return `serial ${serial}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
}

/** What else a record says, each as a part of a line. */
export function recordRemarks({
  recovered,
  restored,
  moved,
  earlier_state,
  held,
  released = [],
}: HistoryRecordDocument): string[] {
  const what = (addresses: readonly string[] = ["all objects"]) => addresses.join(", ");
  return [
    ...(earlier_state ? ["of an earlier state, which was replaced"] : []),
    ...(recovered ? ["what an interrupted run had done"] : []),
    ...(restored ? [`back to serial ${restored.serial}`] : []),
    ...(moved ? [`${moved.from} is now ${moved.to}`] : []),
    ...(held ? [`${what(held.addresses)} on hold ${describeHold(held)}`] : []),
    ...released.map((hold) => `no longer on hold: ${what(hold.addresses)} (${hold.reason})`),
  ];
}

/** What happened to an object: "changed", "failed". */
export function effectWords({ effect, status }: HistoryChange): string {
  return effect === "none" ? (status ?? "") : effect;
}

/** What a change that did not end well was to do, and why it did not; and what else its fields do not tell. */
export function changeRemarks({ action, status, problem, overwritten, protect }: HistoryChange): string[] {
  const code = problem === undefined ? "" : ` [${problem}]`;
  return [
    ...(status === undefined || status === "applied"
      ? []
      : [`${status === "unknown" ? "answer lost: " : ""}to ${action ?? "change"}${code}`]),
    ...(overwritten ? ["over an edit made elsewhere"] : []),
    ...(protect === undefined ? [] : [protect ? "now protected" : "no longer protected"]),
  ];
}

/** A difference in a few words: "prompt 1,203 → 1,250 characters". */
export function fieldWords({ field, type, before, after }: HistoryField): string {
  if (type === "write-only") return `${field} (new value)`;
  const [old, now] = [before?.length, after?.length];
  const isTold = [before, after].every((value) => value === undefined || isBrief(value));
  if (isTold && type !== "list") {
    const shown = [before, after].flatMap((value) => (value === undefined ? [] : [valueInLine(value)]));
    return `${field} ${shown.join(" → ")}`;
  }
  if (type === "list") return field;
  if (now === undefined) return `${field} (no longer managed)`;
  if (old === undefined) return `${field} (${count(now, "character")})`;
  return `${field} (${number(old)} → ${count(now, "character")})`;
}

function isBrief(value: NonNullable<HistoryField["before"]>): boolean {
  return typeof value === "string" && isShort(value);
}

/** What is missing in a history: a sentence. */
export function gapWords({ gap, from, to }: HistoryGapDocument): string {
  const which =
    from === undefined
      ? "A record"
      : from === to
        ? `The record of serial ${from}`
        : `The records of serials ${from} to ${to}`;
  if (gap === "newer") return `${which} was written by a newer avatarops: upgrade avatarops to read it.`;
  if (gap === "damaged") return `${which} is damaged and is left out.`;
  return from === to ? `${which} is missing.` : `${which} are missing.`;
}

/** The same as a field of a plan, to show its difference; undefined if the new text is not known. */
export function asShownField({ field, type, before, after }: HistoryField): ShownField | undefined {
  if (after !== undefined && isForgotten(after)) return undefined;
  return {
    ...{ field, type, cause: "configured" },
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
