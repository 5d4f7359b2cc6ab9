/** What a rotation has superseded is deleted where the files say so, and not before the new one is in use. */
import "../synthetic/entry.js";
import { describe, expect, it } from "vitest";
import { type Project, type Ran, startProject } from "../cli/hosting.js";
import { type Entry, entriesService, type Token } from "../synthetic/entry.js";

interface World {
  readonly project: Project;
  readonly tokens: Token[];
  readonly entries: Entry[];
  /** Applies with this value of the token. */
  apply(value: string, ...argv: string[]): Promise<Ran>;
  plan(value: string, ...argv: string[]): Promise<Ran>;
}

const files = (more = ", on_rotation: delete_old") =>
  `service: { profile: liveavatar }
tokens:
  main: { name: Main, value: !env KEY${more} }
entries:
  leaf: { name: Leaf, token: main }
`;

/** A token that an entry uses, both applied. */
async function start(text = files()): Promise<World> {
  const { endpoints, ...stored } = entriesService();
  const project = await startProject({ emulator: { endpoints }, files: { "avatarops.yaml": text } });
  const run = (value: string, ...argv: string[]) =>
    project.avataropsWith({ environment: { KEY: value } }, ...argv);
  const world: World = {
    ...{ project, ...stored },
    apply: (value, ...argv) => run(value, "apply", "--auto-approve", ...argv),
    plan: (value, ...argv) => run(value, "plan", ...argv),
  };
  await applied(world, "one");
  return world;
}

async function applied(world: World, value: string): Promise<void> {
  const ran = await world.apply(value);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  const again = await world.plan(value, "--detailed-exitcode");
  expect(again, again.stdout).toMatchObject({ exit: 0 });
}

const writes = ({ project }: World) =>
  project.emulator.requests
    .splice(0)
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path.split("/")[2]}`);

const flat = ({ stdout, stderr }: Ran) => (stdout + stderr).replace(/\s+/g, " ");

describe("on_rotation: delete_old", () => {
  it("makes the new one, has it used, and then deletes the old one, as the plan says", async () => {
    const world = await start();
    const [old] = world.tokens;
    writes(world);
    expect((await world.plan("two")).stdout).toMatch(new RegExp(`delete +token.${old?.id} .*Main`));
    await applied(world, "two");
    expect(writes(world)).toEqual(["POST tokens", "PATCH entries", "DELETE tokens"]);
    expect(world.tokens.map(({ id }) => id)).toEqual([world.entries[0]?.token]);
    expect((await world.project.avatarops("state", "show", "token.main")).stdout).not.toContain(
      old?.id ?? "",
    );
  });

  it.each([
    // What fails of the rotation, and what the account has then: the old one is there as long as it is used.
    ["POST /v1/tokens 400", 1],
    ["PATCH /v1/entries/* 400", 2],
    ["PATCH /v1/entries/* drop-before times=always", 2],
    ["DELETE /v1/tokens/* 403", 2],
    ["DELETE /v1/tokens/* drop-before times=always", 2],
    ["DELETE /v1/tokens/* drop-after times=always", 1],
    ["DELETE /v1/tokens/* 404", 2],
    ["GET /v1/entries 500 times=always skip=1", 2],
  ])("interrupted by %s, leaves %i, and ends as the files say", async (fault, left) => {
    const world = await start();
    world.project.emulator.addFault(fault);
    await world.apply("two");
    expect(world.tokens).toHaveLength(left);
    expect(world.tokens.map(({ id }) => id)).toContain(world.entries[0]?.token);
    world.project.emulator.clearFaults();
    await applied(world, "two");
    expect(world.tokens.map(({ id }) => id)).toEqual([world.entries[0]?.token]);
  });

  it("deletes nothing that something else of the account uses", async () => {
    const world = await start();
    const [old] = world.tokens;
    const theirs = { id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120000", name: "Theirs", parent: "" };
    world.entries.push({ ...theirs, token: old?.id ?? "" });
    const ran = await world.apply("two");
    expect(ran).toMatchObject({ exit: 0 });
    expect(flat(ran)).toContain(`is used by entry ${theirs.id} of the account`);
    expect(world.tokens).toHaveLength(2);
    world.entries.pop();
    await applied(world, "two");
    expect(world.tokens).toHaveLength(1);
  });

  it("deletes what earlier rotations have left, once the files say so", async () => {
    const world = await start(files(""));
    await applied(world, "two");
    await applied(world, "three");
    expect(world.tokens).toHaveLength(3);
    await world.project.write("avatarops.yaml", files());
    writes(world);
    await applied(world, "three");
    expect(writes(world)).toEqual(["DELETE tokens", "DELETE tokens"]);
  });

  it("deletes nothing of what is protected", async () => {
    const world = await start(files(", on_rotation: delete_old, protect: true"));
    await applied(world, "two");
    expect(world.tokens).toHaveLength(2);
  });

  it("deletes no id of the state that is somebody else's, or of which nothing was recorded", async () => {
    const two = "service: { profile: liveavatar }\ntokens:\n";
    const main = "  main: { name: Main, value: !env KEY, on_rotation: delete_old }\n";
    const kept = "  kept: { name: Kept, value: !env KEY, protect: true }\n";
    const world = await start(two + main + kept);
    const ours = world.tokens.find(({ name }) => name === "Kept")?.id ?? "";
    const theirs = {
      ...world.tokens[0],
      id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120001",
      name: "Theirs",
    } as Token;
    const alike = { ...theirs, id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120002", name: "Main" };
    world.tokens.push(theirs, alike);
    const path = ".avatarops/state.json";
    const state = JSON.parse(await world.project.read(path));
    const since = "2026-01-01T00:00:00.000Z";
    state.objects["token.main"].stale = [
      { id: ours, label: "Kept", since, applied: { name: "Kept" } },
      { id: theirs.id, label: "Main", since, applied: { name: "Main" } },
      { id: alike.id, label: "Main", since },
    ];
    await world.project.write(path, JSON.stringify(state));
    const ran = await world.apply("one");
    expect(flat(ran)).toContain(`${ours} is not deleted: token.kept has that id.`);
    expect(flat(ran)).toContain(`the account shows it as "Theirs"`);
    expect(world.tokens).toHaveLength(4);
  });

  it("needs a profile that can delete", async () => {
    const world = await start();
    await world.project.write("avatarops.yaml", files().replace(/^service.*\n/, ""));
    const ran = await world.plan("one");
    expect(ran).toMatchObject({ exit: 1 });
    expect(flat(ran)).toContain("token.main.on_rotation asks for a delete");
  });
});

describe("a secret", () => {
  const secret = (more: string) =>
    `service: { profile: liveavatar }
secrets:
  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY${more} }
`;

  async function startSecret(more = ""): Promise<World> {
    const project = await startProject({ emulator: { profile: "liveavatar" } });
    project.emulator.world.secrets.splice(0);
    await project.write("avatarops.yaml", secret(more));
    const run = (value: string, ...argv: string[]) =>
      project.avataropsWith({ environment: { KEY: value } }, ...argv);
    const world: World = {
      ...{ project, tokens: [], entries: [] },
      apply: (value, ...argv) => run(value, "apply", "--auto-approve", ...argv),
      plan: (value, ...argv) => run(value, "plan", ...argv),
    };
    return world;
  }
  const values = ({ project: { emulator } }: World) =>
    emulator.world.secrets.map(({ id }) => emulator.secretValue(id));

  it("of any type is stored, and replaced where the files say so", async () => {
    const world = await startSecret(", on_rotation: delete_old");
    await applied(world, "one");
    await applied(world, "two");
    expect(values(world)).toEqual(["two"]);
  });

  it("whose answer was lost is found, and not made twice", async () => {
    const world = await startSecret();
    world.project.emulator.addFault("POST /v1/secrets drop-after");
    await applied(world, "one");
    expect(values(world)).toEqual(["one"]);
  });

  it("that is gone is made again, and no older one of its name is taken for it", async () => {
    const world = await startSecret();
    await applied(world, "one");
    await applied(world, "two");
    world.project.emulator.world.secrets.pop();
    expect(values(world)).toEqual(["one"]);
    expect((await world.plan("two")).stdout).toContain("create    secret.llm");
    await applied(world, "two");
    expect(values(world)).toEqual(["one", "two"]);
  });

  it("that exists is adopted by its name and type, of several only with an id", async () => {
    const world = await startSecret();
    await applied(world, "one");
    await world.project.avatarops("state", "forget", "secret.llm");
    await world.project.write("avatarops.yaml", secret("").replace("LLM_API_KEY", "OPENAI_API_KEY"));
    expect((await world.plan("one")).stdout).toContain("create    secret.llm");
    await world.project.write("avatarops.yaml", secret(""));
    expect((await world.plan("one")).stdout).toContain("adopt     secret.llm");
    const ran = await world.apply("one");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
    expect(values(world)).toEqual(["one"]);
  });
});
