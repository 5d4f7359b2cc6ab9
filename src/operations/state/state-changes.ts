import { UsageError } from "../../base/diagnostics/index.js";
import { isSameId } from "../../base/text/index.js";
import { type Kind, parseAddress, suggestAddress } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { State, StateWriter } from "../../core/state/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { withLock } from "./project-store.js";

/** Changes a project's state under its lock. Fails if there is no state. */
export async function changeState<Result>(
  runtime: Runtime,
  manifest: Manifest,
  command: string,
  change: (session: StateWriter, state: State) => Promise<Result>,
): Promise<Result> {
  return withLock(runtime, manifest, command, async (session) => {
    const { state } = session;
    if (!state) throw new UsageError("no-state", describeNoState(manifest));
    return change(session, state);
  });
}

/** Throws if the state contains neither an object nor an interrupted write at an address. */
export function assertInState(address: string, state: State): void {
  const known = [...new Set([...Object.keys(state.objects), ...Object.keys(state.pending)])];
  if (known.includes(address)) return;
  const hint = suggestAddress(address, known, "To list its objects: `avatarops state list`.");
  throw new UsageError("unknown-address", `The state has no object with the address "${address}". ${hint}`);
}

/**
 * Rejects an import if the object already has another address, or if the address already has another object.
 *
 * @throws UsageError
 */
export function assertAddressFree(
  { address, kind, id }: { readonly address: string; readonly kind: Kind; readonly id: string },
  { declarations }: Manifest,
  state: State | undefined,
): void {
  const declared = new Set(declarations.map((declaration) => declaration.address));
  const createTakenError = (message: string) => new UsageError("already-managed", message);
  const [holder] =
    Object.entries(state?.objects ?? {}).find(
      ([other, entry]) =>
        other !== address && isSameId(entry.id, id) && parseAddress(other)?.kind.name === kind.name,
    ) ?? [];
  const own = state?.objects[address]?.id;
  const pending = state?.pending[address];
  if (holder !== undefined) {
    const first = own === undefined && !pending ? "" : `\`avatarops state forget ${address}\`, and then `;
    const move = `${first}\`avatarops state mv ${holder} ${address}\``;
    const advice = declared.has(address)
      ? `To rename it: ${move}.`
      : declared.has(holder)
        ? `To rename it, change its name in the files and run ${move}.`
        : `To declare it again under that name: \`avatarops import --write ${holder} ${id}\`.`;
    throw createTakenError(`${id} is already managed as ${holder}. ${advice}`);
  }
  // An import resolves an interrupted create, because only the user can tell which object it created. An interrupted
  // update belongs to the bound object.
  const isResolved = pending && (pending.id === undefined || isSameId(own, id));
  if (own === undefined || (declared.has(address) && isResolved)) return;
  if (own !== id)
    throw createTakenError(
      `${address} is already bound to ${own}. To stop managing that object: \`avatarops state forget ${address}\`.`,
    );
  if (declared.has(address))
    throw createTakenError(`${address} is already bound to ${id}, so there is nothing to import.`);
}

/** Creates the error for a state that another run changed while a prompt was open. */
export function createStateChangedError(): UsageError {
  return new UsageError(
    "state-changed",
    "Nothing was changed, because another run changed the state in the meantime. Run the command again.",
  );
}

/** Returns the message for a missing state. */
export function describeNoState({ state }: Manifest): string {
  return `Nothing is managed yet: ${state} does not exist. The first \`avatarops apply\` creates it.`;
}

/** Returns a copy without the given keys. */
export function omitKeys<Value>(
  record: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
