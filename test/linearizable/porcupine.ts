import { spawnSync } from "node:child_process";
import { tools } from "../../scripts/tools.js";
import type { Step } from "./record-history.js";

/**
 * Checks histories with our model in tools/go/porcupine. Returns the indexes of histories that are not linearizable
 * and the number of undecided histories.
 */
export function judge(histories: readonly (readonly Step[])[]): { illegal: number[]; undecided: number } {
  const input = histories.map((steps) => `${JSON.stringify(steps)}\n`).join("");
  const { status, stdout, stderr } = spawnSync(tools.porcupine.path, {
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
