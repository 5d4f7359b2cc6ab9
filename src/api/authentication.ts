import type { Dispatcher } from "undici";

/** Adds the key (§5), last of all, so that nothing above it on the way down ever holds it. */
export function authenticate(apiKey: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      { ...options, headers: { ...(options.headers as Record<string, string>), "x-api-key": apiKey } },
      handler,
    );
}

/** Why a key cannot be sent in a header, without showing it. */
export function keyProblem(apiKey: string): string | undefined {
  if (apiKey === "") return "the API key is empty.";
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    return "the API key holds a space, a line break or another character that no key has. Check where it comes from.";
  }
  return undefined;
}
