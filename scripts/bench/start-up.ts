import { fileURLToPath } from "node:url";
import { median, printTable, program, runNode } from "./child.js";

const example = fileURLToPath(new URL("../../examples/yaml", import.meta.url));
const rounds = 15;

/** Measures small commands relative to an empty Node process, alternately. */
export async function measureStartUp(): Promise<void> {
  const commands: Readonly<Record<string, readonly string[]>> = {
    "node -e 0": ["-e", "0"],
    "avatarops --version": [program, "--version"],
    "avatarops --help": [program, "--help"],
    "avatarops validate (example)": [program, "validate", "--quiet"],
  };
  const times = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const { wallMs } = await runNode(args, { cwd: example });
      // The first round only warms the file caches.
      if (round > 0) times.get(name)?.push(wallMs);
    }
  }
  const bare = median(times.get("node -e 0") ?? []);
  const rows = [...times].map(([name, values]) => [
    name,
    median(values).toFixed(0),
    (median(values) / bare).toFixed(2),
  ]);
  printTable(`Start-up, medians of ${rounds} alternating runs`, ["command", "ms", "× node -e 0"], rows);
}
