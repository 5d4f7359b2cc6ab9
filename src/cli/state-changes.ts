import { nearest } from "../diagnostics/index.js";
import type { Manifest } from "../manifest/index.js";
import type { Session, State } from "../state/index.js";
import type { Call } from "./command.js";
import { UsageError } from "./failure.js";
import { withLock } from "./store.js";

/** Changes the state of a project under its lock; what is not there cannot be changed. */
export async function changeState<Result>(
  call: Call,
  manifest: Manifest,
  command: string,
  change: (session: Session, state: State) => Promise<Result>,
): Promise<Result> {
  return withLock(call, manifest, command, async (session) => {
    const { state } = session;
    if (!state) throw new UsageError("no-state", noState(manifest));
    return change(session, state);
  });
}

/** Throws where the state knows nothing of an address: neither an object nor an interrupted write. */
export function failUnlessInState(address: string, state: State): void {
  const known = [...new Set([...Object.keys(state.objects), ...Object.keys(state.pending)])];
  if (known.includes(address)) return;
  const meant = nearest(address, known);
  const hint = meant ? `did you mean ${meant}?` : "`avatarops state list` shows what it has.";
  throw new UsageError("unknown-address", `The state has no object with the address "${address}": ${hint}`);
}

/** That there is no state yet, and what makes one. */
export function noState({ state }: Manifest): string {
  return `Nothing is managed yet: there is no state at ${state}. The first \`avatarops apply\` makes it.`;
}

/** The record without some of its keys. */
export function without<Value>(
  record: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
