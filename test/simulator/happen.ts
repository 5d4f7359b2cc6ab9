import type { Row } from "../../src/emulator/account.js";
import type { Context } from "../../src/emulator/contexts.js";
import type { Secret } from "../../src/emulator/secrets.js";
import { formatPrompt } from "./files.js";
import { type CommandStep, describeStep, type Step } from "./life.js";
import { nameOf } from "./simulated-service.js";
import type { Team } from "./team.js";
import type { World } from "./world.js";

/** Applies a step that runs no command. The step takes no time. */
export function applyStep({ world, repository }: Team, step: Exclude<Step, CommandStep>): void {
  const { store, service } = world;
  world.note(() => `meanwhile: ${describeStep(step)}`);
  switch (step.does) {
    case "edit": {
      const others = repository.files.objects.filter(({ key }) => key !== step.object.key);
      repository.change([...others, step.object]);
      break;
    }
    case "remove":
      repository.change(repository.files.objects.filter(({ key }) => key !== step.key));
      break;
    case "move":
      repository.folder = step.folder;
      break;
    case "rotate":
      world.rotations.set(step.key, (world.rotations.get(step.key) ?? 0) + 1);
      break;
    case "refuse-writes":
      store.refusesWrites = true;
      world.timeline.after(step.forMs, () => {
        store.refusesWrites = false;
      });
      break;
    case "foreign-lock":
      store.setForeignLock(true);
      world.timeline.after(step.forMs, () => store.setForeignLock(false));
      break;
    case "damage-state":
      store.damage(step.by);
      world.timeline.after(step.forMs, () => store.repair());
      break;
    case "create-elsewhere":
      addSecret(world, step.key);
      break;
    case "change-elsewhere":
      for (const row of listContextsNamed(world, step.key)) {
        const prompt = step.text === undefined ? "Edited elsewhere." : formatPrompt(step.key, step.text);
        Object.assign(row, { prompt, updated_at: service.timestamp() });
        service.account.changed();
      }
      break;
    case "copy-elsewhere":
      if (listContextsNamed(world, step.key).length > 0) addContext(world, step.key);
      break;
    case "delete-elsewhere": {
      const rows = service.rows("contexts");
      for (const row of listContextsNamed(world, step.key)) rows.splice(rows.indexOf(row), 1);
      service.account.changed();
    }
  }
}

function listContextsNamed(world: World, key: string): Row[] {
  return world.service.rows("contexts").filter((row) => nameOf("contexts", row) === key);
}

/** Adds an object that a person created earlier. A secret has its own value. */
export function addObject(world: World, key: string): void {
  if (key.startsWith("s")) addSecret(world, key);
  else addContext(world, key);
}

function addSecret({ service }: World, key: string): void {
  const id = service.newId();
  const secret: Secret = {
    ...{ id, secret_name: key, secret_type: "LLMPROVIDER_API_KEY", created_at: service.timestamp() },
  };
  service.rows("secrets").push(secret);
  service.account.secretValues.set(id, `a person's ${id}`);
  service.ofPeople.add(id);
  service.account.changed();
}

function addContext({ service }: World, key: string): void {
  const at = service.timestamp();
  const context: Context = {
    ...{ id: service.newId(), name: key, prompt: formatPrompt(key, 0), opening_text: "Hi", links: [] },
    ...{ created_at: at, updated_at: at },
  };
  service.rows("contexts").push(context);
  service.account.changed();
}
