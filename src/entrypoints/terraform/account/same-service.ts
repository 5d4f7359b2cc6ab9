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
  saved: PrivateState,
  account: OpenedAccount,
  diagnostics: Diagnostics,
): boolean {
  const recorded = findOtherService(saved, account);
  if (recorded === undefined) return true;
  if (!account.reported.has(recorded)) reportOtherService(kind, recorded, account, diagnostics);
  account.reported.add(recorded);
  return false;
}

/** Checks the service before a delete. Reports an error for each object, because Terraform drops objects without one. */
export function isSameServiceForDelete(
  kind: Kind,
  saved: PrivateState,
  account: OpenedAccount,
  diagnostics: Diagnostics,
): boolean {
  const recorded = findOtherService(saved, account);
  if (recorded !== undefined) reportOtherService(kind, recorded, account, diagnostics);
  return recorded === undefined;
}

/** Returns the service that the state recorded, or undefined if it is this one. */
function findOtherService(
  { service: recorded }: PrivateState,
  { service, settings }: OpenedAccount,
): string | undefined {
  if (typeof recorded !== "string" || recorded === service.baseUrl) return undefined;
  return settings.formerUrls.includes(recorded) ? undefined : recorded;
}

function reportOtherService(
  kind: Kind,
  recorded: string,
  { service }: OpenedAccount,
  diagnostics: Diagnostics,
): void {
  diagnostics.error(
    "The state belongs to another service",
    `The state recorded this ${kind.name} at ${recorded}, but base_url is ${service.baseUrl}. To manage another account, use a separate state, such as another workspace. If the same account moved, add former_base_urls = [${JSON.stringify(recorded)}] to the provider block.`,
  );
}
