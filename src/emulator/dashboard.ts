import * as z from "zod";
import type { Account } from "./account.js";
import type { AvatarPage } from "./avatars.js";
import { type ContextPage, editedContext } from "./contexts.js";
import type { Dataset } from "./dataset.js";
import { EmulatorInputError } from "./input-error.js";
import type { EmulatedResource, Sources } from "./resource.js";
import * as resources from "./resources.js";
import type { SecretPage } from "./secrets.js";
import type { SessionPage } from "./sessions.js";
import { joinProblems, parseShape, strictObject, text } from "./shape.js";
import type { VoicePage } from "./voices.js";

/** Edits by a colleague in the service's dashboard. Each edit updates updated_at. */
export interface Dashboard extends AvatarPage, ContextPage, SecretPage, SessionPage, VoicePage {
  /**
   * Live data, including changes made by requests. Expired sessions stay active until the next request for sessions.
   */
  readonly world: Dataset;
}

const all: readonly EmulatedResource[] = Object.values(resources);

export function openDashboard(account: Account, sources: Sources): Dashboard {
  const pages = all.map((resource) => resource.openPage?.(account, sources) ?? {});
  return Object.assign({ world: account.world as unknown as Dataset }, ...pages) as Dashboard;
}

/** Makes an edit from JSON, such as `{"do":"renameAvatar","id":"…","name":"Front desk"}`. Throws EmulatorInputError. */
export function edit(dashboard: Dashboard, value: unknown): unknown {
  const read = parseShape(editSchema, value);
  if ("problems" in read) throw new EmulatorInputError("edit", joinProblems(read.problems));
  const request = read.value;
  if (request.do === "editContext") return dashboard.editContext(request.context, request.patch);
  return dashboard[request.do](request.id, request.name);
}

const editSchema = z.discriminatedUnion("do", [
  strictObject({ do: z.literal("editContext"), context: text(), patch: editedContext }),
  strictObject({ do: z.literal("renameAvatar"), id: text(), name: text() }),
  strictObject({ do: z.literal("renameVoice"), id: text(), name: text() }),
]);
