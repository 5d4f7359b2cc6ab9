import { fingerprintCost } from "../../src/core/secrets/fingerprint.js";
import type { Project } from "../../src/operations/index.js";
import {
  apply,
  describeEnd,
  type Ended,
  holdObject,
  importObject,
  replaceProject,
  runSync,
  unlock,
} from "./commands.js";
import { getCollection, loadPools, toAddress } from "./files.js";
import { addObject, applyStep } from "./happen.js";
import { findViolations, type Violation } from "./invariants.js";
import { type CommandStep, isCommand, type Life, type Step } from "./life.js";
import type { Process } from "./machine.js";
import { Repository, readProject } from "./repository.js";
import { settle } from "./settle.js";
import { findCollection, nameOf, type Write } from "./simulated-service.js";
import type { Team } from "./team.js";
import { World } from "./world.js";

/** Result of a simulated life. */
export interface LifeResult {
  readonly violations: readonly Violation[];
  readonly world: World;
}

/** Runs a simulated life, follows printed advice until the plan is empty, and checks the invariants. */
export async function live(life: Life, { isTraced = false } = {}): Promise<LifeResult> {
  await loadPools();
  fingerprintCost.log2N = 1;
  const world = new World(life, isTraced);
  const { hasProfile, timeoutMs } = life.service;
  const toRepository = (folder: string, objects: Life["objects"]) =>
    new Repository(folder, { hasProfile, timeoutMs, objects });
  const team: Team = {
    world,
    repository: toRepository("avatars", life.objects),
    other: toRepository("copy", life.others ?? []),
    ran: [],
  };
  for (const key of life.existing ?? []) addObject(world, key);
  const work = async () => {
    const lanes = new Set(life.steps.map(({ machine }) => machine));
    const inLane = (lane: number) => life.steps.filter(({ machine }) => machine === lane);
    await Promise.all([...lanes].map((lane) => takeSteps(team, inLane(lane))));
    return settle(team);
  };
  const { result, error } = await finish(world, work);
  if (error) return { violations: [{ rule: "crashes", what: error.stack ?? error.message }], world };
  if (!result) return { violations: [{ rule: "ends", what: "a command waits forever" }], world };
  const { problem, ...remains } = result;
  const unsettled = problem === undefined ? [] : [{ rule: "settles", what: problem } as const];
  return { violations: [...findViolations({ life, ...team, ...remains }), ...unsettled], world };
}

/** Lets time pass until the work is done or cannot finish. */
async function finish<Of>(
  { timeline }: World,
  work: () => Promise<Of>,
): Promise<{ readonly result?: Of; readonly error?: Error }> {
  let ended: { readonly result?: Of; readonly error?: Error } | undefined;
  work().then(
    (result) => {
      ended = { result };
    },
    (error: Error) => {
      ended = { error };
    },
  );
  try {
    await timeline.run(() => ended !== undefined);
  } catch (error) {
    return { error: error as Error };
  }
  return ended ?? {};
}

async function takeSteps(team: Team, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    await pause(team.world, step.afterMs ?? 0);
    if (isCommand(step)) await runCommand(team, step);
    else applyStep(team, step);
  }
}

const commands = { apply, unlock, "replace-project": replaceProject };

function runImport(world: World, process: Process, read: () => Project, key: string): Promise<Ended> {
  const resource = getCollection(key);
  const id =
    world.service.rows(resource).find((row) => nameOf(resource, row) === key)?.id ?? world.service.newId();
  return importObject(world, process, read, { address: toAddress(key), id });
}

async function runCommand(team: Team, step: CommandStep): Promise<void> {
  const { world, ran } = team;
  const machine = world.machines[step.machine];
  if (!machine) throw new Error("Bug: no machine");
  const process = world.start(machine, step.does, "faults" in step ? step.faults : []);
  const repository = "isOther" in step ? team.other : team.repository;
  process.repository = repository;
  const read = () => readProject(world, repository, process);
  const work =
    step.does === "sync"
      ? runSync(world, process, read, step)
      : step.does === "import"
        ? runImport(world, process, read, step.key)
        : step.does === "hold"
          ? holdObject(world, process, read, {
              address: toAddress(step.key),
              isRollback: step.isRollback === true,
            })
          : commands[step.does](world, process, read);
  const ended = await Promise.race([work, process.death]);
  process.end();
  world.note(() => `${process.name} ${ended ? describeEnd(ended) : "is dead"}`);
  ran.push({ step, process, ended, lost: ended ? findLost(team, process, ended) : [] });
}

/**
 * Returns the acknowledged creates of objects that the service does not list, if they were neither stored nor reported
 * when their command ended.
 */
function findLost({ world: { service, store } }: Team, process: Process, { outcome, error }: Ended): Write[] {
  const reported = (outcome?.unrecorded ?? []).map(({ id }) => id);
  return service.writes.filter(
    ({ process: by, method, path, row, isAcknowledged }) =>
      by === process &&
      isAcknowledged &&
      row !== undefined &&
      method === "POST" &&
      !service.facts.hasProfile &&
      findCollection(path) === "secrets" &&
      !store.text().includes(row.id) &&
      !reported.includes(row.id) &&
      !error?.message.includes(row.id),
  );
}

function pause({ timeline }: World, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timeline.after(ms, resolve);
  });
}
