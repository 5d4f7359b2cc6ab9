import type { State } from "../../src/core/state/index.js";
import { toPlanExit } from "../../src/output/documents/index.js";
import {
  apply,
  describeEnd,
  type Ended,
  importObject,
  releaseObject,
  replaceProject,
  runPlan,
  type SimulatedApplyOptions,
  unlock,
} from "./commands.js";
import { getCollection, toName } from "./files.js";
import type { Process } from "./machine.js";
import { readProject } from "./repository.js";
import { nameOf } from "./simulated-service.js";
import type { Team } from "./team.js";
import type { World } from "./world.js";

const maxRounds = 8;
/** Time that people wait before they decide, so that all requests have ended. */
const thinkMs = 60_000;

/** Final state of a simulated life. */
export interface FinalState {
  /**
   * Reason why the plan is not empty at the end. Undefined if it is empty or the state belongs to the other project.
   */
  readonly problem?: string;
  readonly state: State | undefined;
  /** Whether the state belongs to the other project, so nothing was recovered or declared again. */
  readonly isOthers?: boolean;
}

/**
 * Applies and follows the printed advice on the last machine, as a user would, until the plan is empty. Runs after
 * faults stop.
 */
export async function settle({ world, repository, other }: Team): Promise<FinalState> {
  const machine = world.machines.at(-1);
  if (!machine) throw new Error("Bug: no machine");
  // Makes lists complete and stable. Otherwise, avatarops would reject every create.
  world.service.isCalm = true;
  world.store.refusesWrites = false;
  world.store.setForeignLock(false);
  world.store.repair();
  let last = "";
  let how: SimulatedApplyOptions = {};
  const hasOther = other.files.objects.length > 0;
  let isOthers = false;
  let state: State | undefined;
  for (let round = 1; round <= maxRounds; round++) {
    await new Promise<void>((resolve) => {
      world.timeline.after(thinkMs, resolve);
    });
    const planned = await run("plan", (process) =>
      runPlan(world, process, () => readProject(world, repository, process)),
    );
    const { plan, snapshot } = planned;
    state = snapshot?.state;
    const isQuiet = !snapshot?.interrupted && !snapshot?.lockedBy;
    if (plan && toPlanExit(plan) === "nothing" && isQuiet) return { state };
    const ended = await run(`apply ${JSON.stringify(how)}`, (process) =>
      apply(world, process, () => readProject(world, repository, process), how),
    );
    last = describeEnd(ended);
    how = await follow(ended);
    // Users would not move the other project's state to this one.
    if (isOthers) return { state, isOthers };
  }
  return { problem: `after ${maxRounds} rounds: ${last}`, state };

  async function run(command: string, work: (process: Process) => Promise<Ended>): Promise<Ended> {
    const process = world.start(machine as NonNullable<typeof machine>, command);
    const ended = await work(process);
    process.end();
    isOthers ||= hasOther && ended.error?.code === "other-project";
    world.note(() => `${process.name} ${describeEnd(ended)}`);
    return ended;
  }

  /** Follows the recommendations of an apply and returns the options for the next apply. */
  async function follow({ error, outcome }: Ended): Promise<SimulatedApplyOptions> {
    const problems = (outcome?.results ?? []).flatMap(({ address, problem }) =>
      problem ? [{ address, ...problem }] : [],
    );
    const messages = [error?.message ?? "", ...problems.map(({ message }) => message)].join("\n");
    if (/`avatarops state unlock`/.test(messages)) {
      const { error: refusal } = await unlockIt({ force: false });
      if (refusal?.code === "other-project" && !hasOther) await unlockIt({ force: true });
    }
    if (/`avatarops state replace-project`/.test(messages) && !hasOther)
      await run("replace-project", (process) =>
        replaceProject(world, process, () => readProject(world, repository, process)),
      );
    for (const [, address = "", id = ""] of messages.matchAll(/`avatarops import (\S+) ([\w-]+)`/g))
      if (id !== "ID" && hasValueOf(world, address.replace(/^\w+\./, ""), id))
        await run(`import ${address} ${id}`, (process) => importAt(process, address, id));
    for (const [, address = ""] of messages.matchAll(/`avatarops release (\S+)`/g))
      await run(`release ${address}`, (process) =>
        releaseObject(world, process, () => readProject(world, repository, process), address),
      );
    if (/`service.ignore_list_counts: true`/.test(messages)) repository.ignoreCounts();
    const acceptDuplicates: string[] = [];
    for (const { address, code } of problems) {
      if (code !== "ambiguous") continue;
      // Simulates a look at the dashboard. People recognize their own objects, and try out secrets that share a name.
      const known = listKnownIds(state);
      const [, key = ""] = address.split(".");
      const [found, ...others] = world.service
        .rows(getCollection(key))
        .filter(({ id }) => !known.has(id) && !world.service.ofPeople.has(id))
        .filter((row) => nameOf(getCollection(key), row) === toName(key) && hasValueOf(world, key, row.id));
      if (found && others.length === 0)
        await run(`import ${address} ${found.id}`, (process) => importAt(process, address, found.id));
      else if (!found) acceptDuplicates.push(address);
    }
    const allow = (["threshold", "all-vanished"] as const).filter((code) =>
      messages.includes(`--allow ${code}`),
    );
    return {
      ...(acceptDuplicates.length > 0 && { acceptDuplicates }),
      ...(/--overwrite-drift/.test(messages) && { overwriteDrift: true }),
      ...(allow.length > 0 && { allow }),
    };
  }

  function unlockIt(options: { readonly force: boolean }): Promise<Ended> {
    return run(`unlock ${JSON.stringify(options)}`, (process) =>
      unlock(world, process, () => readProject(world, repository, process), options),
    );
  }

  function importAt(process: Process, address: string, id: string): Promise<Ended> {
    return importObject(world, process, () => readProject(world, repository, process), { address, id });
  }
}

/** Whether a secret's value is one of this key. */
function hasValueOf({ service }: World, key: string, id: string): boolean {
  const value = service.account.secretValues.get(id);
  return value === undefined || value.endsWith(` of ${key}`);
}

/** Returns the ids in a state, including superseded ones. */
export function listKnownIds(state: State | undefined): ReadonlySet<string> {
  const entries = Object.values(state?.objects ?? {});
  return new Set(entries.flatMap(({ id, superseded = [] }) => [id, ...superseded.map((one) => one.id)]));
}
