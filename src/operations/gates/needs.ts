import { listNames } from "../../base/text/index.js";
import { listChangesToWrite, type Plan } from "../../core/engine/index.js";
import { identifySource } from "../../core/secrets/index.js";
import { type ApplyHold, describeHold, listActiveHolds } from "../../core/state/index.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import { planFromState } from "../plan/plan-project.js";
import { loadProject } from "../project/open-project.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import { createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
import { openProjectStore } from "../state/project-store.js";
import { findLaterApply, findUnfinishedObjects, type LaterApply } from "./later-run.js";

/*
 * Makes an environment wait for the environments that it needs. They are up to date if their state matches the
 * checked-out files. The applied commit is not compared, because a squash or rebase creates another commit with the
 * same files, and a failed apply leaves changes undone.
 */

/**
 * Finds the objects whose state in another environment differs from the files. Also returns that environment's project
 * and hold, and whether it is locked.
 */
export async function findPendingObjects(runtime: Runtime, environment: string) {
  const other = withEnvironment(runtime, environment);
  const project = await loadProject(other);
  const snapshot = await openProjectStore(other, project).read();
  const pending = new Set(listChanged(planFromState(other, project, snapshot?.state).plan));
  // A plan made without the account does not compare secrets, so their versions and sources are compared here.
  const sources = createSourceEnvironment(other, project);
  for (const { address, sources: declared, versions } of project.declarations)
    for (const [field, source] of Object.entries(declared)) {
      const { written, version } = snapshot?.state?.objects[address]?.versions?.[field] ?? {};
      const isOtherSource =
        written !== undefined && written !== (await identifySource(source, sources)).written;
      const isOtherVersion =
        versions?.[field] !== undefined && version !== undefined && version !== versions[field];
      if (isOtherSource || (written === undefined && isOtherVersion)) pending.add(address);
    }
  return {
    project,
    addresses: [...pending],
    hold: listActiveHolds(snapshot?.state, other.host.now()).find(({ addresses }) => !addresses),
    isBusy: (snapshot?.lockedBy ?? snapshot?.unreadableLock) !== undefined,
  };
}

function withEnvironment(runtime: Runtime, environment: string): Runtime {
  const options = { ...runtime.options, env: environment, target: [] };
  return { ...runtime, options, output: createQuietReporter(runtime.output.warn) };
}

/** Returns the addresses of all changes except `keep`. */
export function listChanged({ changes }: Pick<Plan, "changes">): readonly string[] {
  return changes.flatMap(({ action, address }) => (action === "keep" ? [] : [address]));
}

/**
 * Finds required environments that are not up to date, each with its pending addresses. Ignores objects for which the
 * required environment already has a newer version from a later commit.
 */
export async function findUnmetNeeds(runtime: Runtime, project: Project): Promise<readonly UnmetNeed[]> {
  return (await compareNeeds(runtime, project)).filter(({ addresses }) => addresses.length > 0);
}

/**
 * Marks changes that `needs` will skip, and adds a notice if the apply must wait. For display only, so an unreadable
 * state of a required environment is just a warning.
 */
export async function withNeedsNotice(runtime: Runtime, project: Project, plan: Plan): Promise<Plan> {
  if (listNeeds(project).length === 0) return plan;
  try {
    const compared = await compareNeeds(runtime, project);
    const withheld = withholdSkippedIn(compared, plan);
    const message = explainUnmetIn(compared, runtime, project, withheld);
    return message ? { ...withheld, notices: [...withheld.notices, { code: "needs", message }] } : withheld;
  } catch (error) {
    if (runtime.signal.aborted || !(error instanceof Error)) throw error;
    runtime.output.warn(`It is unknown whether the required environments are up to date. ${error.message}`);
    return plan;
  }
}

/** Explains which required environment a plan must wait for. Returns undefined if the plan need not wait. */
export async function explainUnmetNeeds(
  runtime: Runtime,
  project: Project,
  plan: Plan,
): Promise<string | undefined> {
  if (listChangesToWrite(plan, doesOverwriteDrift(runtime, project)).length === 0) return undefined;
  return explainUnmetIn(await compareNeeds(runtime, project), runtime, project, plan);
}

function explainUnmetIn(
  compared: readonly ComparedNeed[],
  runtime: Runtime,
  project: Project,
  plan: Plan,
): string | undefined {
  const addresses = listChangesToWrite(plan, doesOverwriteDrift(runtime, project)).map(
    ({ address }) => address,
  );
  for (const { environment, addresses: pending, hold } of compared) {
    const missing = pending.filter((address) => addresses.includes(address));
    if (missing.length === 0) continue;
    const option = `--env ${quoteShellWord(environment)}`;
    const what = `${project.environment} needs ${environment}, where the checked-out version of ${listNames(missing)} is not applied yet`;
    return hold
      ? `${what}, and ${environment} is on hold ${describeHold(hold)} Release it: \`avatarops release ${option}\`.`
      : `${what}. Apply ${environment} first: \`avatarops apply ${option}\` (the output shows skipped changes and how to resolve them).`;
  }
  return undefined;
}

/** Finds a required environment that has already applied a later commit with newer versions of these objects. */
export async function findNewerRequiredEnvironment(
  runtime: Runtime,
  project: Project,
  addresses: readonly string[],
): Promise<{ readonly environment: string; readonly commit: string } | undefined> {
  const found = (await compareNeeds(runtime, project)).find(({ replaced }) =>
    addresses.some((address) => replaced.includes(address)),
  );
  return found?.covering && { environment: found.environment, commit: found.covering.commit };
}

/**
 * Withholds changes that a required environment skipped because of a conflict or hold. Other changes then need not wait
 * for them.
 */
export async function withholdSkipped(runtime: Runtime, project: Project, plan: Plan): Promise<Plan> {
  return withholdSkippedIn(await compareNeeds(runtime, project), plan);
}

function withholdSkippedIn(compared: readonly ComparedNeed[], plan: Plan): Plan {
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
  const option = `--env ${quoteShellWord(environment)}`;
  if (problem === "held")
    return `A hold in ${environment}, or in an environment that it needs, blocks this object. Find it: \`avatarops plan ${option}\`. Release it: \`avatarops release ${address} ${option}\`.`;
  return `This environment needs ${environment}, where the object was edited both in the dashboard and in the files. Keep the edit: \`avatarops pull ${address} ${option}\`. Overwrite it: \`avatarops apply --overwrite-drift ${option}\`.`;
}

/** Problem codes of changes that wait for a decision. Environments that need this one skip the same changes. */
export const undecidedCodes: ReadonlySet<string | undefined> = new Set(["held", "conflicting"]);

function listNeeds({ environments, environment = "" }: Project): readonly string[] {
  return environments.get(environment)?.needs ?? [];
}

async function compareNeeds(runtime: Runtime, project: Project): Promise<readonly ComparedNeed[]> {
  const compared: ComparedNeed[] = [];
  for (const environment of listNeeds(project)) {
    const {
      project: other,
      addresses: pending,
      isBusy,
      hold,
    } = await findPendingObjects(runtime, environment);
    const covering =
      pending.length > 0 ? await findLaterApply(withEnvironment(runtime, environment), other) : undefined;
    const undone = findUnfinishedObjects(covering?.results ?? []);
    const isReplaced = (address: string) => covering?.isLater === true && !undone.has(address);
    compared.push({
      ...{ environment, isBusy, hold, covering },
      addresses: pending.filter((address) => !isReplaced(address)),
      replaced: pending.filter(isReplaced),
      skipped: new Map(
        pending.flatMap((address) => {
          const problem = undone.get(address);
          return problem !== undefined && undecidedCodes.has(problem) ? [[address, problem]] : [];
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
  /** Hold on the whole environment. */
  readonly hold: ApplyHold | undefined;
}

interface ComparedNeed extends UnmetNeed {
  readonly covering: LaterApply | undefined;
  /** Addresses of objects that a later commit has already updated in the environment. */
  readonly replaced: readonly string[];
  /** Problem codes of skipped objects, by address. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** Interval for polling a required environment's state. */
const pollIntervalMs = 5_000;
/**
 * Maximum wait while the required environment is not locked. After that, its job has probably failed or does not exist.
 */
const maxQuietMs = 120_000;

/**
 * Waits up to `--lock-timeout` until required environments are up to date, because some CI hosts start both jobs at
 * once. Does not wait if this environment is itself up to date.
 *
 * @param beforeWaiting Throws if waiting is pointless.
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
    const { addresses: wanted } = await findPendingObjects(runtime, own);
    const unmet = (await compareNeeds(runtime, project)).find(({ addresses, skipped }) =>
      addresses.some((address) => wanted.includes(address) && !skipped.has(address)),
    );
    // Waiting does not end a hold.
    if (!unmet || unmet.hold) return;
    const { environment: name, isBusy } = unmet;
    const addresses = unmet.addresses.filter((address) => wanted.includes(address));
    if (isBusy) busyMs = host.now();
    const leftMs = Math.min(endMs, busyMs + maxQuietMs) - host.now();
    if (leftMs <= 0) return;
    if (!waits) {
      await beforeWaiting();
      output.info(`Waiting until ${name} is up to date (${listNames(addresses)}).`);
    }
    await (host.pause ?? host.sleep)(Math.min(pollIntervalMs, leftMs), signal);
  }
}
