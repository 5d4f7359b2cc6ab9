import { listed } from "../../base/text/index.js";
import type { Plan } from "../../core/engine/index.js";
import { sourceIdentity } from "../../core/secrets/index.js";
import { type ApplyHold, activeHolds, describeHold } from "../../core/state/index.js";
import { planFromState } from "../plan/plan-project.js";
import { loadProject } from "../project/open-project.js";
import { sourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import { quietReporter, type Runtime } from "../runtime/runtime.js";
import { shellWord } from "../runtime/shell-word.js";
import { openProjectStore } from "../state/project-store.js";
import { findReachingApply, findUndone, type ReachingApply } from "./later-run.js";

/*
 * From one environment to the next. What an environment has is what its state says of the files that are checked out here,
 * not the commit that was applied there: a squash or a rebase makes another commit of the same files, and a failed apply
 * leaves behind what it could not do.
 */

/** Addresses that differ from the files in another environment, its project, its hold, and whether it is being written now. */
export async function findNotApplied(runtime: Runtime, environment: string) {
  const other = inEnvironment(runtime, environment);
  const project = await loadProject(other);
  const snapshot = await openProjectStore(other, project).read();
  const pending = new Set(changedBy(planFromState(other, project, snapshot?.state).plan));
  // A plan without the account compares no secret, but the state has the version or the source of each that was sent.
  const sources = sourceEnvironment(other, project);
  for (const { address, sources: declared, versions } of project.declarations)
    for (const [field, source] of Object.entries(declared)) {
      const { written, version } = snapshot?.state.objects[address]?.versions?.[field] ?? {};
      const isOtherSource =
        written !== undefined && written !== (await sourceIdentity(source, sources)).written;
      const isOtherVersion =
        versions?.[field] !== undefined && version !== undefined && version !== versions[field];
      if (isOtherSource || (written === undefined && isOtherVersion)) pending.add(address);
    }
  return {
    project,
    addresses: [...pending],
    hold: activeHolds(snapshot?.state, other.host.now()).find(({ addresses }) => !addresses),
    isBusy: (snapshot?.lockedBy ?? snapshot?.unreadableLock) !== undefined,
  };
}

function inEnvironment(runtime: Runtime, environment: string): Runtime {
  const options = { ...runtime.options, env: environment, target: [] };
  return { ...runtime, options, output: quietReporter(runtime.output.warn) };
}

/** The addresses that a plan changes. */
export function changedBy({ changes }: Pick<Plan, "changes">): readonly string[] {
  return changes.flatMap(({ action, address }) => (action === "keep" ? [] : [address]));
}

/**
 * The needed environments that do not have yet what the files say, each with the addresses of it. Content that a later commit replaced
 * there does not count.
 */
export async function unmetNeeds(runtime: Runtime, project: Project): Promise<readonly UnmetNeed[]> {
  return (await compareNeeds(runtime, project)).filter(({ addresses }) => addresses.length > 0);
}

/**
 * Explains why a plan has to wait for a needed environment; undefined if that has all that the plan writes.
 *
 * @param addresses Those that the plan writes.
 */
export async function explainUnmet(
  runtime: Runtime,
  project: Project,
  addresses: readonly string[],
): Promise<string | undefined> {
  for (const { environment, addresses: pending, hold } of await unmetNeeds(runtime, project)) {
    const missing = pending.filter((address) => addresses.includes(address));
    if (missing.length === 0) continue;
    const option = `--env ${shellWord(environment)}`;
    const what = `${project.environment} needs ${environment}, which does not have yet what these files say of ${listed(missing)}`;
    return hold
      ? `${what}, and is on hold ${describeHold(hold)} To end that: \`avatarops release ${option}\`.`
      : `${what}. Apply ${environment} first: \`avatarops apply ${option}\` (it names what it skips, and how to decide).`;
  }
  return undefined;
}

/** Finds a later commit by which a needed environment replaced the content of one of these addresses. */
export async function findReplacing(
  runtime: Runtime,
  project: Project,
  addresses: readonly string[],
): Promise<{ readonly environment: string; readonly commit: string } | undefined> {
  const found = (await compareNeeds(runtime, project)).find(({ replaced }) =>
    addresses.some((address) => replaced.includes(address)),
  );
  return found?.reached && { environment: found.environment, commit: found.reached.commit };
}

/**
 * Marks the changes as held that a needed environment skipped, because of a conflict or a hold there: others need not wait for the decision.
 */
export async function holdSkipped(runtime: Runtime, project: Project, plan: Plan): Promise<Plan> {
  const compared = await compareNeeds(runtime, project);
  const changes = plan.changes.map((change) => {
    const need = compared.find(({ skipped }) => skipped.has(change.address));
    const problem = need?.skipped.get(change.address);
    if (!need || problem === undefined || change.action === "keep" || change.held !== undefined)
      return change;
    return { ...change, held: explainSkipped(change.address, need.environment, problem) };
  });
  return { ...plan, changes };
}

function explainSkipped(address: string, environment: string, problem: string): string {
  const option = `--env ${shellWord(environment)}`;
  if (problem === "held")
    return `${environment}, which this environment needs, does not have it: a hold there, or in an environment that it needs, kept it back. To see which: \`avatarops plan ${option}\`. To end a hold there: \`avatarops release ${address} ${option}\`.`;
  return `${environment}, which this environment needs, does not have it: it was edited both in the dashboard there and in the files. Keep the edit: \`avatarops pull ${address} ${option}\`. Overwrite it: \`avatarops apply --overwrite-drift ${option}\`.`;
}

/** Problems of changes that wait for a decision in their environment, and that the environments that need it skip as well. */
export const skips: ReadonlySet<string | undefined> = new Set(["held", "conflicting"]);

async function compareNeeds(runtime: Runtime, project: Project): Promise<readonly ComparedNeed[]> {
  const compared: ComparedNeed[] = [];
  for (const environment of project.environments.get(project.environment ?? "")?.needs ?? []) {
    const { project: other, addresses: pending, isBusy, hold } = await findNotApplied(runtime, environment);
    const reached =
      pending.length > 0 ? await findReachingApply(inEnvironment(runtime, environment), other) : undefined;
    const undone = findUndone(reached?.results ?? []);
    const isReplaced = (address: string) => reached?.isLater === true && !undone.has(address);
    compared.push({
      ...{ environment, isBusy, hold, reached },
      addresses: pending.filter((address) => !isReplaced(address)),
      replaced: pending.filter(isReplaced),
      skipped: new Map(
        pending.flatMap((address) => {
          const problem = undone.get(address);
          return problem !== undefined && skips.has(problem) ? [[address, problem]] : [];
        }),
      ),
    });
  }
  return compared;
}

interface UnmetNeed {
  readonly environment: string;
  readonly addresses: readonly string[];
  readonly isBusy: boolean;
  /** The hold of all its objects. */
  readonly hold: ApplyHold | undefined;
}

interface ComparedNeed extends UnmetNeed {
  readonly reached: ReachingApply | undefined;
  /** The addresses whose content a later commit replaced. */
  readonly replaced: readonly string[];
  /** Why others were skipped, by address. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** Time between two looks at the state of a needed environment. */
const lookEveryMs = 5_000;
/** After so long without anybody writing there, its job has failed, or there is none. */
const quietMs = 120_000;

/**
 * Waits until the needed environments have what the files say, if this one does not have it either: some hosts start the
 * jobs of both at once. Waits up to `--lock-timeout`, and for two minutes where nobody is applying.
 *
 * @param beforeWaiting Throws if the wait would be for nothing.
 */
export async function waitForNeeds(
  runtime: Runtime,
  project: Project,
  beforeWaiting: () => Promise<void>,
): Promise<void> {
  const { host, options, output, signal } = runtime;
  const { environment: own } = project;
  const endMs = host.now() + (options.lockTimeout ?? 0);
  let busyMs = host.now();
  for (let waits = false; ; waits = true) {
    if (signal.aborted || own === undefined) return;
    const { addresses: wanted } = await findNotApplied(runtime, own);
    const unmet = (await compareNeeds(runtime, project)).find(({ addresses, skipped }) =>
      addresses.some((address) => wanted.includes(address) && !skipped.has(address)),
    );
    // A hold ends when its owner decides.
    if (!unmet || unmet.hold) return;
    const { environment: name, isBusy } = unmet;
    const addresses = unmet.addresses.filter((address) => wanted.includes(address));
    if (isBusy) busyMs = host.now();
    const leftMs = Math.min(endMs, busyMs + quietMs) - host.now();
    if (leftMs <= 0) return;
    if (!waits) {
      await beforeWaiting();
      output.info(`Waiting for ${name}, which does not have ${listed(addresses)} yet.`);
    }
    await (host.pause ?? host.sleep)(Math.min(lookEveryMs, leftMs), signal);
  }
}
