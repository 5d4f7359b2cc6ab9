import { UsageError } from "../../../base/diagnostics/index.js";
import { listNames } from "../../../base/text/index.js";
import { parseAddress } from "../../../core/kinds/index.js";
import { isLogicalName, type Manifest } from "../../../core/manifest/index.js";
import { describe } from "../../../core/secrets/index.js";
import {
  describeHolder,
  describeProject,
  migrateState,
  type State,
  StateError,
} from "../../../core/state/index.js";
import {
  assertInState,
  buildLockOptions,
  buildStoreEnvironment,
  changeState,
  describeNoState,
  getStateLocation,
  loadProject,
  omitKeys,
  quoteShellWord,
  readState,
  recordProject,
  recordService,
  renameInHolds,
  unlockState,
} from "../../../operations/index.js";
import {
  toStateListDocument,
  toStateMigrationDocument,
  toStateShowDocument,
} from "../../../output/documents/index.js";
import { makeVisible } from "../../../output/render/index.js";
import { confirm } from "../applying.js";
import type { Call, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type * as facts from "../facts/state.js";

/** State to show if none exists. Scripts get an empty list with serial 0 instead of an error. */
const emptyState = { lineage: "", serial: 0, service: "", objects: {}, pending: {} };

export const listState: RunCommand<typeof facts.stateListCommand> = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const state = await readState(call, manifest);
  if (state || output.format === "json") output.show(toStateListDocument(state ?? emptyState));
  else output.info(describeNoState(manifest));
};

/** Shows an object. Reads only the files and the state, and sends no requests to the service or secret sources. */
export const show: RunCommand<typeof facts.stateShowCommand> = async (call) => {
  const [address] = call.arguments;
  const manifest = await loadProject(call);
  const state = await readState(call, manifest);
  if (!state) throw new UsageError("no-state", describeNoState(manifest));
  assertInState(address, state);
  const declared = manifest.declarations.find((one) => one.address === address);
  const describeSource = (field: string) => {
    const source = declared?.sources[field];
    return source && describe(source, manifest.sourceKinds);
  };
  const document = toStateShowDocument(state, address, { describeSource, nowMs: call.host.now() });
  if (!document)
    throw new UsageError(
      "unsettled",
      `${address} has no id yet, because its creation was interrupted. Run \`avatarops plan\` to look for the object.`,
    );
  call.output.show(document);
};

export const forget: RunCommand<typeof facts.stateForgetCommand> = async (call) => {
  const addresses = [...new Set(call.arguments[0])];
  const manifest = await loadProject(call);
  return changeState(call, manifest, "state forget", async (session, state) => {
    for (const address of addresses) assertInState(address, state);
    const listed = addresses.filter((address) => parseAddress(address, manifest.service.profile)?.kind.list);
    await awaitInterruptedCreates(call, session.recoverUntil, listed);
    const sentences = addresses.map((address) => describeForgotten(address, manifest, state));
    await session.replace({
      objects: omitKeys(state.objects, addresses),
      pending: omitKeys(state.pending, addresses),
    });
    call.output.writeResult(sentences.join("\n"));
    for (const address of addresses) warnIfDeclared(call, manifest, address);
  });
};

/**
 * Waits until interrupted creates can no longer arrive. Once they are forgotten, the next apply does not wait for them, and
 * would create them again.
 */
async function awaitInterruptedCreates(
  { host, output, signal }: Call,
  recoverUntil: ReadonlyMap<string, number>,
  addresses: readonly string[],
): Promise<void> {
  const open = addresses.filter((address) => (recoverUntil.get(address) ?? 0) > host.monotonic());
  if (open.length === 0) return;
  const leftMs = Math.max(...open.map((address) => recoverUntil.get(address) ?? 0)) - host.monotonic();
  output.info(
    `Waiting ${Math.ceil(leftMs / 1_000)} s: an interrupted run may still be creating ${listNames(open, 3)}.`,
  );
  await host.sleep(leftMs, signal);
  signal.throwIfAborted();
}

/** Describes the forgotten object with its ids, which were recorded only in the state. */
function describeForgotten(address: string, { service }: Manifest, { objects }: State): string {
  const kind = parseAddress(address, service.profile)?.kind;
  const entry = objects[address];
  const ids = entry ? [entry.id, ...(entry.superseded ?? []).map(({ id }) => id)] : [];
  const named = ids.length > 0 ? ` (${ids.join(", ")})` : "";
  return [`Forgot ${address}${named}.`, ...(kind ? [kind.afterForget] : [])].join(" ");
}

function warnIfDeclared({ output }: Call, manifest: Manifest, address: string): void {
  const kind = manifest.declarations.find((candidate) => candidate.address === address)?.kind;
  if (!kind) return;
  const next = kind.identity === "adopted" || kind.list ? "adopts it again" : "creates a new one";
  output.warn(`${address} is still declared. Remove it from the files, or the next apply ${next}.`);
}

export const renameAddress: RunCommand<typeof facts.stateMvCommand> = async (call) => {
  const [from, to] = call.arguments;
  const manifest = await loadProject(call);
  return changeState(call, manifest, "state mv", async (session, state) => {
    assertInState(from, state);
    assertRenameTarget(from, to, state);
    session.describe({ moved: { from, to } });
    await session.replace({ ...renameInState(state, from, to), holds: renameInHolds(state, from, to) });
    call.output.writeResult(`${from} is now ${to}.`);
    if (!manifest.declarations.some(({ address }) => address === to))
      call.output.warn(
        `${to} is not declared. Rename the declaration in the files, or the next apply forgets the object.`,
      );
  });
};

function assertRenameTarget(from: string, to: string, { objects, pending }: State): void {
  const kind = parseAddress(from)?.kind;
  const target = parseAddress(to);
  if (!target || target.kind !== kind) {
    const example = `${kind?.name ?? from.split(".")[0]}.NAME`;
    throw new UsageError("wrong-kind", `"${to}" cannot be the address of ${from}. Use ${example}.`);
  }
  if (!isLogicalName(target.key)) {
    const rule = "Use letters, digits, - and _, and start with a letter or digit.";
    throw new UsageError("invalid-name", `The name in "${to}" is invalid. ${rule}`);
  }
  if (Object.hasOwn(objects, to) || Object.hasOwn(pending, to)) {
    const advice = `To stop managing it: \`avatarops state forget ${to}\`.`;
    throw new UsageError("taken-address", `${to} is already bound to another object. ${advice}`);
  }
}

/** Renames an object and its interrupted write in place. */
function renameInState(
  { objects, pending }: State,
  from: string,
  to: string,
): Pick<State, "objects" | "pending"> {
  const renameKeys = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key === from ? to : key, value]));
  const intents = renameKeys(pending);
  const intent = intents[to];
  return {
    objects: renameKeys(objects),
    pending: intent ? { ...intents, [to]: { ...intent, address: to } } : intents,
  };
}

export const unlock: RunCommand<typeof facts.stateUnlockCommand> = async (call) => {
  const { host, options, output } = call;
  const manifest = await loadProject(call);
  let unread: { readonly lock: string; readonly isApproved: boolean } | undefined;
  const confirmUnreadable = async (lock: string, text: string) => {
    output.warn(
      `${lock} cannot be read as a lock. It contains: ${makeVisible(text.slice(0, 1_000)) || "nothing"}`,
    );
    const question =
      'If a run still uses this lock, objects may be created twice. Type "yes" to remove the lock: ';
    const isApproved = options.autoApprove || (host.interactive && (await confirm(call, question)));
    unread = { lock, isApproved };
    return isApproved;
  };
  const unlocking = unlockState(call, manifest, { force: options.force, confirm: confirmUnreadable });
  const holder = await unlocking.catch((error: unknown) => {
    if (error instanceof StateError && error.code === "other-project")
      error.message = `${error.message} To remove its lock anyway, add --force.`;
    throw error;
  });
  if (unread?.isApproved === false) {
    const next = ["avatarops", "state", "unlock", "--auto-approve", ...call.argv.slice(2)].map(
      quoteShellWord,
    );
    const why = `, because confirmation needs a terminal. Once no run uses the lock, remove it: \`${next.join(" ")}\``;
    output.warn(`Nothing was removed${host.interactive ? "." : why}`);
    return host.interactive ? exitCode.cancelled : exitCode.undecided;
  }
  // The message does not say "removed", because some stores keep a marker under the lock's name until the next run.
  if (unread) output.writeResult(`The state is unlocked. ${unread.lock} no longer blocks other runs.`);
  else if (holder) output.writeResult(`Removed the lock owned by ${makeVisible(describeHolder(holder))}.`);
  else output.writeResult("The state is not locked.");
  return exitCode.done;
};

export const replaceProject: RunCommand<typeof facts.stateReplaceProjectCommand> = async (call) => {
  const manifest = await loadProject(call);
  const replaced = await recordProject(call, manifest, ({ from, to }) => {
    const now = from
      ? `The state belongs to ${describeProject(from, to)}.`
      : "The state does not record a project.";
    return approveOwner(call, now, describeProject(to, from));
  });
  if (!replaced) return reportDeclined(call);
  const { from, to, isSame } = replaced;
  return showOwner(call, describeProject(to, from), from && describeProject(from, to), isSame);
};

export const replaceService: RunCommand<typeof facts.stateReplaceServiceCommand> = async (call) => {
  const manifest = await loadProject(call);
  const replaced = await recordService(call, manifest, ({ from, to, found, unknown }) => {
    if (found === 0 && unknown > 0)
      call.output.warn(
        `None of the recorded objects can be read, so make sure that ${to} serves the same account.`,
      );
    const objects = found === 1 ? "object" : `${found} objects`;
    const verified =
      unknown === 0
        ? `has its ${objects}`
        : `has ${found} of the state's ${found + unknown} objects, and the others cannot be read`;
    return approveOwner(call, `The state belongs to ${from}.${found > 0 ? ` ${to} ${verified}.` : ""}`, to);
  });
  if (!replaced) return reportDeclined(call);
  return showOwner(call, replaced.to, replaced.from, replaced.isSame);
};

type ReplacingCall = Parameters<typeof replaceProject>[0] | Parameters<typeof replaceService>[0];

/**
 * Asks for confirmation before changing which project or service the state belongs to. `now` is a sentence that
 * describes the current owner.
 */
async function approveOwner(call: ReplacingCall, now: string, to: string): Promise<boolean> {
  const { argv, host, options, output } = call;
  if (options.autoApprove) return true;
  const next = `that it belongs to ${to}`;
  if (host.interactive) return confirm(call, makeVisible(`${now} Type "yes" to record ${next}: `));
  const command = ["avatarops", ...argv.slice(0, 2), "--auto-approve", ...argv.slice(2)];
  output.warn(
    `Nothing was changed, because confirmation needs a terminal. ${now} To record ${next}: \`${command.map(quoteShellWord).join(" ")}\``,
  );
  return false;
}

function reportDeclined({ host, output }: ReplacingCall): ExitCode {
  if (host.interactive) output.warn("Nothing was changed.");
  return host.interactive ? exitCode.cancelled : exitCode.undecided;
}

function showOwner(
  { output }: ReplacingCall,
  to: string,
  from: string | undefined,
  isSame: boolean,
): ExitCode {
  const before = isSame ? ", as before" : from === undefined ? "" : ` (previously to ${from})`;
  output.writeResult(makeVisible(`The state belongs to ${to}${before}.`));
  return exitCode.done;
}

export const migrate: RunCommand<typeof facts.stateMigrateCommand> = async (call) => {
  const { to } = call.options;
  const manifest = await loadProject(call);
  const migration = await call.runCleanup(() =>
    migrateState(
      getStateLocation(manifest),
      getStateLocation({ ...manifest, state: to }),
      buildStoreEnvironment(call, manifest.root),
      buildLockOptions(call, manifest, "state migrate"),
    ),
  );
  if (!migration) throw new UsageError("no-state", describeNoState(manifest));
  const { environment, state: from } = manifest;
  const setting = { from, to, environment };
  call.output.show(toStateMigrationDocument(migration, setting));
};
