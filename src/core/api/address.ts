import { isUnencrypted } from "../../base/http/index.js";

/**
 * A valid base URL, or the problem and how to fix it. The problem never quotes the URL, which may contain a password.
 */
export type BaseUrlCheck =
  | {
      /** Base URL without a trailing slash or `/v1`, because every path starts with `/v1` (§9). */
      readonly url: string;
      /** Whether the key would leave this machine unencrypted. Callers warn about it. */
      readonly exposesKey: boolean;
    }
  | { readonly problem: string; readonly hint: string };

export function checkBaseUrl(text: string): BaseUrlCheck {
  const written = text.trim();
  if (written === "") return createInvalid("is empty");
  if (!URL.canParse(written)) return createInvalid("is not a URL");
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return createInvalid("does not start with https://");
  if (url.username || url.password) {
    return createInvalid("contains a user name or password", "remove them, because api_key identifies you");
  }
  if (url.search || url.hash)
    return createInvalid("contains a query or a fragment", "remove the ? or # and everything after it");
  return {
    url: url.origin + url.pathname.replace(endSlashes, "").replace(/\/v1$/, "").replace(endSlashes, ""),
    exposesKey: isUnencrypted(url.href),
  };
}

const endSlashes = /(?<!\/)\/+$/;

function createInvalid(problem: string, hint = "write it like https://api.example.com"): BaseUrlCheck {
  return { problem, hint };
}
