import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect } from "vitest";
import type { EmulatorOptions } from "../../src/emulator/index.js";
import { emulatorFor, type Heard } from "./asking.js";

/** A request, and what the emulator answers to it. */
export interface Exchange {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
}

/** The exchanges of a golden file: `### what`, a line of the request with its body, and the answer. */
export function exchangesIn(golden: string): Exchange[] {
  const [, ...texts] = readFileSync(golden, "utf8").split(/^### /m);
  return texts.map((text) => {
    const [what = "", request = "", answer = ""] = text.split("\n");
    const [, method = "", path = "", body] = /^(\S+) (\S+)(?: (.*))?$/.exec(request) ?? [];
    return { what, method, path, body, status: Number.parseInt(answer, 10) };
  });
}

/** Fails unless an emulator, a new one for each request of a golden file, answers what the file says. */
export async function expectAnswers(golden: string, options: () => EmulatorOptions): Promise<void> {
  const texts: string[] = [];
  for (const { what, method, path, body } of exchangesIn(golden)) {
    await using service = await emulatorFor(options());
    const answer = await service.ask(method, path, body);
    const request = `${method} ${path}${body === undefined ? "" : ` ${body}`}`;
    texts.push(
      `### ${what}\n${request}\n${shown(answer).replaceAll(service.emulator.url, "http://service")}\n\n`,
    );
  }
  await expect(texts.join("")).toMatchFileSnapshot(golden);
}

function shown({ status, body }: Heard): string {
  return `${status} ${inspect(body, { depth: 9, breakLength: 100, maxArrayLength: null })}`.replaceAll(
    /\beyJ[\w.-]+/g,
    "a JWT",
  );
}
