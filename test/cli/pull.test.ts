import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { matchText, type Project, type ProjectSetup, startAndApply, startProject } from "./hosting.js";

const main = `# Ours
include: [contexts/*.md]
contexts:
  sales: # beside the others
    name: Sales desk   # as on the door
    prompt: !file prompts/sales.txt
    opening_text: Hi!
    links:
      - { url: https://example.com/a, faq: A }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: "Avatar 1" } # the only one
`;

const files = {
  "avatarops.yaml": main,
  "contexts/support.md": "---\n# Support\nname: Support desk\n---\nBe polite.\n",
  "prompts/sales.txt": "Be brief.\n",
};

const startAppliedProject = (setup: ProjectSetup = {}) =>
  startAndApply({ files, world: generateDataset({ avatars: 1 }), ...setup });

async function pull(project: Project, ...argv: readonly string[]) {
  const result = await project.avatarops("pull", "--format", "json", ...argv);
  return { exit: result.exit, ...JSON.parse(result.stdout) };
}

const nothing = { format: "avatarops/pull", version: 1, dry_run: false, pulled: [], refused: [], files: [] };

/** Builds the expected pull document for these fields. */
function createPullDocument(...pulled: readonly (readonly [address: string, field: string, file: string])[]) {
  return {
    ...nothing,
    exit: 0,
    pulled: pulled.map(([address, field, file]) => ({ address, field, file })),
    files: [...new Set(pulled.map(([, , file]) => file))],
  };
}

describe("pull", () => {
  test("writes dashboard edits in place and keeps everything else byte for byte", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: "Be very polite.\nAlways." });
    project.emulator.editContext("Sales desk", {
      prompt: "Be briefer.",
      opening_text: "Hello!",
      links: [{ url: "https://example.com/b", faq: "B" }],
    });
    project.emulator.renameAvatar("10000000-0000-4000-8000-000000000000", "Front desk");
    expect(await pull(project)).toEqual(
      createPullDocument(
        ["avatar.host", "name", "avatarops.yaml"],
        ["context.sales", "prompt", "prompts/sales.txt"],
        ["context.sales", "opening_text", "avatarops.yaml"],
        ["context.sales", "links", "avatarops.yaml"],
        ["context.support", "prompt", "contexts/support.md"],
      ),
    );
    expect(await project.read("contexts/support.md")).toBe(
      "---\n# Support\nname: Support desk\n---\nBe very polite.\nAlways.\n",
    );
    expect(await project.read("prompts/sales.txt")).toBe("Be briefer.\n");
    expect(await project.read("avatarops.yaml")).toBe(
      main
        .replace("Hi!", "Hello!")
        .replace("{ url: https://example.com/a, faq: A }", "{ url: https://example.com/b, faq: B }")
        .replace("Avatar 1", "Front desk"),
    );
    await project.expectNothingToDo();
    expect(await pull(project)).toEqual({ exit: 0, ...nothing });
    // Pulls only the new edit, because the first pull left no drift.
    project.emulator.editContext("Support desk", { prompt: "Again." });
    expect(await pull(project)).toEqual(
      createPullDocument(["context.support", "prompt", "contexts/support.md"]),
    );
    await project.expectNothingToDo("--refresh", "full");
  });

  test("rejects values that the files cannot contain and pulls the rest", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Sales desk", {
      prompt: "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> main\n",
      opening_text: "Hello!",
      links: [{ url: "javascript:alert(1)", faq: "A" }],
    });
    expect(await pull(project)).toMatchObject({
      exit: 3,
      pulled: [{ address: "context.sales", field: "opening_text" }],
      refused: [
        {
          address: "context.sales",
          field: "prompt",
          reason: matchText(
            "contains git conflict markers, which the rule `merge-conflict` does not allow in the files",
          ),
        },
        {
          address: "context.sales",
          field: "links",
          reason:
            "The live value is not valid in the files: context.sales.links[0].url is not a URL (https://…). Correct it in the account.",
        },
      ],
    });
    expect(await project.read("avatarops.yaml")).toBe(main.replace("Hi!", "Hello!"));
    expect(await project.read("prompts/sales.txt")).toBe(files["prompts/sales.txt"]);
    expect((await project.json("plan")).changes).toMatchObject([
      { reason: "drifted", fields: [{ field: "prompt" }, { field: "links" }] },
    ]);
  });

  test("keeps `protect` in the files when an object is named on the command line", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    const protect = main.replace("Hi!", "Hi!\n    protect: true");
    await project.write("avatarops.yaml", protect);
    expect(await pull(project, "context.sales")).toMatchObject({ exit: 0 });
    expect(await project.read("avatarops.yaml")).toBe(protect.replace("Hi!", "Hello!"));
  });

  test("writes nothing on a dry run and needs no lock", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    const state = await project.read(".avatarops/state.json");
    const holder = { id: "b2a4e4b0-4b7e-4a53-8a0c-5b1f5f2a0001", pid: process.pid, host: "elsewhere" };
    const lock = { ...holder, since: "2026-01-01T00:00:00.000Z", command: "avatarops apply" };
    await project.write(".avatarops/state.json.lock", JSON.stringify(lock));
    expect(await pull(project, "--dry-run")).toEqual({
      ...createPullDocument(["context.support", "prompt", "contexts/support.md"]),
      dry_run: true,
    });
    expect(await project.read("contexts/support.md")).toBe(files["contexts/support.md"]);
    expect(await project.read(".avatarops/state.json")).toBe(state);
    expect(await project.avatarops("pull")).toMatchObject({ exit: 6 });
    expect(await project.read("contexts/support.md")).toBe(files["contexts/support.md"]);
  });

  test("pulls the live prompt of a named object after a rollback", async () => {
    const project = await startAppliedProject();
    await project.write("prompts/sales.txt", "Be bold.\n");
    await project.expectDone("apply", "-y");
    await project.expectDone("rollback", "--to", "1", "-y");
    expect(await pull(project, "context.sales", "-y")).toEqual(
      createPullDocument(["context.sales", "prompt", "prompts/sales.txt"]),
    );
    expect(await project.read("prompts/sales.txt")).toBe("Be brief.\n");
  });

  test("keeps local edits to an object also edited in the dashboard, unless the object is named", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: "Theirs." });
    await project.write("contexts/support.md", "---\nname: Ours\n---\nBe polite.\n");
    expect(await pull(project)).toEqual(
      createPullDocument(["context.support", "prompt", "contexts/support.md"]),
    );
    expect(await project.read("contexts/support.md")).toBe("---\nname: Ours\n---\nTheirs.\n");
    const planned = await project.avatarops("plan", "--format", "json");
    expect(JSON.parse(planned.stdout).changes).toMatchObject([
      { address: "context.support", reason: "configured", fields: [{ field: "name", cause: "configured" }] },
    ]);
    expect(await pull(project, "context.support", "-y")).toEqual(
      createPullDocument(["context.support", "name", "contexts/support.md"]),
    );
    expect(await project.read("contexts/support.md")).toBe("---\nname: Support desk\n---\nTheirs.\n");
    await project.expectNothingToDo();
  });

  test("pulls the live values of a named object that is not managed yet", async () => {
    const project = await startProject({ files, world: generateDataset({ avatars: 1 }) });
    project.emulator.renameAvatar("10000000-0000-4000-8000-000000000000", "Front desk");
    expect(await pull(project)).toEqual({ exit: 0, ...nothing });
    expect(await pull(project, "avatar.host", "-y")).toEqual(
      createPullDocument(["avatar.host", "name", "avatarops.yaml"]),
    );
    await project.expectNothingToDo("--target", "avatar.host");
  });

  test("restores a field that was removed from the files", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", main.replace("    opening_text: Hi!\n", ""));
    expect(await pull(project, "context.sales")).toEqual(
      createPullDocument(["context.sales", "opening_text", "avatarops.yaml"]),
    );
    expect(await project.read("avatarops.yaml")).toContain("    opening_text: Hi!\n");
    await project.expectNothingToDo();
  });

  test("rejects different edits to two prompts that share one file", async () => {
    const shared = `contexts:
  one: { name: One, prompt: !file prompts/shared.txt }
  two: { name: Two, prompt: !file prompts/shared.txt }
`;
    const project = await startAppliedProject({
      files: { "avatarops.yaml": shared, "prompts/shared.txt": "Shared.\n" },
    });
    const alone = {
      exit: 7,
      refused: [{ address: "context.one", reason: matchText("context.two.prompt would also change") }],
    };
    const refusal = (address: string, other: string) => ({
      ...{ address, field: "prompt" },
      reason: matchText(`${other}.prompt also uses the text in prompts/shared.txt`),
    });
    project.emulator.editContext("One", { prompt: "Edited." });
    expect(await pull(project)).toMatchObject(alone);
    project.emulator.editContext("Two", { prompt: "Edited differently." });
    expect(await pull(project)).toMatchObject({
      exit: 1,
      refused: [refusal("context.one", "context.two"), refusal("context.two", "context.one")],
    });
    expect(await project.read("prompts/shared.txt")).toBe("Shared.\n");
    project.emulator.editContext("Two", { prompt: "Edited." });
    expect(await pull(project)).toEqual(
      createPullDocument(
        ["context.one", "prompt", "prompts/shared.txt"],
        ["context.two", "prompt", "prompts/shared.txt"],
      ),
    );
    expect(await project.read("prompts/shared.txt")).toBe("Edited.\n");
    await project.expectNothingToDo();
  });

  test("loses no edit if writing the state fails after writing the files", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: "Theirs." });
    // Removes the lock while the service responds, so writing the state fails.
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      do: { kind: "run", run: () => rmSync(path.join(project.folder, ".avatarops/state.json.lock")) },
    });
    expect(await project.avatarops("pull")).toMatchObject({ exit: 1 });
    expect(await project.read("contexts/support.md")).toContain("Theirs.");
    await project.expectNothingToDo();
  });

  test("does not overwrite a file that is edited while the service responds", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Support desk", { prompt: "Theirs." });
    project.emulator.editContext("Sales desk", { opening_text: "Hello!" });
    const file = path.join(project.folder, "contexts/support.md");
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      do: { kind: "run", run: () => writeFileSync(file, "---\nname: Support desk\n---\nJust typed.\n") },
    });
    expect(await pull(project)).toMatchObject({
      exit: 3,
      pulled: [{ address: "context.sales" }],
      refused: [
        { address: "context.support", field: "prompt", reason: matchText("changed in the meantime") },
      ],
    });
    expect(await project.read("contexts/support.md")).toContain("Just typed.");
  });

  test("asks before changing other environments, and changes a single one with --here", async () => {
    const manifest = `contexts:
  one: { name: One, prompt: !file prompts/one.md }
  two: { name: Two, prompt: !file prompts/one.md }
environments:
  staging: { state: .avatarops/staging.json }
  production: { state: .avatarops/production.json, contexts: { one: { name: First } } }
`;
    const project = await startProject({ files: { "avatarops.yaml": manifest, "prompts/one.md": "Hi.\n" } });
    const staging = ["--env", "staging"];
    expect(await project.avatarops("apply", "-y", ...staging)).toMatchObject({ exit: 0 });
    project.emulator.editContext("One", { prompt: "Edited." });
    project.emulator.editContext("Two", { name: "Second" });
    const shared =
      "would also change. Add --auto-approve to change all, or --here to change only this object.";
    expect(await pull(project, ...staging)).toMatchObject({
      ...{ exit: 7, pulled: [] },
      refused: [
        {
          ...{ address: "context.one", field: "prompt" },
          reason: `context.two.prompt, context.one.prompt (production), context.two.prompt (production) ${shared}`,
        },
        { address: "context.two", field: "name", reason: `context.two.name (production) ${shared}` },
      ],
    });
    expect(await project.read("prompts/one.md")).toBe("Hi.\n");
    const asked = await project.avataropsWith({ typed: "no\n" }, "pull", ...staging);
    expect(asked).toMatchObject({
      exit: 130,
      stderr: matchText("The edit to context.two.name also changes context.two.name (production)."),
    });

    expect(await pull(project, ...staging, "--here")).toMatchObject({ exit: 0, refused: [] });
    expect(await project.read("prompts/one.md")).toBe("Hi.\n");
    expect(await project.read("avatarops.yaml")).toBe(
      manifest.replace(
        "staging: { state: .avatarops/staging.json }",
        "staging: { contexts: { one: { prompt: Edited. }, two: { name: Second } }, state: .avatarops/staging.json }",
      ),
    );
    await project.expectNothingToDo(...staging);
    // An override applies only to its environment. A field added to the shared object applies to all environments.
    project.emulator.editContext("One", { prompt: "Edited again." });
    expect(await pull(project, ...staging)).toMatchObject({ exit: 0 });
    await project.expectNothingToDo(...staging);
    const files = await project.read("avatarops.yaml");
    await project.write("avatarops.yaml", files.replace("name: One,", "name: One, opening_text: Hello!,"));
    expect(await project.avatarops("apply", "-y", ...staging)).toMatchObject({ exit: 0 });
    await project.write("avatarops.yaml", files);
    expect(await pull(project, ...staging, "context.one")).toMatchObject({
      refused: [{ field: "opening_text", reason: `context.one.opening_text (production) ${shared}` }],
    });
  });

  test.each([
    ["context.suport", "Did you mean context.support?"],
    ["context.new", "The account has no such object"],
    ["voice.narrator", "cannot read objects of the kind voice"],
  ])("explains why %s cannot be pulled", async (address, why) => {
    const project = await startAppliedProject();
    const more = `${main}voices:\n  narrator: { id: 20000000-0000-4000-8000-000000000000, name: Voice }\n`;
    await project.write("avatarops.yaml", more);
    await project.write("contexts/new.md", "---\nname: New\n---\nNew.\n");
    const { exit, stdout, stderr } = await project.avatarops("pull", address);
    expect(exit).toBe(1);
    expect(stdout + stderr).toEqual(matchText(why));
  });
});
