import { type EmulatorOptions, startEmulator } from "../../src/emulator/index.js";

/** Midsummer 2025, the time of every emulator in these tests until they move it. */
export const startMs = Date.UTC(2025, 5, 21, 12);
export const startTime = "2025-06-21T12:00:00.000Z";

export interface Heard {
  status: number;
  body: unknown;
}

/** An emulator with a clock that stands still until moved and with ids that count, and a way to ask it. */
export async function emulatorFor(options: EmulatorOptions = {}) {
  let nowMs = startMs;
  let ids = 0;
  const emulator = await startEmulator({ now: () => nowMs, newId: () => id(++ids), ...options });
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${emulator.url}${path}`, {
      method,
      headers: { "x-api-key": "test-key", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return {
    emulator,
    send,
    /** Asks and reads the whole answer; text that is not JSON comes as text. */
    async ask(...request: Parameters<typeof send>): Promise<Heard> {
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

/** The n-th id the emulator makes. */
export function id(n: number): string {
  return `99999999-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** The answer to a request that was refused, in the default form. */
export function refusal(status: number, message: string, code = 4000): Heard {
  return { status, body: { code, data: null, message } };
}
