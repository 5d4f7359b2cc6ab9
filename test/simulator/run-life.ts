import { fingerprintCost } from "../../src/core/secrets/fingerprint.js";
import type { Row } from "../../src/emulator/account.js";
import type { Context } from "../../src/emulator/contexts.js";
import { apply, describeEnd, type Ran, runSync, unlock } from "./commands.js";
import { loadPools, promptOf } from "./files.js";
import { findViolations, type Violation } from "./invariants.js";
import type { Life, Step } from "./life.js";
import { projectOf, Repository } from "./repository.js";
import { settle } from "./settle.js";
import { nameOf } from "./simulated-service.js";
import { World } from "./world.js";

/** What became of a life. */
export interface Lived {
  readonly violations: readonly Violation[];
  readonly world: World;
}

/** Lives a life, looks that everything ends in order, and checks what must hold in every life. */
export async function live(life: Life, { isTraced = false } = {}): Promise<Lived> {
  await loadPools();
  fingerprintCost.log2N = 1;
  const world = new World(life, isTraced);
  const repository = new Repository(life.service.hasProfile, life.objects);
  for (const key of life.existing ?? []) addContext(world, key);
  const ran: Ran[] = [];
  const work = async () => {
    const each = life.machines.map((_, index) =>
      takeSteps(
        world,
        repository,
        life.steps.filter(({ machine }) => machine === index),
        ran,
      ),
    );
    await Promise.all(each);
    return settle(world, repository);
  };
  const { result, error } = await finish(world, work);
  if (error) return { violations: [{ rule: "crashes", what: error.stack ?? error.message }], world };
  if (!result) return { violations: [{ rule: "ends", what: "a command waits for ever" }], world };
  const { problem, state } = result;
  // A list in another order on each page never shows that an object is absent.
  const isUnreadable = life.service.order === "each-page" && problem?.includes("(unreadable)");
  const unsettled =
    problem === undefined || isUnreadable ? [] : [{ rule: "settles", what: problem } as const];
  return { violations: [...findViolations({ life, world, repository, ran, state }), ...unsettled], world };
}

/** Lets time pass until the work is done, or can never be. */
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

async function takeSteps(
  world: World,
  repository: Repository,
  steps: readonly Step[],
  ran: Ran[],
): Promise<void> {
  for (const step of steps) {
    await pause(world, step.afterMs ?? 0);
    await take(world, repository, step, ran);
  }
}

async function take(world: World, repository: Repository, step: Step, ran: Ran[]): Promise<void> {
  const machine = world.machines[step.machine];
  if (!machine) throw new Error("Bug: no machine");
  switch (step.does) {
    case "apply":
    case "unlock":
    case "sync": {
      const process = world.start(machine, step.does, "faults" in step ? step.faults : []);
      process.files = repository.files;
      const work =
        step.does === "apply"
          ? apply(world, process, () => projectOf(world, repository, process))
          : step.does === "unlock"
            ? unlock(world, process, () => projectOf(world, repository, process))
            : runSync(world, process, () => projectOf(world, repository, process), step);
      const ended = await Promise.race([work, process.death]);
      process.end();
      world.note(() => `${process.name} ${ended ? describeEnd(ended) : "is dead"}`);
      ran.push({ step, process, ended });
      return;
    }
    case "edit": {
      const others = repository.files.objects.filter(({ key }) => key !== step.object.key);
      repository.change([...others, step.object]);
      break;
    }
    case "remove":
      repository.change(repository.files.objects.filter(({ key }) => key !== step.key));
      break;
    case "rotate":
      world.rotations.set(step.key, (world.rotations.get(step.key) ?? 0) + 1);
      break;
    case "change-elsewhere":
      for (const row of contextsNamed(world, step.key)) {
        Object.assign(row, { prompt: "Edited elsewhere.", updated_at: world.service.timestamp() });
        world.service.account.changed();
      }
      break;
    case "delete-elsewhere": {
      const rows = world.service.rows("contexts");
      for (const row of contextsNamed(world, step.key)) rows.splice(rows.indexOf(row), 1);
      world.service.account.changed();
    }
  }
  world.note(
    () =>
      `somebody: ${step.does} ${"key" in step ? step.key : JSON.stringify("object" in step ? step.object : {})}`,
  );
}

function contextsNamed(world: World, key: string): Row[] {
  return world.service.rows("contexts").filter((row) => nameOf("contexts", row) === key);
}

function addContext({ service }: World, key: string): void {
  const at = service.timestamp();
  const context: Context = {
    ...{ id: service.newId(), name: key, prompt: promptOf(key, 0), opening_text: "Hi", links: [] },
    ...{ created_at: at, updated_at: at },
  };
  service.rows("contexts").push(context);
}

function pause({ timeline }: World, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timeline.after(ms, resolve);
  });
}
