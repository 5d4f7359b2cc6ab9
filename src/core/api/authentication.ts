import type { Dispatcher } from "undici";

/** Adds the key (§5) in the last layer, so that no layer above holds it. */
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
    return "the API key contains a space, a line break or another character that no key has. Check its source.";
  }
  return undefined;
}
