import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect } from "vitest";
import * as z from "zod";
import { type Emulator, type EmulatorOptions, parseBehavior } from "../../src/emulator/index.js";
import { startTestEmulator, type TestResponse } from "./asking.js";

/** A request and the status of its response. */
export interface Exchange {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
}

/** Golden file steps that act on the emulator itself. */
const actions: Readonly<Record<string, (emulator: Emulator, written: string) => void>> = {
  set: ({ setBehavior }, setting) => setBehavior(parseBehavior(setting)),
  fault: ({ addFault }, fault) => addFault(fault),
  pass: ({ passTime }, ms) => passTime(Number(ms)),
  ...Object.fromEntries(
    (["addContext", "removeContext", "addSession", "endSession", "say"] as const).map((name) => [
      name,
      (emulator: Emulator, given: string) =>
        void (emulator[name] as (...given: unknown[]) => unknown)(...JSON.parse(given)),
    ]),
  ),
};

/**
 * Parses a golden file. Each section has a title (`### `) and steps (`> `). A step is either a request followed by its
 * response, or a call to the emulator, such as `> set links=merge`. `[key]` sends a request with another key.
 */
function parseSections(golden: string): readonly { what: string; steps: readonly string[] }[] {
  const [, ...sections] = readFileSync(golden, "utf8").split(/^### /m);
  return sections.map((section) => {
    const [what = "", ...steps] = section.split(/^> /m);
    return { what: what.trim(), steps };
  });
}

/** Returns the emulator call for a step that is not a request. */
function parseAction(step: string) {
  const [, name = "", written = ""] = /^(\w+) (.*)/.exec(step) ?? [];
  const action = actions[name];
  return action && { line: `${name} ${written}`, doTo: (emulator: Emulator) => action(emulator, written) };
}

function parseExchange(request: string): Exchange {
  const [line = "", answer = ""] = request.split("\n");
  const [, key = "test-key", method = "", path = "", body] =
    /^(?:\[(\w+)\] )?(\S+) (\S+)(?: (.*))?$/.exec(line) ?? [];
  return { key, method, path, body, status: Number.parseInt(answer, 10) };
}

/** Returns all exchanges in a golden file. */
export function readExchanges(golden: string): readonly Exchange[] {
  return parseSections(golden).flatMap(({ steps }) =>
    steps.filter((step) => !parseAction(step)).map(parseExchange),
  );
}

/** Expects a golden file's responses, from a new emulator for each section. */
export async function expectResponses(golden: string, options: () => EmulatorOptions): Promise<void> {
  const texts: string[] = [];
  for (const { what, steps } of parseSections(golden)) {
    await using service = await startTestEmulator(options());
    texts.push(`### ${what}\n`);
    for (const step of steps) {
      const action = parseAction(step);
      if (action) {
        action.doTo(service.emulator);
        texts.push(`> ${action.line}\n`);
        continue;
      }
      const { key, method, path, body } = parseExchange(step);
      const asked = service.ask(method, path, body, { "x-api-key": key });
      const answer = await asked.then(formatResponse, () => "connection lost");
      const request = [...(key === "test-key" ? [] : [`[${key}]`]), method, path, ...(body ? [body] : [])];
      texts.push(`> ${request.join(" ")}\n${answer.replaceAll(service.emulator.url, "http://service")}\n`);
    }
    texts.push("\n");
  }
  await expect(texts.join("")).toMatchFileSnapshot(golden);
}

/** Formats the status and the body. For a success, shows only the code and data of the envelope. */
function formatResponse({ status, body }: TestResponse): string {
  const success = successes.safeParse(body).data;
  const what = success ? `${status}, code ${success.code}:` : `${status}`;
  const text = inspect(success ? success.data : body, { depth: 9, breakLength: 100, maxArrayLength: null });
  return `${what} ${text.replaceAll(/\beyJ[\w.-]+/g, "a JWT")}`;
}

const successes = z.strictObject({ code: z.number(), data: z.unknown(), message: z.literal("Success") });
