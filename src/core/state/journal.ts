import * as z from "zod";
import { type DeepReadonly, parseJson } from "../../base/text/index.js";
import { maxLockAgeMs } from "./lock-holder.js";
import {
  address,
  entryForm,
  firstWrong,
  holdForm,
  intentForm,
  projectIdentityForm,
  type State,
  type Stopped,
} from "./state.js";
import { refuseNewer, StateError } from "./state-error.js";

/**
 * The journal: what a run has done since it last wrote the state.
 *
 * Writing the whole state before and after each of a thousand requests would cost two thousand rewrites. Instead, each
 * step is appended to a journal and synced to disk, and the state is written once, at the end; then the journal is
 * removed. A crash leaves one of:
 *
 * - a state and a journal based on it: the current state is the state with the journal applied;
 * - a new state and the journal already applied to it, not yet removed: the journal is *spent*. The state has the id of
 *   the last applied journal, which decides this. The serial would not be enough: a colleague's state with the same
 *   serial, pulled by git over an interrupted run, would hide what that run did;
 * - a journal without a complete header: nothing has been sent yet, so it is *void*.
 *
 * Any other pair, such as an older state restored beside a newer journal, is refused: the user must decide.
 *
 * One line is one write and one sync, with all records that arrived during the previous one, or shortly after it (group commit). A line is
 * started only when the previous one is on disk, so only the last line can be torn: without its line end, or, after a
 * power failure, with holes of NUL bytes. A torn line was never acknowledged, and is dropped. Any other unreadable line
 * is damage, and an error: the rest may contain creates that must not be repeated.
 */
const headerForm = z.strictObject({
  /** Version of the journal's format. */
  journal: z.literal(1),
  id: z.string(),
  /** The state it is based on. */
  lineage: z.string(),
  serial: z.int(),
  service: z.string(),
  /** Time limit of a request of this run, in ms: once sent, it is processed or lost within it. */
  requestTimeoutMs: z.int().positive(),
  /** The project whose run wrote it. */
  project: z.exactOptional(projectIdentityForm),
});

export type JournalHeader = DeepReadonly<z.infer<typeof headerForm>>;

const recordForm = z.union([
  z.strictObject({ intend: intentForm }),
  /** Done: the new entry; without an entry, the object is no longer managed. */
  z.strictObject({ settle: address, entry: z.exactOptional(entryForm) }),
  /** The service refused: the intent is void. */
  z.strictObject({ refuse: address }),
  z.strictObject({ fingerprintKey: z.string() }),
  z.strictObject({ holds: z.array(holdForm) }),
  /** The lock was removed or taken over at this time, ISO 8601. */
  z.strictObject({ unlocked: z.iso.datetime() }),
]);

const lineForm = z.array(recordForm);

/** A step of a run. */
export type JournalStep = DeepReadonly<z.infer<typeof recordForm>>;

/** A state that steps are applied to, in place. */
export type Draft = {
  -readonly [Key in keyof State]: Key extends "objects" | "pending" ? Mutable<State[Key]> : State[Key];
};

export function replayJournal(
  draft: Draft,
  record: JournalStep,
  { requestTimeoutMs }: Pick<JournalHeader, "requestTimeoutMs">,
): void {
  if ("unlocked" in record)
    markStopped(draft, { at: record.unlocked, withinMs: requestTimeoutMs + maxLockAgeMs });
  else if ("intend" in record) draft.pending[record.intend.address] = record.intend;
  else if ("refuse" in record) delete draft.pending[record.refuse];
  else if ("fingerprintKey" in record) draft.fingerprintKey = record.fingerprintKey;
  else if ("holds" in record) draft.holds = record.holds;
  else {
    delete draft.pending[record.settle];
    if (record.entry) draft.objects[record.settle] = record.entry;
    else delete draft.objects[record.settle];
  }
}

/**
 * Notes of every open create that its run has stopped: none is sent after `at`, and one sent before is processed or lost
 * `withinMs` after that.
 */
export function markStopped(draft: Draft, stopped: Stopped): void {
  for (const [address, intent] of Object.entries(draft.pending))
    if (intent.id === undefined && !intent.stopped) draft.pending[address] = { ...intent, stopped };
}

/**
 * Closes the journal of a run whose lock is removed or taken over: if a write of it is open, the time is noted. Returns the
 * text without a torn last line.
 */
export function closeJournal(text: string | undefined, file: string, nowMs: number): string | undefined {
  if (text === undefined || !hasOpenWrites(text, file)) return text;
  const step: JournalStep = { unlocked: new Date(nowMs).toISOString() };
  return [...wholeLines(text), JSON.stringify([step]), ""].join("\n");
}

/**
 * Parses the text of a journal; undefined if it is void.
 *
 * @throws StateError with the line.
 */
export function parseJournal(
  text: string,
  file: string,
): { header: JournalHeader; records: JournalStep[] } | undefined {
  const lines = wholeLines(text);
  const [first, ...rest] = lines;
  if (first === undefined) return undefined;
  const header = parseHeader(first, file);
  return { header, records: rest.flatMap((line, at) => parseLine(line, file, at + 2)) };
}

/** Whether a write of a journal has no outcome. A damaged journal has none that can be noted: the next run reports the damage. */
function hasOpenWrites(text: string, file: string): boolean {
  const open = new Set<string>();
  try {
    for (const record of parseJournal(text, file)?.records ?? []) {
      if ("intend" in record) open.add(record.intend.address);
      else if ("settle" in record) open.delete(record.settle);
      else if ("refuse" in record) open.delete(record.refuse);
    }
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return false;
  }
  return open.size > 0;
}

type Mutable<Of> = { -readonly [Key in keyof Of]: Of[Key] };

/** All lines except a torn last one. */
function wholeLines(text: string): string[] {
  const lines = text.split("\n");
  lines.pop();
  if (lines.at(-1)?.includes("\0")) lines.pop();
  return lines;
}

function parseHeader(line: string, file: string): JournalHeader {
  const value = parseJsonLine(line, file, 1);
  refuseNewer(file, value, "journal");
  return checked(headerForm, value, file, 1);
}

function parseLine(line: string, file: string, number: number): JournalStep[] {
  return checked(lineForm, parseJsonLine(line, file, number), file, number);
}

function parseJsonLine(line: string, file: string, number: number): unknown {
  const value = parseJson(line);
  if (value === undefined) throw damaged(file, number, "it is not JSON");
  return value;
}

function checked<Of>(shape: z.ZodType<Of>, value: unknown, file: string, line: number): Of {
  const result = shape.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const { at, what } = firstWrong(result.error);
  throw damaged(file, line, `${at} ${what}`);
}

function damaged(file: string, line: number, why: string): StateError {
  return new StateError(
    "corrupt",
    file,
    `Line ${line} of ${file} is damaged: ${why}. The file records what an interrupted run did. Restore it from a backup; ` +
      `or delete that line, compare the objects it may have named with the service, and run \`avatarops plan\`.`,
    { line },
  );
}
