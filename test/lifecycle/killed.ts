import { expect } from "vitest";
import type { Project } from "../cli/hosting.js";
import { type Ended, start } from "../recovery/child.js";

/**
 * Runs apply in a separate process. Kills the process when a matching request arrives, before or after the request
 * takes effect.
 */
export async function applyUntilKilled(
  { emulator, folder }: Project,
  match: { readonly method: string; readonly path?: string },
  when: "before" | "after",
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key", ...more };
  const { child, ended } = start(folder, ["apply", "--auto-approve"], environment);
  emulator.addFault({ match, do: { kind: "run", run: () => void child.kill("SIGKILL") } });
  emulator.addFault({ match, do: { kind: "drop", when } });
  const killed = await ended;
  expect(killed).toMatchObject({ signal: "SIGKILL" });
  return killed;
}
