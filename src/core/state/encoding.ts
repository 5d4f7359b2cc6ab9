import type * as z from "zod";
import { findConflictMarkers, parseJson, toPlainLine } from "../../base/text/index.js";
import {
  entryForm,
  findFirstProblem,
  intentForm,
  movedForm,
  projectIdentityForm,
  type State,
  type StateFile,
  stateFileForm,
} from "./state.js";
import { assertNotNewer, StateError } from "./state-error.js";
import type { StoreNames } from "./store-backend.js";

/**
 * Encodes a state for readable git diffs, with sorted addresses, a fixed field order and one value per line. Omits
 * observations (see in-sync-cache.ts).
 */
export function encodeState(state: State, journal: string | undefined): string {
  const holds = state.holds?.length ? state.holds : undefined;
  const file = {
    ...state,
    ...{ holds, journal },
    project: state.project && orderFields(projectIdentityForm, state.project),
    objects: sortByAddress(state.objects, (entry) =>
      orderFields(entryForm, { ...entry, inSyncAt: undefined }),
    ),
    pending: sortByAddress(state.pending, (intent) => orderFields(intentForm, intent)),
  };
  return `${JSON.stringify(orderFields(stateFileForm, file), null, 2)}\n`;
}

/** Adds the new location to the text of a moved state. */
export function markMoved(text: string, moved: { readonly to: string; readonly at: string }): string {
  return `${JSON.stringify({ moved, ...Object(parseJson(text)) }, null, 2)}\n`;
}

/**
 * Removes the new location, so that the state can be moved back. Returns the text unchanged if the state was not moved.
 */
export function unmarkMoved(text: string, names: StoreNames): string {
  if (!movedForm.safeParse(parseJson(text)).success) return text;
  const { moved: _, ...state } = Object(parseJson(text));
  const { journal, ...rest } = decodeState(JSON.stringify(state), names);
  return encodeState(rest, journal);
}

/**
 * Parses a state file's text.
 *
 * @throws StateError with the position of the error and what to do.
 */
export function decodeState(text: string, names: StoreNames): StateFile {
  const { state: file } = names;
  const value = parseStateText(text, names);
  assertNotMoved(file, value);
  assertNotNewer(file, value, "version");
  const checked = stateFileForm.safeParse(value, { reportInput: true });
  if (checked.success) return checked.data;
  const { at, problem } = findFirstProblem(checked.error);
  throw new StateError(
    "corrupt",
    file,
    `${file} is not a valid state: ${at} ${problem}. ${adviseRestore(names)}`,
    {
      at,
    },
  );
}

function assertNotMoved(file: string, value: unknown): void {
  if (!Object.hasOwn(Object(value), "moved")) return;
  const { moved } = movedForm.safeParse(value).data ?? {};
  if (!moved) return;
  const to = toPlainLine(moved.to);
  throw new StateError(
    "moved",
    file,
    `The state was moved away from ${file} on ${moved.at.slice(0, 10)}. Pull the commit with its new location, or set it ` +
      `in the manifest: \`state: ${to}\`.`,
  );
}

function adviseRestore({ restore }: StoreNames): string {
  return `Undo the edit, or restore the last good version (${restore}).`;
}

function parseStateText(text: string, names: StoreNames): unknown {
  const { state: file } = names;
  // Some editors and shells start files with a byte order mark.
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  if (value !== undefined) return value;
  const conflict = findConflictMarkers(text);
  if (!conflict)
    throw new StateError(
      "corrupt",
      file,
      `${file} is not JSON, or is nested too deeply. ${adviseRestore(names)}`,
    );
  const line = text.slice(0, conflict.start).split("\n").length;
  throw new StateError(
    "merge-conflict",
    file,
    `${file} contains git conflict markers (line ${line}), because two branches were applied independently. Keep the side that ` +
      "was applied last (`git checkout --ours` or `--theirs`) and run `avatarops plan`, which finds the other side's contexts " +
      "by name. Restore the other side's secrets with `avatarops import`.",
  );
}

function sortByAddress<Of>(
  record: Readonly<Record<string, Of>>,
  orderEntry: (entry: Of) => unknown,
): unknown {
  const addresses = Object.keys(record).sort();
  return Object.fromEntries(addresses.map((address) => [address, orderEntry(record[address] as Of)]));
}

/** Field names by schema. */
const orders = new WeakMap<z.ZodObject, readonly string[]>();

/** Sorts an object's fields in the order of its schema. */
function orderFields(form: z.ZodObject, value: object): unknown {
  const order = orders.get(form) ?? Object.keys(form.shape);
  orders.set(form, order);
  const sorted: Record<string, unknown> = {};
  for (const key of order) sorted[key] = (value as Record<string, unknown>)[key];
  return sorted;
}
