import { onTestFinished } from "vitest";
import { start } from "../recovery/child.js";
import { addDefaultOptions, type LogLine, type Team } from "./team.js";

/** Starts the built command as a separate process and reads its log. */
export function startProcess(team: Team, ...argv: string[]) {
  const usual = { "--repo": team.repository, "--listen": "127.0.0.1:0", "--interval": "24h" };
  const { child, ended } = start(
    team.repository,
    ["sync", ...addDefaultOptions(usual, argv)],
    team.environment,
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  const waiting = new Set<() => void>();
  child.stdout?.on("data", (chunk: string) => {
    text += chunk;
    for (const look of waiting) look();
  });
  const lines = () =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogLine);
  /** Waits for the first matching line. Skips the first `from` lines. */
  const line = (is: (line: LogLine) => boolean, from = 0): Promise<LogLine> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines().slice(from).find(is);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      ended.then(({ stdout, stderr }) => reject(new Error(`It ended: ${stdout}${stderr}`)), reject);
    });
  return { child, ended, line, lines };
}
