import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect } from "vitest";
import type { EmulatorOptions } from "../../src/emulator/index.js";
import { emulatorFor, type Heard } from "./asking.js";

/** A request, and the status that it is answered with. */
export interface Exchange {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
}

/** A section of a golden file: `### what`, then each request behind `> `, with `[key]` if it has another, and its answer. */
function sectionsIn(golden: string): readonly { what: string; requests: readonly string[] }[] {
  const [, ...sections] = readFileSync(golden, "utf8").split(/^### /m);
  return sections.map((section) => {
    const [what = "", ...requests] = section.split(/^> /m);
    return { what: what.trim(), requests };
  });
}

function exchangeIn(request: string): Exchange {
  const [line = "", answer = ""] = request.split("\n");
  const [, key = "test-key", method = "", path = "", body] =
    /^(?:\[(\w+)\] )?(\S+) (\S+)(?: (.*))?$/.exec(line) ?? [];
  return { key, method, path, body, status: Number.parseInt(answer, 10) };
}

/** All exchanges of a golden file. */
export function exchangesIn(golden: string): readonly Exchange[] {
  return sectionsIn(golden).flatMap(({ requests }) => requests.map(exchangeIn));
}

/** Fails unless an emulator, a new one for each section of a golden file, answers what the file says. */
export async function expectAnswers(golden: string, options: () => EmulatorOptions): Promise<void> {
  const texts: string[] = [];
  for (const { what, requests } of sectionsIn(golden)) {
    await using service = await emulatorFor(options());
    texts.push(`### ${what}\n`);
    for (const { key, method, path, body } of requests.map(exchangeIn)) {
      const asked = service.ask(method, path, body, { "x-api-key": key });
      const answer = await asked.then(shown, () => "connection lost");
      const request = [...(key === "test-key" ? [] : [`[${key}]`]), method, path, ...(body ? [body] : [])];
      texts.push(`> ${request.join(" ")}\n${answer.replaceAll(service.emulator.url, "http://service")}\n`);
    }
    texts.push("\n");
  }
  await expect(texts.join("")).toMatchFileSnapshot(golden);
}

function shown({ status, body }: Heard): string {
  // The answer to each change of it.
  if (typeof body === "object" && body !== null && "successCode" in body) return `${status} all settings`;
  const text = inspect(body, { depth: 9, breakLength: 100, maxArrayLength: null });
  return `${status} ${text.replaceAll(/\beyJ[\w.-]+/g, "a JWT")}`;
}
