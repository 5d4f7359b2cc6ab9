import type { Life, Step } from "./life.js";
import { live } from "./run-life.js";
import type { ServiceFacts } from "./simulated-service.js";

/**
 * Reduces a simulated life to its minimum. Removes steps, faults, machines, objects and service peculiarities one at
 * a time, while the life still violates the same invariant.
 */
export async function reduce(life: Life, rule: string): Promise<Life> {
  const breaks = async (one: Life) =>
    (await live(one)).violations.some((violation) => violation.rule === rule);
  let smallest = life;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const next of listReductions(smallest)) {
      if (!(await breaks(next))) continue;
      smallest = next;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

const plainService: Partial<ServiceFacts> = {
  ...{ pageSize: 100, order: "created", precision: "ms", skewMs: 0, names: "free" },
  ...{ reads: [10, 10], writes: [100, 100], carriesOut: [1, 1] },
};

/** Yields all reductions of a simulated life, the largest first. */
function* listReductions(life: Life): Iterable<Life> {
  const { steps, machines, objects, existing = [], service } = life;
  for (const [index] of machines.entries()) if (machines.length > 1) yield removeMachine(life, index);
  for (const [index] of steps.entries()) yield { ...life, steps: steps.toSpliced(index, 1) };
  if (objects.length > 8) {
    yield removeObjects(life, new Set(objects.slice(objects.length / 2).map(({ key }) => key)));
    yield removeObjects(life, new Set(objects.slice(0, objects.length / 2).map(({ key }) => key)));
  }
  for (const { key } of objects) if (objects.length > 1) yield removeObjects(life, new Set([key]));
  for (const key of existing) yield { ...life, existing: existing.filter((other) => other !== key) };
  for (const [index, step] of steps.entries()) {
    const faults = "faults" in step ? (step.faults ?? []) : [];
    for (const [at] of faults.entries())
      yield replaceStep(life, index, { ...step, faults: faults.toSpliced(at, 1) } as Step);
    if (step.afterMs) yield replaceStep(life, index, { ...step, afterMs: 0 });
    if (step.does === "sync" && step.cycles > 1) yield replaceStep(life, index, { ...step, cycles: 1 });
  }
  for (const { key, deletes } of objects)
    if (deletes)
      yield { ...life, objects: objects.map((one) => (one.key === key ? { key, text: one.text } : one)) };
  for (const [index, machine] of machines.entries())
    if (machine.skewMs !== 0) yield { ...life, machines: machines.with(index, { ...machine, skewMs: 0 }) };
  const { perSecond: _, busyUntilMs: __, retryAfter: ___, ...unlimited } = service;
  if (service.perSecond !== undefined || service.busyUntilMs !== undefined)
    yield { ...life, service: unlimited };
  for (const [name, value] of Object.entries(plainService))
    if (JSON.stringify(service[name as keyof ServiceFacts]) !== JSON.stringify(value))
      yield { ...life, service: { ...service, [name]: value } };
  if (service.hasProfile && !objects.some(({ key }) => key.startsWith("l")))
    yield { ...life, service: { ...service, hasProfile: false } };
  if (life.store === "git") yield { ...life, store: "row" };
}

function replaceStep(life: Life, index: number, step: Step): Life {
  return { ...life, steps: life.steps.with(index, step) };
}

function removeMachine(life: Life, index: number): Life {
  const steps = life.steps
    .filter(({ machine }) => machine !== index)
    .map((step) => (step.machine > index ? { ...step, machine: step.machine - 1 } : step));
  return { ...life, machines: life.machines.toSpliced(index, 1), steps };
}

/** Removes some objects, the LLM configurations that use them, and the steps of both. */
function removeObjects(life: Life, keys: ReadonlySet<string>): Life {
  const all = new Set([...keys, ...[...keys].map((key) => key.replace(/^s/, "l"))]);
  const keyOf = (step: Step) => ("key" in step ? step.key : "object" in step ? step.object.key : "");
  return {
    ...life,
    objects: life.objects.filter(({ key }) => !all.has(key)),
    existing: (life.existing ?? []).filter((key) => !all.has(key)),
    steps: life.steps.filter((step) => !all.has(keyOf(step))),
  };
}
