// @module-tag night
/**
 * Checks that any value in any response field is either valid or reported with its position, and never causes a wrong
 * write.
 */
import { expect, it } from "vitest";
import { createSampleDataset } from "../../src/emulator/index.js";
import { type Project, startAndApply } from "../cli/hosting.js";
import { listWrites, runUnwrapped } from "./commands.js";

const manifest = `service: { profile: liveavatar }
avatars: { host: { id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000, name: Host } }
voices: { mara: { id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000, name: Mara } }
contexts:
  desk: { name: Desk, prompt: Be kind., opening_text: Hi., links: [{ url: "https://example.com/a", faq: A }] }
secrets: { llm: { secret_name: LLM, secret_type: OPENAI_API_KEY, secret_value: !env LLM_API_KEY } }
llm_configurations: { main: { display_name: Main, model_name: gpt, secret: llm, base_url: "https://llm.example.com" } }
`;

const odd: readonly unknown[] = [null, 0, -1.5, true, false, "", "x", [], [7], {}, { a: [] }, undefined];

/** Returns the paths in a JSON value, outermost first. Includes only the first item of each list. */
function listPaths(value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [at];
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 1) : Object.keys(value);
  return [
    at,
    ...keys.flatMap((key) => listPaths((value as Record<string | number, unknown>)[key], [...at, key])),
  ];
}

function replaceValue(whole: unknown, [key, ...more]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = Array.isArray(whole) ? [...whole] : { ...(whole as object) };
  Object.assign(copy, { [key]: replaceValue((whole as Record<string | number, unknown>)[key], more, value) });
  return copy;
}

/** Returns the paths that a full plan reads, with their responses. */
async function readResponses(project: Project): Promise<readonly (readonly [path: string, body: unknown])[]> {
  project.emulator.requests.length = 0;
  await runUnwrapped(project, "plan", "--refresh", "full");
  const paths = [...new Set(project.emulator.requests.map(({ path }) => path))];
  return Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(project.emulator.url + path, { headers: { "x-api-key": "test-key" } });
      return [path, await answer.json()] as const;
    }),
  );
}

it("reads or rejects a response with any value in any field", async () => {
  const project = await startAndApply({
    files: { "avatarops.yaml": manifest },
    world: createSampleDataset(Date.now()),
    environment: { LLM_API_KEY: "a-key" },
    emulator: { profile: "liveavatar" },
  });
  let refused = 0;
  for (const [path, body] of await readResponses(project))
    for (const keys of listPaths(body))
      for (const value of odd) {
        project.emulator.addFault({
          match: { method: "GET", path },
          times: 99,
          do: { kind: "malformed", body: JSON.stringify(replaceValue(body, keys, value)) ?? "" },
        });
        const ran = await runUnwrapped(project, "plan", "--refresh", "full", "--format", "json");
        project.emulator.clearFaults();
        const how = `${path} ${keys.join(".")} = ${JSON.stringify(value)}: ${ran.stderr}`;
        expect(ran.exit, how).toBeOneOf([0, 1, 4]);
        expect(ran.stderr + ran.stdout, how).not.toMatch(/\bBug:|TypeError|internal|undefined|\bat .*\.ts:/);
        const { format } = JSON.parse(ran.stdout);
        expect(format, how).toMatch(/^avatarops\/(?:plan|error)$/);
        if (format === "avatarops/error") refused += 1;
      }
  expect(refused).toBeGreaterThan(20);
  expect(listWrites(project)).toEqual([]);
  await project.expectNothingToDo();
});
