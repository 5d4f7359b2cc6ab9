/** Fields whose value is another declaration: written in order, and again when it gets another id. */
import "../synthetic/entry.js";
import { describe, expect, it } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { type Entry, entriesService, type Token } from "../synthetic/entry.js";

interface World {
  readonly project: Project;
  readonly tokens: Token[];
  readonly entries: Entry[];
  /** Runs a command with this value of the token. */
  run(value: string, ...argv: string[]): Promise<{ exit: number; stdout: string; stderr: string }>;
}

const tokens = "tokens:\n  main: { name: Main, value: !env KEY }\n";
const isDeleted = "on_removal: { entries: delete }\n";
const entries = (...lines: string[]) =>
  `${isDeleted}entries:\n${lines.map((line) => `  ${line}\n`).join("")}`;
const tree = entries(
  "leaf: { name: Leaf, parent: branch, token: main }",
  "branch: { name: Branch, parent: root }",
  "root: { name: Root }",
);

async function start(text: string): Promise<World> {
  const { endpoints, ...stored } = entriesService();
  const project = await startProject({ emulator: { endpoints }, files: { "avatarops.yaml": text } });
  const run: World["run"] = (value, ...argv) =>
    project.avataropsWith({ environment: { KEY: value } }, ...argv);
  return { project, ...stored, run };
}

async function applied({ run }: World, value = "one"): Promise<string> {
  const ran = await run(value, "apply", "--auto-approve");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  const again = await run(value, "plan", "--detailed-exitcode");
  expect(again, again.stdout).toMatchObject({ exit: 0 });
  return ran.stdout;
}

const writes = ({ project }: World) =>
  project.emulator.requests
    .splice(0)
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path.split("/")[2]}`);

describe("an object that refers to others", () => {
  it("is made after them, with their ids, which the plan says are known after apply", async () => {
    const world = await start(tokens + tree);
    const plan = await world.run("one", "plan");
    expect(plan.stdout).toContain("parent        (id of entry.branch, known after apply)");
    const { changes } = JSON.parse((await world.run("one", "plan", "--format", "json")).stdout);
    const leaf = changes.find(({ address }: { address: string }) => address === "entry.leaf");
    expect(leaf.fields).toContainEqual({
      ...{ field: "token", type: "reference", cause: "configured", known_after: "token.main" },
      declared_at: { file: "avatarops.yaml", line: expect.any(Number) },
    });
    expect((await world.run("one", "plan", "--format", "markdown")).stdout).toContain(
      "id of `token.main`, known after apply",
    );
    await applied(world);
    const [root, branch, leafMade] = world.entries;
    expect(world.entries.map(({ name }) => name)).toEqual(["Root", "Branch", "Leaf"]);
    expect([branch?.parent, leafMade?.parent, leafMade?.token]).toEqual([
      root?.id,
      branch?.id,
      world.tokens[0]?.id,
    ]);
  });

  it("follows a superseded object in the same apply", async () => {
    const world = await start(tokens + tree);
    await applied(world);
    writes(world);
    const plan = await world.run("two", "plan");
    const [old] = world.tokens;
    expect(plan.stdout.replace(/\s+/g, " ")).toContain(
      `token "${old?.id}" → (id of token.main, known after apply)`,
    );
    expect(plan.stdout).toContain("1 to update, 1 to supersede");
    await applied(world, "two");
    expect(writes(world)).toEqual(["POST tokens", "PATCH entries"]);
    expect(world.entries.find(({ name }) => name === "Leaf")?.token).toBe(world.tokens[1]?.id);
  });

  it("follows an object that was made again", async () => {
    const world = await start(tree.replace(", token: main", ""));
    await applied(world);
    world.entries.splice(
      world.entries.findIndex(({ name }) => name === "Root"),
      1,
    );
    await applied(world);
    expect(world.entries.find(({ name }) => name === "Branch")?.parent).toBe(
      world.entries.find(({ name }) => name === "Root")?.id,
    );
  });

  it("is not tried where what it refers to was not made", async () => {
    const world = await start(tokens + tree);
    world.project.emulator.addFault("POST /v1/tokens 400");
    const ran = await world.run("one", "apply", "--auto-approve");
    expect(ran).toMatchObject({ exit: 3 });
    expect(ran.stdout.replace(/\s+/g, " ")).toContain("It refers to token.main, which was not made.");
    expect(world.entries.map(({ name }) => name)).toEqual(["Root", "Branch"]);
    await applied(world);
  });

  it("is not tried alone where what it refers to has no id yet", async () => {
    const world = await start(tree.replace(", token: main", ""));
    const ran = await world.run("one", "apply", "--auto-approve", "--target", "entry.branch");
    expect(ran).toMatchObject({ exit: 1 });
    expect(ran.stdout.replace(/\s+/g, " ")).toContain("It refers to entry.root, which has no id yet");
    expect(world.entries).toEqual([]);
  });

  it("is changed by another reference, and cleared without one", async () => {
    const world = await start(tree.replace(", token: main", ""));
    await applied(world);
    await world.project.write("avatarops.yaml", tree.replace("parent: branch, token: main", "parent: root"));
    await applied(world);
    const root = world.entries.find(({ name }) => name === "Root");
    expect(world.entries.find(({ name }) => name === "Leaf")?.parent).toBe(root?.id);
    await world.project.write("avatarops.yaml", tree.replace(", parent: branch, token: main", ""));
    await applied(world);
    expect(world.entries.find(({ name }) => name === "Leaf")?.parent).toBe("");
  });

  it("is deleted before what it refers to", async () => {
    const world = await start(tree.replace(", token: main", ""));
    await applied(world);
    await world.project.write("avatarops.yaml", `${isDeleted}entries: {}\n`);
    await applied(world);
    expect(world.entries).toEqual([]);
  });

  it("keeps what it refers to where it cannot be deleted itself", async () => {
    const world = await start(tree.replace(", token: main", ""));
    await applied(world);
    const leaf = world.entries.find(({ name }) => name === "Leaf");
    world.project.emulator.addFault(`DELETE /v1/entries/${leaf?.id} 403`);
    await world.project.write("avatarops.yaml", `${isDeleted}entries: {}\n`);
    const ran = await world.run("one", "apply", "--auto-approve");
    expect(ran.stdout.replace(/\s+/g, " ")).toContain("It is used by entry.leaf, whose change was not done.");
    expect(world.entries).toHaveLength(3);
    await applied(world);
  });

  it("gives up what it referred to before that is deleted", async () => {
    const world = await start(tree.replace(", token: main", ""));
    await applied(world);
    writes(world);
    await world.project.write("avatarops.yaml", entries("leaf: { name: Leaf }"));
    await applied(world);
    expect(writes(world)).toEqual(["PATCH entries", "DELETE entries", "DELETE entries"]);
  });
});

describe("what the account says of a reference", () => {
  async function startDrifted(): Promise<World> {
    const world = await start(
      entries("leaf: { name: Leaf, parent: root }", "root: { name: Root }", "other: { name: Other }"),
    );
    await applied(world);
    const other = world.entries.find(({ name }) => name === "Other");
    Object.assign(world.entries.find(({ name }) => name === "Leaf") ?? {}, { parent: other?.id });
    return world;
  }

  it("is an id, which no pull writes where a name belongs", async () => {
    const world = await startDrifted();
    const before = await world.project.read("avatarops.yaml");
    const ran = await world.run("one", "pull");
    expect(ran).toMatchObject({ exit: 1 });
    expect((ran.stdout + ran.stderr).replace(/\s+/g, " ")).toContain(
      "write the name of its declaration into the file",
    );
    expect(await world.project.read("avatarops.yaml")).toBe(before);
  });

  it.each([
    ["an export", ["export", "exported"], "exported/avatarops.yaml"],
    ["an import", ["import", "--write", "--all"], "avatarops.yaml"],
  ])("is left out by %s, which says so", async (_, argv, file) => {
    const world = await startDrifted();
    await world.run("one", "state", "forget", "entry.leaf");
    await world.project.write("avatarops.yaml", entries("root: { name: Root }", "other: { name: Other }"));
    const ran = await world.run("one", ...argv);
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
    expect((ran.stdout + ran.stderr).replace(/\s+/g, " ")).toContain(
      "is declared without parent: add the name of the declaration it refers to.",
    );
    expect(await world.project.read(file)).toContain("name: Leaf");
  });
});

describe("in TypeScript", () => {
  // As generated of a kind: what a construct declares hangs on it, whichever copy of avatarops made it.
  const code = (statements: string) => `import { Project } from "avatarops";
import { Construct } from "constructs";
class Sample extends Construct {
  constructor(what, scope, id, props) {
    super(scope, id);
    const value = { version: 1, what, id, props, madeAt: [] };
    Object.defineProperty(this, Symbol.for("avatarops.declared"), { value });
  }
}
const project = new Project({});
const root = new Sample("entries", project, "root", { name: "Root" });
${statements}
export default project;
`;

  async function startCode(statements: string) {
    const { endpoints, entries: made } = entriesService();
    const files = { "avatarops.config.ts": code(statements) };
    return { made, project: await startProject({ emulator: { endpoints }, files }) };
  }

  it("a reference is the construct, or its name", async () => {
    const { made, project } = await startCode(`
new Sample("entries", project, "a", { name: "A", parent: root });
new Sample("entries", project, "b", { name: "B", parent: "root" });`);
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
    const [root] = made;
    expect(made.map(({ name, parent }) => [name, parent])).toEqual([
      ["Root", ""],
      ["A", root?.id],
      ["B", root?.id],
    ]);
    await project.expectNothingToDo();
  });

  it("a construct of another kind is refused", async () => {
    const { project } = await startCode(`new Sample("entries", project, "a", { name: "A", token: root });`);
    const ran = await project.avatarops("validate");
    expect(ran).toMatchObject({ exit: 1 });
    const said = (ran.stdout + ran.stderr).replace(/\s+/g, " ");
    expect(said).toContain("is a construct of entries");
    expect(said).toContain("give it one of the tokens, or its name");
  });
});

describe("validate", () => {
  it.each([
    [
      "what is not declared",
      entries("a: { name: A, token: maim }") + tokens,
      "there is no token.maim",
      'did you mean "main"?',
    ],
    [
      "an id",
      entries("a: { name: A, token: 403779b1-9e37-4a1b-9c2d-5ee0fe120000 }"),
      "there is no token.403779b1",
      "this is an id: declare the object under tokens: and write its name",
    ],
    [
      "itself",
      entries("a: { name: A, parent: a }"),
      "objects refer to each other: entry.a → entry.a",
      "remove one of the references",
    ],
    [
      "what refers to it",
      entries("a: { name: A, parent: b }", "b: { name: B, parent: a }"),
      "entry.a → entry.b → entry.a",
      "remove one of the references",
    ],
  ])("refuses a reference to %s", async (_, text, message, hint) => {
    const { run } = await start(text);
    const ran = await run("one", "validate");
    expect(ran).toMatchObject({ exit: 1 });
    const said = (ran.stdout + ran.stderr).replace(/\s+/g, " ");
    expect(said).toContain(message);
    expect(said).toContain(hint);
  });
});
