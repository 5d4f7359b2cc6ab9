import type { DeclaredObject } from "./files.js";
import type { Fault } from "./machine.js";
import type { WorldFacts } from "./world.js";

/**
 * What happens on a machine, or elsewhere if there is none with this number. The steps of a machine follow each other:
 * `afterMs` counts from the end of the last one.
 */
export type Step = { readonly machine: number; readonly afterMs?: number } & (
  | {
      readonly does: "apply";
      readonly faults?: readonly Fault[];
      /** In the folder of the other project. */
      readonly isOther?: true;
    }
  /** Cycles of a process that follows the files, started again under the same name when it died. */
  | {
      readonly does: "sync";
      readonly cycles: number;
      readonly everyMs: number;
      /** 0: never. */
      readonly takeOverAfterMs: number;
      readonly faults?: readonly Fault[];
    }
  | { readonly does: "unlock" | "replace-project" }
  /** The files declare it, or declare it differently. */
  | { readonly does: "edit"; readonly object: DeclaredObject }
  | { readonly does: "remove"; readonly key: string }
  /** The folder of the project gets another name. */
  | { readonly does: "move"; readonly folder: string }
  | { readonly does: "rotate"; readonly key: string }
  /** The store takes no writes for `forMs`; a run of a version that we cannot read has its lock for so long. */
  | { readonly does: "refuse-writes" | "foreign-lock"; readonly forMs: number }
  /** In the dashboard of the account. */
  | { readonly does: "delete-elsewhere" | "copy-elsewhere"; readonly key: string }
  /** To a text that files can have, or to another one. */
  | { readonly does: "change-elsewhere"; readonly key: string; readonly text?: number }
);

/** A team, its account and its state, from the first step until everything is in order again. Data: it can be printed and cut down. */
export interface Life extends WorldFacts {
  /** What the files declare at first. */
  readonly objects: readonly DeclaredObject[];
  /** Contexts that are in the account already, by the key of their declaration. */
  readonly existing?: readonly string[];
  /** What another project of the same repository declares, which names the same state by mistake. */
  readonly others?: readonly DeclaredObject[];
  readonly steps: readonly Step[];
}

const harmful: readonly Step["does"][] = [
  ...(["unlock", "refuse-writes", "foreign-lock", "move"] as const),
  ...(["change-elsewhere", "delete-elsewhere", "copy-elsewhere"] as const),
];

/** Whether nothing goes wrong in it: then nothing may be refused. */
export function isHarmless({ steps, service }: Life): boolean {
  // A list may lack objects then, and what is not sure to be absent is not created.
  if (service.order === "each-page") return false;
  // A response may come too late.
  if (service.writes[1] > (service.timeoutMs ?? 30_000) - 1_000) return false;
  return steps.every(
    (step) =>
      !harmful.includes(step.does) &&
      (!("faults" in step) || (step.faults ?? []).length === 0) &&
      !("isOther" in step) &&
      // A sync that waits for a busy service writes nothing, so its lock may be taken over.
      !(service.busyUntilMs && "takeOverAfterMs" in step && step.takeOverAfterMs > 0),
  );
}

/** A step of a process. */
export type CommandStep = Extract<
  Step,
  { readonly does: "apply" | "sync" } | { readonly does: "unlock" | "replace-project" }
>;

export function isCommand(step: Step): step is CommandStep {
  return ["apply", "sync", "unlock", "replace-project"].includes(step.does);
}

/** A step, for people. */
export function describeStep(step: Step): string {
  const { machine: _, afterMs = 0, does, ...facts } = step;
  const { faults = [], ...more } = facts as { readonly faults?: readonly Fault[] };
  const said = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : "";
  const pause = afterMs > 0 ? `, after ${afterMs} ms` : "";
  return `${does}${said}${pause}${faults.map((fault) => `; ${describeFault(fault)}`).join("")}`;
}

function describeFault({ does, call, of, afterMs, ms }: Fault): string {
  const when = call === undefined ? `after ${afterMs} ms` : `at ${of ?? "call"} ${call}`;
  return `${does}${ms === undefined ? "" : ` for ${ms} ms`} ${when}`;
}
