import type { Life, Step } from "./life.js";
import type { Fault } from "./machine.js";
import type { Lived } from "./run-life.js";

/** A life and what happened in it, for people. */
export function describeLife(life: Life, { world, violations }: Lived): string {
  const { service, store, machines, objects, existing = [] } = life;
  const lines = [
    `state like a ${store}; ${machines.map(({ host, skewMs }) => `${host}${skewMs ? ` (clock ${skewMs} ms ahead)` : ""}`).join(", ")}`,
    `service: ${JSON.stringify(service)}`,
    `files: ${objects.map(({ key, deletes }) => (deletes ? `${key} (to be deleted)` : key)).join(", ")}`,
    ...(existing.length > 0 ? [`in the account already: ${existing.join(", ")}`] : []),
    ...life.steps.map((step) => `- ${describeStep(life, step)}`),
    "",
    ...world.happenings.map(({ atMs, what }) => `${(atMs / 1_000).toFixed(3).padStart(9)} s  ${what}`),
    "",
    ...violations.map(({ rule, what }) => `${rule}: ${what}`),
  ];
  return lines.join("\n");
}

function describeStep({ machines }: Life, step: Step): string {
  const { machine, afterMs = 0, does } = step;
  const faults = "faults" in step ? (step.faults ?? []) : [];
  const object =
    "object" in step ? ` ${step.object.key} (text ${step.object.text})` : "key" in step ? ` ${step.key}` : "";
  const where = object === "" ? `${machines[machine]?.host}: ` : "";
  const pause = afterMs > 0 ? `, after ${afterMs} ms` : "";
  return `${where}${does}${object}${pause}${faults.map((fault) => `; ${describeFault(fault)}`).join("")}`;
}

function describeFault({ does, call, afterMs, ms }: Fault): string {
  const when = call === undefined ? `after ${afterMs} ms` : `at call ${call}`;
  return `${does}${ms === undefined ? "" : ` for ${ms} ms`} ${when}`;
}
