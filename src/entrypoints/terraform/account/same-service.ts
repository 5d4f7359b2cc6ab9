import type { Diagnostics, PrivateState } from "@avatarops/terraform-plugin";
import type { Kind } from "../../../core/kinds/index.js";
import type { OpenAccount } from "./open-account.js";

/** What is kept beside the state of the service an object is of. */
export function servedBy({ service }: OpenAccount): { readonly service: string } {
  return { service: service.baseUrl };
}

/**
 * Whether an object is of the service at hand, as far as the state says. Ids belong to an account: with the address of
 * another, everything in the state would look as if it were gone, and be created again there. That is an error, reported once and
 * not for each of a thousand objects.
 */
export function isOfThisService(
  kind: Kind,
  { service: recorded }: PrivateState,
  { service, settings, reported }: OpenAccount,
  diagnostics: Diagnostics,
): boolean {
  if (typeof recorded !== "string" || recorded === service.baseUrl) return true;
  if (settings.formerUrls.includes(recorded)) return true;
  if (!reported.has(recorded)) {
    reported.add(recorded);
    diagnostics.error(
      "The state belongs to another service",
      `It has this ${kind.name} from ${recorded}, and base_url of the provider is ${service.baseUrl}. Give each account its own state, such as a workspace. If it is the same account at another address, add former_base_urls = [${JSON.stringify(recorded)}] to the provider block.`,
    );
  }
  return false;
}
