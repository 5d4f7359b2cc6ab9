import { type EmulatorOptions, startEmulator } from "../../src/emulator/index.js";

/** Initial time of every emulator in these tests (midsummer 2025). */
export const startMs = Date.UTC(2025, 5, 21, 12);
export const startTime = "2025-06-21T12:00:00.000Z";

export interface TestResponse {
  status: number;
  body: unknown;
}

/**
 * Starts an emulator with sequential ids and a clock that advances only on request. Also returns `ask`, which sends
 * requests.
 */
export async function startTestEmulator(options: EmulatorOptions = {}) {
  let nowMs = startMs;
  let ids = 0;
  const emulator = await startEmulator({ now: () => nowMs, newId: () => createId(++ids), ...options });
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${emulator.url}${path}`, {
      method,
      headers: { "x-api-key": "test-key", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return {
    emulator,
    send,
    /** Sends a request and reads the whole response. Returns a string if the body is not JSON. */
    async ask(...request: Parameters<typeof send>): Promise<TestResponse> {
      const response = await send(...request);
      const text = await response.text();
      try {
        return { status: response.status, body: JSON.parse(text) };
      } catch {
        return { status: response.status, body: text };
      }
    },
    passMs(ms: number) {
      nowMs += ms;
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

/** Returns the emulator's nth id. */
export function createId(n: number): string {
  return `99999999-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** Returns the response to a rejected request in the default form. */
export function createRefusal(status: number, message: string, code = 4000): TestResponse {
  return { status, body: { code, data: null, message } };
}
