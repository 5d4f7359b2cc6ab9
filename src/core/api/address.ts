import { isExposed } from "../../base/http/index.js";

/** Valid base URL, or the problem and its fix. Never repeats the given text. */
export type BaseUrlCheck =
  | {
      /** Base URL without a trailing slash or `/v1`, because every path starts with `/v1` (§9). */
      readonly url: string;
      /** Whether the key would be sent unencrypted to another machine, which needs a warning. */
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
    exposesKey: isExposed(url.href),
  };
}

const endSlashes = /(?<!\/)\/+$/;

function createInvalid(problem: string, hint = "write it like https://api.example.com"): BaseUrlCheck {
  return { problem, hint };
}
