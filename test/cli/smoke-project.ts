import {
  createSampleDataset,
  type EmulatorOptions,
  type FaultAction,
  sandboxAvatarId,
} from "../../src/emulator/index.js";
import { type Project, startAndApply } from "./hosting.js";

/** Project and account for tests of the smoke check. */

export const world = createSampleDataset(Date.now());
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id;
const voice = world.voices.find(({ name }) => name === "Mara")?.id;

export const yaml = `
service: { sandbox_avatar: ${sandboxAvatarId} }
avatars:
  host: { id: ${avatar}, name: Front desk }
voices:
  mara: { id: ${voice}, name: Mara }
contexts:
  returns: { name: Returns desk, prompt: You help with returns., opening_text: Hello. }
  tours: { name: Tours, prompt: You show people around., opening_text: Hello. }
sessions:
  kiosk: { avatar: host, mode: FULL, persona: { voice: mara, context: returns, language: en } }
  lobby: { avatar: host, mode: FULL, persona: { voice: mara, context: tours, language: en } }
  phone: { mode: LITE, persona: { voice: mara, language: en } }
`;

/** Requests for the active sessions and for a token. */
export const listing = { method: "GET", path: "/v1/sessions" };
export const minting = { method: "POST", path: "/v1/sessions/token" };
export const empty: FaultAction = {
  kind: "malformed",
  body: JSON.stringify({ code: 100, data: { count: 0, results: [] }, message: "ok" }),
};
export const always = Number.POSITIVE_INFINITY;

/** Starts an applied project with an empty request log. */
export async function startAppliedProject(emulator: EmulatorOptions = {}): Promise<Project> {
  const files = { "avatarops.yaml": yaml };
  const project = await startAndApply({ files, world: structuredClone(world), emulator });
  project.emulator.requests.length = 0;
  return project;
}

/** Runs the smoke check without its pauses. */
export function runSmoke(project: Project, ...argv: string[]) {
  return project.avataropsWith({ pause: async () => {} }, "smoke", ...argv);
}
