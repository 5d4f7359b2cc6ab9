import { spawnSync } from "node:child_process";
import { defineGoTool } from "../../scripts/go-tools.js";
import type { Step } from "./record-history.js";

/** Judges histories. Only the model is ours: tools/porcupine/main.go. */
export const porcupine = defineGoTool("porcupine", "Porcupine");

/**
 * Returns the numbers of histories that are impossible if each step takes effect at one moment, and the count of
 * undecided ones.
 */
export function judge(histories: readonly (readonly Step[])[]): { illegal: number[]; undecided: number } {
  const input = histories.map((steps) => `${JSON.stringify(steps)}\n`).join("");
  const { status, stdout, stderr } = spawnSync(porcupine.program, {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`Porcupine failed: ${stderr}`);
  const numbers = stdout.split("\n").filter(Boolean);
  const [open, illegal] = [true, false].map((isOpen) =>
    numbers.filter((text) => text.endsWith("?") === isOpen),
  );
  return { illegal: (illegal ?? []).map(Number), undecided: open?.length ?? 0 };
}
