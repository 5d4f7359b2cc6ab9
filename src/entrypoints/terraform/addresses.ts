import { type ConfigCall, type Diagnostics, Unknown, type Value } from "@avatarops/terraform-plugin";
import { checkBaseUrl } from "../../core/api/index.js";

/*
 * The addresses in a provider block, checked in processes that need no client of the service: nothing here loads it.
 */

/** Reports addresses in a provider block that cannot be used. */
export function validateAddresses({ config, diagnostics }: ConfigCall): void {
  const { base_url: address } = config;
  if (typeof address === "string" && address !== "") normalizeAddress(address, diagnostics);
  formerUrls(config.former_base_urls, diagnostics);
}

/** An address of the service in its normal form; undefined if it cannot be used, which is reported. */
export function normalizeAddress(address: string, diagnostics: Diagnostics) {
  const checked = checkBaseUrl(address);
  if ("url" in checked) return checked;
  const detail = `The address of the service ${checked.problem}: ${checked.hint}.`;
  diagnostics.error("Invalid base_url", detail, ["base_url"]);
  return undefined;
}

/** The former addresses, each as it was saved in states. */
export function formerUrls(given: Value | undefined, diagnostics: Diagnostics): readonly string[] {
  return (readList(given) ?? []).flatMap((address, at) => {
    const checked = checkBaseUrl(String(address));
    if ("url" in checked) return [checked.url];
    const detail = `This former address of the service ${checked.problem}: ${checked.hint}.`;
    diagnostics.error("Invalid former_base_urls", detail, ["former_base_urls", at]);
    return [];
  });
}

/** The known entries of a list; undefined if it is not one. */
export function readList(value: Value | undefined): readonly Value[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => entry !== Unknown) : undefined;
}
