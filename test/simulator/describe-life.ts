import { describeStep, type Life } from "./life.js";
import type { LifeResult } from "./run-life.js";

/** Formats a simulated life and its events for printing. */
export function describeLife(life: Life, { world, violations }: LifeResult): string {
  const { service, store, machines, objects, existing = [] } = life;
  const lines = [
    `state like a ${store}; ${machines.map(({ host, ...more }) => `${host} ${JSON.stringify(more)}`).join(", ")}`,
    `service: ${JSON.stringify(service)}`,
    `files: ${objects.map(({ key, deletes }) => (deletes ? `${key} (to be deleted)` : key)).join(", ")}`,
    ...(existing.length > 0 ? [`in the account already: ${existing.join(", ")}`] : []),
    ...life.steps.map((step) => `- ${machines[step.machine]?.host}: ${describeStep(step)}`),
    "",
    ...world.happenings.map(({ atMs, what }) => `${(atMs / 1_000).toFixed(3).padStart(9)} s  ${what}`),
    "",
    ...violations.map(({ rule, what }) => `${rule}: ${what}`),
  ];
  return lines.join("\n");
}
