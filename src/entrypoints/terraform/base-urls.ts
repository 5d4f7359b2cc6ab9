import { type ConfigCall, type Diagnostics, Unknown, type Value } from "@avatarops/terraform-plugin";
import { capitalize } from "../../base/text/index.js";
import { checkBaseUrl } from "../../core/api/index.js";

/* URL checks for a provider block. They run in processes that do not load the service client. */

/** Reports unusable URLs in a provider block. */
export function validateBaseUrls({ config, diagnostics }: ConfigCall): void {
  const { base_url: url } = config;
  if (typeof url === "string" && url !== "") normalizeBaseUrl(url, diagnostics);
  readFormerUrls(config.former_base_urls, diagnostics);
}

/** Normalizes a base URL. Reports an error and returns undefined if it is unusable. */
export function normalizeBaseUrl(url: string, diagnostics: Diagnostics) {
  const checked = checkBaseUrl(url);
  if ("url" in checked) return checked;
  const detail = `The base URL ${checked.problem}. ${capitalize(checked.hint)}.`;
  diagnostics.error("Invalid base_url", detail, ["base_url"]);
  return undefined;
}

/** Normalizes former base URLs, so that they can be compared with those in states. */
export function readFormerUrls(given: Value | undefined, diagnostics: Diagnostics): readonly string[] {
  return (readList(given) ?? []).flatMap((url, at) => {
    const checked = checkBaseUrl(String(url));
    if ("url" in checked) return [checked.url];
    const detail = `This former base URL ${checked.problem}. ${capitalize(checked.hint)}.`;
    diagnostics.error("Invalid former_base_urls", detail, ["former_base_urls", at]);
    return [];
  });
}

/** Returns the known entries of a list, or undefined for other values. */
export function readList(value: Value | undefined): readonly Value[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => entry !== Unknown) : undefined;
}
