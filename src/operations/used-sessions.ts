import { UsageError } from "../base/diagnostics/index.js";
import { profileNames } from "../core/kinds/index.js";
import type { Project } from "./project.js";

/** @throws UsageError if the service offers no more than its document. */
export function requireProfile({ service }: Pick<Project, "service">): void {
  if (service.profile === undefined) throw needsProfile("The service's document does not have this.");
}

/** @param why a sentence. */
export function needsProfile(why: string): UsageError {
  const setting = `\`service: { profile: ${profileNames.join(" or ")} }\``;
  return new UsageError("needs-profile", `${why} If your deployment does, name its profile: ${setting}.`);
}
