import type { DeclaredObject } from "./files.js";
import type { Fault } from "./machine.js";
import type { StateDamage } from "./store-calls.js";
import type { WorldFacts } from "./world.js";

/**
 * Event on a machine, or elsewhere if no machine has this number. Steps of one machine run in sequence. `afterMs`
 * counts from the end of the previous step.
 */
export type Step = { readonly machine: number; readonly afterMs?: number } & (
  | {
      readonly does: "apply";
      readonly faults?: readonly Fault[];
      /** Runs in the folder of the other project. */
      readonly isOther?: true;
    }
  /** Cycles of a `sync` process, which follows the files. If it dies, it restarts under the same name. */
  | {
      readonly does: "sync";
      readonly cycles: number;
      readonly everyMs: number;
      /** Time until a takeover. 0 means never. */
      readonly takeOverAfterMs: number;
      readonly faults?: readonly Fault[];
    }
  | { readonly does: "unlock" | "replace-project" }
  /** Imports the first object of the account with the key's name. */
  | { readonly does: "import"; readonly key: string; readonly faults?: readonly Fault[] }
  /** Puts an object on hold. With `isRollback`, a rollback does so, and the hold ends when the files have its values. */
  | {
      readonly does: "hold";
      readonly key: string;
      readonly isRollback?: true;
      readonly faults?: readonly Fault[];
    }
  /** Declares the object, or changes its declaration. */
  | { readonly does: "edit"; readonly object: DeclaredObject }
  | { readonly does: "remove"; readonly key: string }
  /** Renames the project folder. */
  | { readonly does: "move"; readonly folder: string }
  | { readonly does: "rotate"; readonly key: string }
  /** The store rejects writes, or a run of an unknown version owns its lock, for `forMs`. */
  | { readonly does: "refuse-writes" | "foreign-lock"; readonly forMs: number }
  /** A person damages the stored state, and restores it after `forMs`. */
  | { readonly does: "damage-state"; readonly by: StateDamage; readonly forMs: number }
  /** Edits in the dashboard. `create-elsewhere` creates a secret with a name that files use. */
  | { readonly does: "delete-elsewhere" | "copy-elsewhere" | "create-elsewhere"; readonly key: string }
  /**
   * Changes the prompt in the account. `text` selects a prompt that files can also contain. Default: another
   * prompt.
   */
  | { readonly does: "change-elsewhere"; readonly key: string; readonly text?: number }
);

/**
 * A team with its account and state, from the first step until the plan is empty. As plain data, it can be printed and
 * reduced.
 */
export interface Life extends WorldFacts {
  /** Initial declarations. */
  readonly objects: readonly DeclaredObject[];
  /** Keys of the declared contexts that already exist in the account, and of secrets with another value. */
  readonly existing?: readonly string[];
  /** Declarations of another project in the repository that names the same state by mistake. */
  readonly others?: readonly DeclaredObject[];
  readonly steps: readonly Step[];
}

const harmful: readonly Step["does"][] = [
  ...(["unlock", "hold", "refuse-writes", "foreign-lock", "damage-state", "move"] as const),
  ...(["change-elsewhere", "delete-elsewhere", "copy-elsewhere", "create-elsewhere"] as const),
];

/** Whether nothing can go wrong in a simulated life, so that every command must succeed. */
export function isHarmless({ steps, service }: Life): boolean {
  // Lists may lack objects, and an object is created only if its absence is certain.
  if (service.order === "each-page" || service.omits || service.counts === "too-large") return false;
  // A response may arrive too late.
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

/** Step that runs a process. */
export type CommandStep = Extract<
  Step,
  { readonly does: "apply" | "sync" } | { readonly does: "unlock" | "replace-project" | "import" | "hold" }
>;

export function isCommand(step: Step): step is CommandStep {
  return ["apply", "sync", "unlock", "replace-project", "import", "hold"].includes(step.does);
}

/** Formats a step for printing. */
export function describeStep(step: Step): string {
  const { machine: _, afterMs = 0, does, ...facts } = step;
  const { faults = [], ...more } = facts as { readonly faults?: readonly Fault[] };
  const details = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : "";
  const pause = afterMs > 0 ? `, after ${afterMs} ms` : "";
  return `${does}${details}${pause}${faults.map((fault) => `; ${describeFault(fault)}`).join("")}`;
}

function describeFault({ does, call, of, afterMs, ms }: Fault): string {
  const when = call === undefined ? `after ${afterMs} ms` : `at ${of ?? "call"} ${call}`;
  return `${does}${ms === undefined ? "" : ` for ${ms} ms`} ${when}`;
}
