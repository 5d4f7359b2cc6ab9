import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect } from "vitest";
import * as z from "zod";
import { type Emulator, type EmulatorOptions, parseBehaviour } from "../../src/emulator/index.js";
import { emulatorFor, type Heard } from "./asking.js";

/** A request, and the status that it is answered with. */
export interface Exchange {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
}

/** What a line of a golden file does to the emulator itself. */
const deeds: Readonly<Record<string, (emulator: Emulator, written: string) => void>> = {
  set: ({ setBehaviour }, setting) => setBehaviour(parseBehaviour(setting)),
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
 * A section of a golden file: `### what`, then behind `> ` each request, with `[key]` if it has another, and its answer; or a deed and
 * what it needs, such as `> set links=merge`.
 */
function sectionsIn(golden: string): readonly { what: string; steps: readonly string[] }[] {
  const [, ...sections] = readFileSync(golden, "utf8").split(/^### /m);
  return sections.map((section) => {
    const [what = "", ...steps] = section.split(/^> /m);
    return { what: what.trim(), steps };
  });
}

/** The deed of a step that is no request, and what it needs. */
function deedIn(step: string) {
  const [, name = "", written = ""] = /^(\w+) (.*)/.exec(step) ?? [];
  const deed = deeds[name];
  return deed && { line: `${name} ${written}`, doTo: (emulator: Emulator) => deed(emulator, written) };
}

function exchangeIn(request: string): Exchange {
  const [line = "", answer = ""] = request.split("\n");
  const [, key = "test-key", method = "", path = "", body] =
    /^(?:\[(\w+)\] )?(\S+) (\S+)(?: (.*))?$/.exec(line) ?? [];
  return { key, method, path, body, status: Number.parseInt(answer, 10) };
}

/** All exchanges of a golden file. */
export function exchangesIn(golden: string): readonly Exchange[] {
  return sectionsIn(golden).flatMap(({ steps }) => steps.filter((step) => !deedIn(step)).map(exchangeIn));
}

/** Fails unless an emulator, a new one for each section of a golden file, answers what the file says. */
export async function expectAnswers(golden: string, options: () => EmulatorOptions): Promise<void> {
  const texts: string[] = [];
  for (const { what, steps } of sectionsIn(golden)) {
    await using service = await emulatorFor(options());
    texts.push(`### ${what}\n`);
    for (const step of steps) {
      const deed = deedIn(step);
      if (deed) {
        deed.doTo(service.emulator);
        texts.push(`> ${deed.line}\n`);
        continue;
      }
      const { key, method, path, body } = exchangeIn(step);
      const asked = service.ask(method, path, body, { "x-api-key": key });
      const answer = await asked.then(shown, () => "connection lost");
      const request = [...(key === "test-key" ? [] : [`[${key}]`]), method, path, ...(body ? [body] : [])];
      texts.push(`> ${request.join(" ")}\n${answer.replaceAll(service.emulator.url, "http://service")}\n`);
    }
    texts.push("\n");
  }
  await expect(texts.join("")).toMatchFileSnapshot(golden);
}

/** The status and the body; of a success in its envelope, the code and the data. */
function shown({ status, body }: Heard): string {
  const success = successes.safeParse(body).data;
  const what = success ? `${status}, code ${success.code}:` : `${status}`;
  const text = inspect(success ? success.data : body, { depth: 9, breakLength: 100, maxArrayLength: null });
  return `${what} ${text.replaceAll(/\beyJ[\w.-]+/g, "a JWT")}`;
}

const successes = z.strictObject({ code: z.number(), data: z.unknown(), message: z.literal("Success") });
