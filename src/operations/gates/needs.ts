import { listed } from "../../base/text/index.js";
import { isSettled, type Plan } from "../../core/engine/index.js";
import { sourceIdentity } from "../../core/secrets/index.js";
import { planFromState } from "../plan/plan-project.js";
import { loadProject } from "../project/open-project.js";
import { sourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import { quietReporter, type Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { findLaterApply, type LaterApply } from "./later-run.js";

/*
 * From one environment to the next. What an environment has is what its state says of the files that are checked out here,
 * not the commit that was applied there: a squash or a rebase makes another commit of the same files, and a failed apply
 * leaves behind what it could not do.
 */

/** Addresses that differ from the files in another environment, its project, and whether it is being written now. */
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

/** Finds a later commit by which a needed environment replaced the content of one of these addresses. */
export async function findReplacing(
  runtime: Runtime,
  project: Project,
  addresses: readonly string[],
): Promise<{ readonly environment: string; readonly commit: string } | undefined> {
  const found = (await compareNeeds(runtime, project)).find(({ replaced }) =>
    addresses.some((address) => replaced.includes(address)),
  );
  return found?.later && { environment: found.environment, commit: found.later.commit };
}

async function compareNeeds(runtime: Runtime, project: Project): Promise<readonly ComparedNeed[]> {
  const compared: ComparedNeed[] = [];
  for (const environment of project.environments.get(project.environment ?? "")?.needs ?? []) {
    const { project: other, addresses: pending, isBusy } = await findNotApplied(runtime, environment);
    const later =
      pending.length > 0 ? await findLaterApply(inEnvironment(runtime, environment), other) : undefined;
    const isUndone = (address: string) =>
      !later || later.results.some((one) => one.address === address && !isSettled(one.status, one.problem));
    compared.push({
      ...{ environment, isBusy, later },
      addresses: pending.filter(isUndone),
      replaced: pending.filter((address) => !isUndone(address)),
    });
  }
  return compared;
}

interface UnmetNeed {
  readonly environment: string;
  readonly addresses: readonly string[];
  readonly isBusy: boolean;
}

interface ComparedNeed extends UnmetNeed {
  readonly later: LaterApply | undefined;
  /** The addresses whose content a later commit replaced. */
  readonly replaced: readonly string[];
}

/** Time between two looks at the state of a needed environment. */
const lookEveryMs = 5_000;
/** After so long without anybody writing there, its job has failed, or there is none. */
const quietMs = 120_000;

/**
 * Waits until the needed environments have what the files say, if this one does not have it either: some hosts start the
 * jobs of both at once. Waits up to `--lock-timeout`, and for two minutes where nobody is applying.
 */
export async function waitForNeeds(runtime: Runtime, project: Project): Promise<void> {
  const { host, options, output, signal } = runtime;
  const { environment: own } = project;
  const endMs = host.now() + (options.lockTimeout ?? 0);
  let busyMs = host.now();
  for (let waits = false; ; waits = true) {
    if (signal.aborted || own === undefined) return;
    const [unmet] = await unmetNeeds(runtime, project);
    if (!unmet || (await findNotApplied(runtime, own)).addresses.length === 0) return;
    const { environment: name, addresses, isBusy } = unmet;
    if (isBusy) busyMs = host.now();
    const leftMs = Math.min(endMs, busyMs + quietMs) - host.now();
    if (leftMs <= 0) return;
    if (!waits) output.info(`Waiting for ${name}, which does not have ${listed(addresses)} yet.`);
    await (host.pause ?? host.sleep)(Math.min(lookEveryMs, leftMs), signal);
  }
}
