/** A base address fit for use, or what is wrong with it and how to put it right. Neither repeats the text given. */
export type BaseUrlCheck =
  | {
      /** Without trailing slash and without `/v1`, which every path begins with (§9). */
      readonly url: string;
      /** The key would travel unencrypted to another machine: worth a warning. */
      readonly exposesKey: boolean;
    }
  | { readonly problem: string; readonly hint: string };

/** Checks the address of the service as a user wrote it and brings it into one form. */
export function checkBaseUrl(text: string): BaseUrlCheck {
  const written = text.trim();
  if (written === "") return trouble("is empty");
  if (!URL.canParse(written)) return trouble("is not an address");
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:") return trouble("does not begin with https://");
  if (url.username || url.password) {
    return trouble("holds a user name or password", "leave them out: the service knows you by api_key");
  }
  if (url.search || url.hash) return trouble("holds a query or a fragment", "cut it off before the ? or #");
  return {
    url: url.origin + url.pathname.replace(endSlashes, "").replace(/\/v1$/, "").replace(endSlashes, ""),
    exposesKey: url.protocol === "http:" && !isLoopback(url.hostname),
  };
}

const endSlashes = /(?<!\/)\/+$/;

function trouble(problem: string, hint = "write it like https://api.example.com"): BaseUrlCheck {
  return { problem, hint };
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
