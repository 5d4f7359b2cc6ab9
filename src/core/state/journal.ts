import * as z from "zod";
import { type DeepReadonly, parseJson } from "../../base/text/index.js";
import { maxLockAgeMs } from "./lock-holder.js";
import { runFacts } from "./run-facts.js";
import {
  address,
  entryForm,
  findFirstProblem,
  holdForm,
  intentForm,
  projectIdentityForm,
  type State,
  type StoppedRun,
} from "./state.js";
import { assertNotNewer, StateError } from "./state-error.js";

/**
 * The journal contains the steps of a run since its last commit. Without it, every step would rewrite the whole state.
 *
 * - A journal that is based on the stored state is applied to it.
 * - A *spent* journal is already part of the state.
 * - A *void* journal has no complete header. Nothing was sent.
 *
 * Any other journal is rejected. Only the last line can be torn, and a torn line is dropped (see "Design notes" in
 * ARCHITECTURE.md).
 */
const headerForm = z.strictObject({
  /** Version of the journal format. */
  journal: z.literal(1),
  id: z.string(),
  /** Lineage of the state that the journal is based on. */
  lineage: z.string(),
  serial: z.int(),
  service: z.string(),
  /** Request timeout. Once it has passed, a request has either been processed or lost. */
  requestTimeoutMs: z.int().positive(),
  /** Project that the run applies. */
  project: z.exactOptional(projectIdentityForm),
  /** User and files of the run, for the record if another run commits this journal. */
  run: z.exactOptional(runFacts),
});

export type JournalHeader = DeepReadonly<z.infer<typeof headerForm>>;

const recordForm = z.union([
  z.strictObject({ intend: intentForm }),
  /** Successful write. If `entry` is missing, the object is no longer managed. */
  z.strictObject({ settle: address, entry: z.exactOptional(entryForm) }),
  /** Write that the service rejected. */
  z.strictObject({ refuse: address }),
  z.strictObject({ fingerprintKey: z.string() }),
  z.strictObject({ holds: z.array(holdForm) }),
  /** Time when the lock was removed or taken over (ISO 8601). */
  z.strictObject({ unlocked: z.iso.datetime() }),
]);

const lineForm = z.array(recordForm);

/** Journal entry, such as an intent or its outcome. */
export type JournalStep = DeepReadonly<z.infer<typeof recordForm>>;

/** State that is modified while a journal is replayed. */
export type MutableState = {
  -readonly [Key in keyof State]: Key extends "objects" | "pending" ? Mutable<State[Key]> : State[Key];
};

export function replayJournal(
  draft: MutableState,
  record: JournalStep,
  { requestTimeoutMs, run }: Pick<JournalHeader, "requestTimeoutMs" | "run">,
): void {
  if ("unlocked" in record)
    markStopped(draft, { at: record.unlocked, withinMs: requestTimeoutMs + maxLockAgeMs });
  else if ("intend" in record)
    draft.pending[record.intend.address] = { ...record.intend, ...(run && { run }) };
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
 * Marks creates without an outcome as stopped: their run sends nothing after `stopped.at`, and `stopped.withinMs`
 * later, all its requests are either processed or lost.
 */
export function markStopped(draft: MutableState, stopped: StoppedRun): void {
  for (const [address, intent] of Object.entries(draft.pending))
    if (intent.id === undefined && !intent.stopped) draft.pending[address] = { ...intent, stopped };
}

/**
 * Closes a run's journal when its lock is removed or taken over. Records the time if a write is open. Drops a torn last
 * line.
 */
export function closeJournal(text: string | undefined, file: string, nowMs: number): string | undefined {
  if (text === undefined || !hasOpenWrites(text, file)) return text;
  const step: JournalStep = { unlocked: new Date(nowMs).toISOString() };
  return [...listWholeLines(text), JSON.stringify([step]), ""].join("\n");
}

/**
 * Parses a journal. Returns undefined if it is void.
 *
 * @throws StateError with the damaged line.
 */
export function parseJournal(
  text: string,
  file: string,
): { header: JournalHeader; records: JournalStep[] } | undefined {
  const lines = listWholeLines(text);
  const [first, ...rest] = lines;
  if (first === undefined) return undefined;
  const header = parseHeader(first, file);
  return { header, records: rest.flatMap((line, at) => parseLine(line, file, at + 2)) };
}

/** Returns whether any write has no outcome. Returns false for a damaged journal, which the next run reports. */
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

/** Lists all lines, except a torn last line. */
function listWholeLines(text: string): string[] {
  const lines = text.split("\n");
  lines.pop();
  if (lines.at(-1)?.includes("\0")) lines.pop();
  return lines;
}

function parseHeader(line: string, file: string): JournalHeader {
  const value = parseJsonLine(line, file, 1);
  assertNotNewer(file, value, "journal");
  return checkForm(headerForm, value, file, 1);
}

function parseLine(line: string, file: string, number: number): JournalStep[] {
  return checkForm(lineForm, parseJsonLine(line, file, number), file, number);
}

function parseJsonLine(line: string, file: string, number: number): unknown {
  const value = parseJson(line);
  if (value === undefined) throw createDamagedError(file, number, "it is not JSON");
  return value;
}

function checkForm<Of>(shape: z.ZodType<Of>, value: unknown, file: string, line: number): Of {
  const result = shape.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const { at, problem } = findFirstProblem(result.error);
  throw createDamagedError(file, line, `${at} ${problem}`);
}

function createDamagedError(file: string, line: number, reason: string): StateError {
  return new StateError(
    "corrupt",
    file,
    `Line ${line} of ${file}, the journal of an interrupted run, is damaged: ${reason}. Restore the journal from a backup. ` +
      `Without a backup, delete that line, check its objects in the account and run \`avatarops plan\`.`,
    { line },
  );
}
