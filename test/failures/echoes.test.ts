/**
 * Tests a service that repeats the secret in its response. Only the id is recorded, and only if it does not contain
 * the value.
 */
import { describe, expect, it } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { applySuccessfully, listWrites, runUnwrapped, summarizeApply, summarizePlan } from "./commands.js";

const canary = "kanarie-47-Zx9-Qw-vogel";
const address = "secret.llm";
const manifest = `secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
`;

function start(value = canary): Promise<Project> {
  return startProject({ files: { "avatarops.yaml": manifest }, environment: { LLM_API_KEY: value } });
}

/** Makes the service respond to the next secret with `data` in the envelope. */
function answerOnce({ emulator }: Project, data: unknown): void {
  const body = JSON.stringify({ code: 100, data, message: canary });
  emulator.addFault({ match: { method: "POST", path: "/v1/secrets" }, do: { kind: "malformed", body } });
}

/** Returns the commands' output and the files that they leave behind. */
async function readTraces(project: Project, ...printed: string[]): Promise<string> {
  const shown = [
    await runUnwrapped(project, "plan", "--out", "plan.json"),
    await runUnwrapped(project, "plan", "--format", "json"),
    await runUnwrapped(project, "state", "show", address, "--format", "json"),
  ];
  const files = [".avatarops/state.json", "plan.json"].map((file) =>
    project.has(file) ? project.read(file) : "",
  );
  return [
    ...(await Promise.all(files)),
    ...shown.flatMap((ran) => [ran.stdout, ran.stderr]),
    ...printed,
  ].join("\n");
}

describe("secret name", () => {
  it.each([
    ["the value", { id: "s-1", secret_name: canary }],
    ["a part of the value", { id: "s-1", secret_name: `llm (${canary.slice(4, 15)}…)` }],
    ["an unknown field with the value", { id: "s-1", secret_name: "llm", echo: { secret_value: canary } }],
    ["a number", { id: "s-1", secret_name: 7 }],
  ])("stays as declared if the response contains %s", async (_, data) => {
    const project = await start();
    answerOnce(project, data);
    const { stdout, stderr } = await applySuccessfully(project);
    expect(JSON.parse(await project.read(".avatarops/state.json")).objects[address]).toMatchObject({
      id: "s-1",
      applied: { secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY" },
    });
    expect(await readTraces(project, stdout, stderr)).not.toContain(canary.slice(4, 15));
    await project.expectNothingToDo();
    expect(listWrites(project)).toEqual(["POST /v1/secrets"]);
  });
});

describe("id returned for a secret", () => {
  const base64 = Buffer.from(canary).toString("base64url");
  // For ids of other shapes, see test/failures/ids.test.ts.
  const ids: readonly (readonly [string, unknown])[] = [
    ["is the value", canary],
    ["contains the value", `secret-${canary}`],
    ["is the value in base64", base64],
    ["is missing", undefined],
  ];
  it.each(ids)("is rejected and not sent again if it %s", async (_, id) => {
    const project = await start();
    answerOnce(project, { id, secret_name: canary });
    const { exit, outcomes, problems } = await summarizeApply(project);
    expect({ exit, outcomes }).toEqual({ exit: 4, outcomes: [`${address} unknown wrong-shape`] });
    expect(problems[0]).toMatch(
      /^POST \/v1\/secrets: the response differs from the documentation at data\.id: it /,
    );
    expect(problems[0]).toContain(`run \`avatarops import ${address} ID\`, or apply with --accept-duplicate`);
    expect(await summarizePlan(project)).toMatchObject({
      exit: 4,
      changes: [`ambiguous ${address} answer-lost`],
    });
    expect(await summarizeApply(project)).toMatchObject({
      exit: 4,
      outcomes: [`${address} skipped ambiguous`],
    });
    expect(listWrites(project)).toEqual(["POST /v1/secrets"]);
    const left = await readTraces(project, ...problems);
    for (const text of [canary, base64]) expect(left).not.toContain(text);

    expect(await runUnwrapped(project, "import", address, "s-1")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
  });

  it("is rejected if it equals a short secret value", async () => {
    const project = await start("abc");
    answerOnce(project, { id: "abc" });
    expect(await summarizeApply(project)).toMatchObject({ exit: 4 });
  });
});

it("accepts a secret id that shares only a few letters with the value", async () => {
  const project = await start("abc");
  answerOnce(project, { id: "abcdef" });
  await applySuccessfully(project);
  await project.expectNothingToDo();
});

it("keeps the secret value out of messages about a response's type or code", async () => {
  const project = await start("1234567890");
  project.emulator.addFault({
    match: { method: "POST" },
    do: { kind: "status", status: 200, body: "OK", headers: { "content-type": "text/1234567890" } },
  });
  const first = await summarizeApply(project);
  project.emulator.addFault({
    match: { method: "POST" },
    do: { kind: "status", status: 400, body: { code: 1234567890, message: "no" } },
  });
  const second = await summarizeApply(project, "--accept-duplicate", address);
  expect([first.exit, second.exit]).toEqual([4, 1]);
  expect([...first.problems, ...second.problems].join()).not.toContain("1234567890");
});
