import type { Diagnostics, PrivateState } from "@avatarops/terraform-plugin";
import type { Kind } from "../../../core/kinds/index.js";
import type { OpenedAccount } from "./open-account.js";

/** Returns the private state that records an object's service. */
export function recordService({ service }: OpenedAccount): { readonly service: string } {
  return { service: service.baseUrl };
}

/**
 * Checks that the state recorded an object for this service. With another base URL, every object would look deleted and
 * be created again. Reports the error once, not for each object.
 */
export function isSameService(
  kind: Kind,
  { service: recorded }: PrivateState,
  { service, settings, reported }: OpenedAccount,
  diagnostics: Diagnostics,
): boolean {
  if (typeof recorded !== "string" || recorded === service.baseUrl) return true;
  if (settings.formerUrls.includes(recorded)) return true;
  if (!reported.has(recorded)) {
    reported.add(recorded);
    diagnostics.error(
      "The state belongs to another service",
      `The state recorded this ${kind.name} at ${recorded}, but base_url is ${service.baseUrl}. To manage another account, use a separate state, such as another workspace. If the same account moved, add former_base_urls = [${JSON.stringify(recorded)}] to the provider block.`,
    );
  }
  return false;
}
