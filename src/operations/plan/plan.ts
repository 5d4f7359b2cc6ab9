import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import { restrictToReads, type Service } from "../../core/api/index.js";
import {
  type Change,
  findPendingRotations,
  listRotatedAddresses,
  type Notice,
  type Observation,
  observe,
  type Plan,
  plan,
  type Refresh,
} from "../../core/engine/index.js";
import { suggestAddress } from "../../core/kinds/index.js";
import { type Manifest, matchesWildcard } from "../../core/manifest/index.js";
import { type ApplyHold, listActiveHolds, type State } from "../../core/state/index.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Runtime } from "../runtime/runtime.js";

/** Input for `makePlan`. */
export interface PlanRequest {
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly service: Service;
  /** Addresses to plan. Default: `--target`. */
  readonly targets?: readonly string[];
  /** Whether empty `targets` select nothing, instead of everything. */
  readonly only?: boolean;
  readonly acceptDuplicates?: readonly string[];
  /** Whether to send only values that were rotated at their source. */
  readonly onlyRotations?: boolean | undefined;
  /** Returns whether to respect a hold. Default: all holds are respected. */
  readonly appliesHold?: (hold: ApplyHold) => boolean;
  /** When to give up on lost creates. Set only while the run owns the lock. See `ObserveInput`. */
  readonly recoverUntil?: ReadonlyMap<string, number> | undefined;
  /** Whether to also search for undeclared objects. */
  readonly undeclared?: boolean;
  /**
   * Set to search for values that the plan would undo because the checkout is behind. `fetchesHistory` allows fetching
   * older commits, as in a CI job.
   */
  readonly commits?: { readonly fetchesHistory: boolean };
}

/** Plan, with the observation it was computed from. */
export interface ObservedPlan {
  readonly plan: Plan;
  readonly observation: Observation;
}

/** Observes the account with a GET-only client, and makes a plan. */
export async function makePlan(runtime: Runtime, request: PlanRequest): Promise<ObservedPlan> {
  const { manifest, state, service, acceptDuplicates = [], undeclared = false, only = false } = request;
  const { targets = selectTargets(runtime, manifest, state) } = request;
  const overwriteDrift = doesOverwriteDrift(runtime, manifest);
  const limits = targets.length > 0 || only ? { targets } : {};
  const observation = await observeAccount(runtime, {
    ...{ manifest, state, service, undeclared, recoverUntil: request.recoverUntil },
    ...limits,
  });
  const holds = listActiveHolds(state, runtime.host.now()).filter(request.appliesHold ?? (() => true));
  const given = { service: service.baseUrl, acceptDuplicates, overwriteDrift, holds };
  const first = plan(manifest, state, observation, { ...given, ...limits });
  const both = first.changes.filter(({ reason }) => reason === "conflicting");
  const { findLastApplied, findIncludedEdits } = both.length > 0 ? await import("./last-applied.js") : {};
  const lastApplied = await findLastApplied?.(runtime, manifest, state, both);
  const options = { ...given, merged: lastApplied && findIncludedEdits?.(lastApplied, both) };
  const whole = options.merged ? plan(manifest, state, observation, { ...options, ...limits }) : first;
  const decided = request.onlyRotations ? await planRotations(whole) : whole;
  const made = lastApplied ? { ...decided, lastApplied } : decided;
  if (!request.commits) return { plan: made, observation };
  const { withBehindNotice } = await import("./commits-behind.js");
  const noted = await withBehindNotice(runtime, manifest, state, made, {
    overwriteDrift,
    ...request.commits,
  });
  return { plan: noted, observation };

  /** Restricts a plan to values rotated outside the repository. Adds notices about excluded changes. */
  async function planRotations(all: Plan): Promise<Plan> {
    const { targets, committed } = await findRotated(runtime, { manifest, state, observation, plan: all });
    const left = all.changes.filter(({ action, address }) => action !== "keep" && !targets.includes(address));
    const part = plan(manifest, state, observation, { ...options, targets });
    return {
      ...part,
      notices: [...part.notices, ...createCommittedNotice(committed), ...createLeftNotice(left)],
    };
  }
}

interface RotatedInput extends ObservedPlan {
  readonly manifest: Manifest;
  readonly state: State | undefined;
}

/**
 * Finds the changes that send only values rotated outside the repository.
 *
 * @returns `targets`: their addresses. `committed`: the tracked files of excluded values, by address.
 */
export async function findRotated(
  runtime: Runtime,
  { manifest, state, observation, plan }: RotatedInput,
): Promise<{ readonly targets: readonly string[]; readonly committed: ReadonlyMap<string, string> }> {
  const rotations = findPendingRotations(state, observation.rotations);
  const { findRepositoryValues } = await import("./repository-values.js");
  const addresses = rotations.pending.map(({ address }) => address);
  const committed = await findRepositoryValues(runtime, manifest, addresses);
  const pending = rotations.pending.filter(({ address }) => !committed.has(address));
  return { targets: listRotatedAddresses(plan, { ...rotations, pending }, state?.objects), committed };
}

/** Returns the addresses of ambiguous changes, by the id of each candidate. */
export function findCandidates({ changes }: Plan): ReadonlyMap<string, string> {
  return new Map(
    changes.flatMap(({ address, candidates = [] }) => candidates.map(({ id }) => [id, address] as const)),
  );
}

function createCommittedNotice(committed: ReadonlyMap<string, string>): Notice[] {
  if (committed.size === 0) return [];
  const named = listNames([...committed].map(([address, file]) => `${address} from ${file}`));
  return [
    {
      code: "only-rotations",
      message: `--only-rotations does not send values from files in the repository (${named}), because they change with a commit. Apply the commit instead.`,
    },
  ];
}

function createLeftNotice(left: readonly Change[]): Notice[] {
  if (left.length === 0) return [];
  const changes = left.length === 1 ? "1 other change is" : `${left.length} other changes are`;
  const named = listNames(left.map(({ address }) => address));
  const message = `Only rotated values are sent. ${changes} left for another apply (${named}).`;
  return [{ code: "only-rotations", message }];
}

/** Returns whether apply overwrites edits made elsewhere. */
export function doesOverwriteDrift(runtime: Runtime, { drift }: Pick<Manifest, "drift">): boolean {
  return runtime.options.overwriteDrift || drift === "overwrite";
}

/** Observes the account with a GET-only client. Without targets, observes everything. */
export async function observeAccount(
  runtime: Runtime,
  { manifest, state, service, targets, undeclared = false, recoverUntil }: PlanRequest,
): Promise<Observation> {
  assertSameService(state, service);
  return runtime.output.reading(service, (say) =>
    observe({
      manifest,
      state,
      service: restrictToReads(service),
      sources: createSourceEnvironment(runtime, manifest),
      refresh: (runtime.options.refresh ?? "auto") as Refresh,
      undeclared,
      system: runtime.host,
      signal: runtime.signal,
      recoverUntil,
      settleMs: runtime.host.waits?.settleMs,
      onWait: (why, forMs) => say(`Waiting up to ${Math.ceil(forMs / 1000)} s: ${why}.`),
      targets,
    }),
  );
}

/** Resolves `--target` to addresses that are declared or in the state. Patterns are expanded. */
export function selectTargets(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
): readonly string[] {
  return selectAddresses(runtime.options.target ?? [], manifest, state);
}

/** Resolves addresses and patterns. In a pattern, `*` matches any characters. */
export function selectAddresses(
  given: readonly string[],
  manifest: Manifest,
  state: State | undefined,
): readonly string[] {
  const addresses = given.flatMap((one) => {
    if (!one.includes("*")) {
      assertKnownAddress(one, manifest, state);
      return [one];
    }
    const found = listKnownAddresses(manifest, state).filter((address) => matchesWildcard(address, one));
    if (found.length > 0) return found;
    throw new UsageError(
      "unknown-address",
      `No address matches "${one}". See \`avatarops state list\` and the manifest.`,
    );
  });
  return [...new Set(addresses)];
}

function listKnownAddresses({ declarations }: Manifest, state: State | undefined): string[] {
  const recorded = [...Object.keys(state?.objects ?? {}), ...Object.keys(state?.pending ?? {})];
  return [...declarations.map((declaration) => declaration.address), ...recorded];
}

/** Throws if an address is neither declared nor in the state. */
export function assertKnownAddress(address: string, manifest: Manifest, state: State | undefined): void {
  const known = listKnownAddresses(manifest, state);
  if (known.includes(address)) return;
  const hint = suggestAddress(address, known, "See `avatarops state list` and the manifest.");
  throw new UsageError("unknown-address", `No object has the address "${address}". ${hint}`);
}

/** Rejects a state of another service. Its ids do not exist in this account, so everything would be created again. */
export function assertSameService(state: State | undefined, service: Pick<Service, "baseUrl">): void {
  if (!state || state.service === service.baseUrl) return;
  throw new UsageError(
    "other-service",
    `The state belongs to ${state.service}, but base_url is ${service.baseUrl}. For another account, use another state: set \`state\` in an environment. For the same account at a new URL, run \`avatarops state replace-service\`.`,
  );
}
