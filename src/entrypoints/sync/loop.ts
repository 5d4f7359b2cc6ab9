import { type RepeatOptions, repeat } from "../../base/serving/index.js";
import { type CycleReport, isPassing } from "./report.js";

/** What the loop runs on. */
export interface LoopOptions extends Omit<RepeatOptions, "cycle"> {
  /** One cycle; never throws. */
  readonly cycle: () => Promise<CycleReport>;
}

/** Runs cycles until it is asked to stop: one after the other, never two at a time. */
export async function repeatCycles({ cycle, ...options }: LoopOptions): Promise<void> {
  await repeat({ ...options, cycle: async () => isPassing((await cycle()).outcome) });
}
