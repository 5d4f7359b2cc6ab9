import { isExposed } from "../../base/http/index.js";

/** A valid base address, or the problem and its fix. Never repeats the given text. */
export type BaseUrlCheck =
  | {
      /** Without trailing slash and without `/v1`, which starts every path (§9). */
      readonly url: string;
      /** Whether the key would travel unencrypted to another machine, which deserves a warning. */
      readonly exposesKey: boolean;
    }
  | { readonly problem: string; readonly hint: string };

/** Checks and normalises the address of the service. */
export function checkBaseUrl(text: string): BaseUrlCheck {
  const written = text.trim();
  if (written === "") return createInvalid("is empty");
  if (!URL.canParse(written)) return createInvalid("is not an address");
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return createInvalid("does not start with https://");
  if (url.username || url.password) {
    return createInvalid(
      "contains a user name or password",
      "remove them: the service identifies you by api_key",
    );
  }
  if (url.search || url.hash)
    return createInvalid("contains a query or a fragment", "remove everything from the ? or # on");
  return {
    url: url.origin + url.pathname.replace(endSlashes, "").replace(/\/v1$/, "").replace(endSlashes, ""),
    exposesKey: isExposed(url.href),
  };
}

const endSlashes = /(?<!\/)\/+$/;

function createInvalid(problem: string, hint = "write it like https://api.example.com"): BaseUrlCheck {
  return { problem, hint };
}
