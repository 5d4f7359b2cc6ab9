import type { DeclaredObject } from "./files.js";
import type { Fault } from "./machine.js";
import type { WorldFacts } from "./world.js";

/** What somebody does on a machine. Its steps follow each other: `afterMs` counts from the end of the last one. */
export type Step = { readonly machine: number; readonly afterMs?: number } & (
  | { readonly does: "apply"; readonly faults?: readonly Fault[] }
  /** Cycles of a process that follows the files, started again under the same name when it died. */
  | {
      readonly does: "sync";
      readonly cycles: number;
      readonly everyMs: number;
      /** 0: never. */
      readonly takeOverAfterMs: number;
      readonly faults?: readonly Fault[];
    }
  | { readonly does: "unlock" }
  /** The files declare it, or declare it differently. */
  | { readonly does: "edit"; readonly object: DeclaredObject }
  | { readonly does: "remove"; readonly key: string }
  | { readonly does: "rotate"; readonly key: string }
  /** In the dashboard of the account. */
  | { readonly does: "change-elsewhere" | "delete-elsewhere"; readonly key: string }
);

/** A team, its account and its state, from the first step until everything is in order again. Data: it can be printed and cut down. */
export interface Life extends WorldFacts {
  /** What the files declare at first. */
  readonly objects: readonly DeclaredObject[];
  /** Contexts that are in the account already, by the key of their declaration. */
  readonly existing?: readonly string[];
  readonly steps: readonly Step[];
}

/** Whether nothing goes wrong in it: then nothing may be refused. */
export function isHarmless({ service, steps }: Life): boolean {
  if (service.order === "each-page") return false;
  return steps.every(
    (step) =>
      (!("faults" in step) || (step.faults ?? []).length === 0) &&
      !["unlock", "change-elsewhere", "delete-elsewhere"].includes(step.does),
  );
}
