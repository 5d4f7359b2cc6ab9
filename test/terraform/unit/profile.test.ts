import { Unknown } from "@avatarops/terraform-plugin";
import { describe, expect, test } from "vitest";
import { createEmptyDataset, createSampleDataset } from "../../../src/emulator/index.js";
import { allowOtherRequests } from "../../documented-emulator.js";
import { type Kept, startAccount, startRun, type Values } from "./driving.js";

const profile = { profile: "liveavatar" } as const;
const startOffering = () => startAccount({ ...profile, world: createEmptyDataset() });
const [context, secret] = ["avatarops_context", "avatarops_secret"];
const configuration = "avatarops_llm_configuration";
const createDesk = (more: Values = {}): Values => ({ name: "Desk", prompt: "Be kind.", ...more });
const createLlm = (more: Values = {}): Values => ({
  ...{ secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY", secret_value_wo: "sk-one", ...more },
});
const matchError = (summary: string, detail = "") => ({
  ...{
    severity: "error",
    summary: expect.stringContaining(summary),
    detail: expect.stringContaining(detail),
  },
});
const matchWarning = (summary: string) => ({ severity: "warning", summary });
const needed = 'set profile = "liveavatar" in the provider block';

function assertKept({ kept }: { kept: Kept | null }): Kept {
  if (!kept) throw new Error("nothing is kept");
  return kept;
}

describe("provider without a profile", () => {
  test.each([
    [context, createDesk({ on_removal: "delete" }), "on_removal"],
    [secret, createLlm({ on_removal: "delete" }), "on_removal"],
    [secret, createLlm({ on_rotation: "delete_old" }), "on_rotation"],
    [
      configuration,
      { display_name: "Main", model_name: "gpt-4o", secret_id: "s-1", on_removal: "delete" },
      undefined,
    ],
  ])("rejects the plan of %s with a setting that needs a profile", async (type, config, name) => {
    const emulator = await startAccount();
    const { diagnostics } = await (await startRun(emulator)).plan(type, config);
    expect(diagnostics).toMatchObject([
      { ...matchError("needs a profile", needed), path: name ? [name] : [] },
    ]);
    expect(emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("deletes nothing even if an earlier run had a profile, and names the missing setting", async () => {
    const emulator = await startOffering();
    const made = await (await startRun(emulator, profile)).apply(
      context,
      createDesk({ on_removal: "delete" }),
    );
    const { diagnostics } = await (await startRun(emulator)).apply(context, null, assertKept(made));
    expect(diagnostics).toMatchObject([
      matchError("needs a profile", needed),
      matchError("needs a profile", needed),
    ]);
    expect(emulator.world.contexts).toHaveLength(1);
  });

  test("sends only documented requests", async () => {
    const emulator = await startOffering();
    const run = await startRun(emulator);
    const made = assertKept(await run.apply(secret, createLlm()));
    await run.refresh(secret, made);
    await run.plan(secret, null, made);
    expect(emulator.requests.map(({ method }) => method)).toEqual(["POST"]);
  });
});

test("sends no request if the profile is known only after apply", async () => {
  const emulator = await startAccount();
  const run = await startRun(emulator, { profile: Unknown });
  expect(run.diagnostics).toMatchObject([
    {
      severity: "warning",
      detail: expect.stringContaining("profile in the provider block is known only after apply"),
    },
  ]);
  expect((await run.plan(context, createDesk({ on_removal: "delete" }))).diagnostics).toEqual([]);
  expect(emulator.requests).toEqual([]);
});

test.each([
  [context, createDesk],
  [secret, createLlm],
])("reports a wrong profile if the deployment does not support deleting %s", async (type, config) => {
  const emulator = await startAccount({ world: createEmptyDataset() });
  allowOtherRequests(emulator);
  const run = await startRun(emulator, profile);
  // A create reads the list of secrets first, so it fails with a wrong profile.
  const made = await run.apply(type, config({ on_removal: "delete" }));
  const { diagnostics } = made.kept ? await run.apply(type, null, made.kept) : made;
  const wrong = matchError("", "correct or remove profile, or correct base_url");
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors).toMatchObject(errors.map(() => wrong));
  expect(errors).not.toEqual([]);
});

test("finds a new secret in the list after a lost response", async () => {
  const emulator = await startOffering();
  const run = await startRun(emulator, profile);
  const first = assertKept(await run.apply(secret, createLlm()));
  emulator.addFault("POST /v1/secrets drop-after");
  const next = await run.apply(secret, createLlm({ secret_value_wo: "sk-two" }), first);
  expect(next.kept?.state).toMatchObject({
    ...{ id: emulator.world.secrets[1]?.id, superseded_ids: [first.state.id] },
  });
  expect(emulator.world.secrets).toHaveLength(2);
});

test("distinguishes a recently superseded secret from a new one after a lost response", async () => {
  const emulator = await startOffering();
  let now = assertKept(await (await startRun(emulator, profile)).apply(secret, createLlm()));
  const two = createLlm({ secret_value_wo: "sk-two" });
  now = assertKept(await (await startRun(emulator, profile)).apply(secret, two, now));
  emulator.addFault("POST /v1/secrets drop-before times=always");
  const run = await startRun(emulator, profile);
  const next = await run.apply(secret, createLlm({ secret_value_wo: "sk-three" }), now);
  expect(next.kept).toEqual(now);
  expect(next.diagnostics).toMatchObject([
    matchError("Create outcome unknown", "If it does not exist, apply again."),
  ]);
});

test("does not take over another resource's secret after a lost create", async () => {
  const emulator = await startOffering();
  const kiosk = assertKept(await (await startRun(emulator, profile)).apply(secret, createLlm()));
  emulator.addFault("POST /v1/secrets drop-before");
  const run = await startRun(emulator, profile);
  const web = await run.apply(secret, createLlm({ secret_value_wo: "sk-web" }));
  expect(web.diagnostics).toMatchObject([
    matchWarning(`The account already has a secret named "${String(kiosk.state.secret_name)}"`),
    matchError("Create outcome unknown"),
  ]);
  expect(web.kept).toBeNull();
  expect(emulator.world.secrets.map(({ id }) => id)).toEqual([kiosk.state.id]);
});

describe("on_rotation", () => {
  const deletesOld = (value: string) => createLlm({ secret_value_wo: value, on_rotation: "delete_old" });

  async function rotate(fault: string) {
    const emulator = await startOffering();
    const run = await startRun(emulator, profile);
    const first = assertKept(await run.apply(secret, deletesOld("sk-one")));
    emulator.addFault(fault);
    const next = await run.apply(secret, deletesOld("sk-two"), first);
    emulator.clearFaults();
    return { emulator, run, first, next };
  }

  test.each(["500 times=always", "403", "404", "drop-before times=always"])(
    "keeps the id after a failed delete (%s), and retries in the next apply",
    async (fault) => {
      const { emulator, run, first, next } = await rotate(`DELETE /v1/secrets/* ${fault}`);
      expect(next.diagnostics).toMatchObject([
        matchWarning("The superseded secret will be deleted"),
        matchError("The superseded secret was not deleted"),
      ]);
      expect(next.kept?.state.superseded_ids).toEqual([first.state.id]);
      const again = await run.apply(secret, deletesOld("sk-two"), assertKept(next));
      expect(again.planned).toMatchObject({ id: next.kept?.state.id, superseded_ids: Unknown });
      expect(again.kept?.state.superseded_ids).toEqual([]);
      expect(emulator.world.secrets.map(({ id }) => id)).toEqual([next.kept?.state.id]);
      const after = await run.plan(secret, deletesOld("sk-two"), assertKept(again));
      expect(after.planned).toEqual(again.kept?.state);
    },
  );

  test.each(["drop-after times=always", "cut"])(
    "accepts a successful delete whose response was lost: %s",
    async (fault) => {
      const { emulator, next } = await rotate(`DELETE /v1/secrets/* ${fault}`);
      expect(next.diagnostics).toMatchObject([matchWarning("The superseded secret will be deleted")]);
      expect(next.kept?.state.superseded_ids).toEqual([]);
      expect(emulator.world.secrets).toHaveLength(1);
    },
  );

  test("deletes earlier superseded secrets, and forgets missing ones in a refresh", async () => {
    const emulator = await startOffering();
    const run = await startRun(emulator, profile);
    let now = assertKept(await run.apply(secret, createLlm()));
    for (const value of ["sk-two", "sk-three"])
      now = assertKept(await run.apply(secret, createLlm({ secret_value_wo: value }), now));
    expect(now.state.superseded_ids).toHaveLength(2);
    emulator.world.secrets.splice(0, 1);
    const later = await startRun(emulator, profile);
    now = assertKept(await later.refresh(secret, now));
    expect(now.state.superseded_ids).toEqual([emulator.world.secrets[0]?.id]);
    now = assertKept(await later.apply(secret, deletesOld("sk-three"), now));
    expect(emulator.world.secrets.map(({ id }) => id)).toEqual([now.state.id]);
  });
});

test("warns about superseded secrets if a refresh finds the current secret deleted", async () => {
  const emulator = await startOffering();
  const run = await startRun(emulator, profile);
  const first = assertKept(await run.apply(secret, createLlm()));
  const now = assertKept(await run.apply(secret, createLlm({ secret_value_wo: "sk-two" }), first));
  emulator.world.secrets.splice(1, 1);
  const { kept, diagnostics } = await (await startRun(emulator, profile)).refresh(secret, now);
  expect(kept).toBeNull();
  expect(diagnostics).toMatchObject([
    {
      ...matchWarning("The superseded secrets were not deleted"),
      detail: expect.stringContaining(String(first.state.id)),
    },
  ]);
});

test("reads secrets by name as the same apply created and deleted them", async () => {
  const emulator = await startOffering();
  const run = await startRun(emulator, profile);
  const findId = async () => (await run.read(secret, { secret_name: "llm" })).values?.id;
  const first = assertKept(await run.apply(secret, createLlm({ on_rotation: "delete_old" })));
  expect(await findId()).toBe(first.state.id);
  const two = createLlm({ secret_value_wo: "sk-two", on_rotation: "delete_old" });
  const next = assertKept(await run.apply(secret, two, first));
  expect(await findId()).toBe(next.state.id);
});

describe("stock data source", () => {
  const world = () => createSampleDataset(Date.now(), "liveavatar");

  test.each(["avatar", "voice"])("finds an object by its exact name: %s", async (kind) => {
    const emulator = await startAccount({ ...profile, world: world() });
    const run = await startRun(emulator, profile);
    const { values, diagnostics } = await run.read(`avatarops_stock_${kind}`, { name: "Wayne" });
    expect(diagnostics).toEqual([]);
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(values).toEqual({ name: "Wayne", id, timeouts: null });
  });

  test.each([
    [
      "Wayn",
      profile,
      profile.profile,
      matchError('The service has no stock voice named "Wayn"', 'Did you mean "Wayne"'),
    ],
    ["Wayne", {}, profile.profile, matchError("avatarops_stock_voice needs a profile", needed)],
    ["Wayne", profile, undefined, matchError("", "correct or remove profile, or correct base_url")],
  ])("reports why it finds no object: %s, with %j", async (name, settings, offered, expected) => {
    const emulator = await startAccount({ ...(offered ? { profile: offered } : {}), world: world() });
    if (!offered) allowOtherRequests(emulator);
    const run = await startRun(emulator, settings);
    const { values, diagnostics } = await run.read("avatarops_stock_voice", { name });
    expect(values).toBeNull();
    expect(diagnostics).toMatchObject([expected]);
  });
});

test.each(["avatar", "voice"] as const)("refreshes an adopted %s and leaves an empty plan", async (kind) => {
  const emulator = await startAccount({ ...profile, world: createSampleDataset(Date.now(), "liveavatar") });
  const [one] = emulator.world[`${kind}s`];
  const [type, config] = [`avatarops_${kind}`, { id: one?.id ?? "", name: "Ours" }];
  const made = assertKept(await (await startRun(emulator, profile)).apply(type, config));
  const run = await startRun(emulator, profile);
  const { kept: read, diagnostics } = await run.refresh(type, made);
  expect(diagnostics).toEqual([]);
  const again = await run.plan(type, config, read);
  expect([again.planned, again.diagnostics]).toEqual([read?.state, []]);
  expect(one?.name).toBe("Ours");
});

test.each([
  ["in the plan with a profile", profile, [{ severity: "warning", summary: "The voice does not exist" }]],
  ["only in the apply without a profile", {}, []],
])("reports a missing voice %s", async (_, settings, warnings) => {
  const world = createSampleDataset(Date.now(), "liveavatar");
  const emulator = await startAccount({ ...profile, world });
  const [type, config] = ["avatarops_voice", { id: "403779b1-9e37-4a1b-9c2d-5ee0fe129999", name: "One" }];
  expect((await (await startRun(emulator, settings)).plan(type, config)).diagnostics).toMatchObject(warnings);
  const { diagnostics } = await (await startRun(emulator, settings)).apply(type, config);
  expect(diagnostics).toMatchObject([...warnings, matchError("The voice does not exist")]);
});

test("rejects deletion of a secret that an LLM configuration uses", async () => {
  const emulator = await startOffering();
  const run = await startRun(emulator, profile);
  const made = assertKept(await run.apply(secret, createLlm({ on_removal: "delete" })));
  const using = { display_name: "Main", model_name: "gpt-4o", secret_id: made.state.id as string };
  await run.apply(configuration, using);
  const { diagnostics } = await run.apply(secret, null, made);
  const refused = matchError("The secret was not deleted", "is used by llm_configuration");
  expect(diagnostics).toContainEqual(expect.objectContaining(refused));
  expect(emulator.world.secrets).toHaveLength(1);
});
