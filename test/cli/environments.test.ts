import { describe, expect, test } from "vitest";
import { matchText, type Project, startProject } from "./hosting.js";
import { commit, git } from "./in-git.js";

const files = {
  "avatarops.yaml": `templates: [prompts/*.md]
variables: { price: 9 EUR }
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md, opening_text: Hello. } # shared
environments:
  staging:
    contexts:
      desk: { prompt: !file prompts/staging.md }
  production:
    variables: { price: 10 EUR }
    contexts:
      # What legal has approved.
      desk: { prompt: !file prompts/production.md }
`,
  "prompts/desk.md": "Be kind.\n",
  "prompts/staging.md": "Be kind and brief.\n{{! tested }}\n{{> steps}}\nA return costs {{price}}.\n",
  "prompts/production.md": "Be kind.\n\nA return costs {{price}}.\n",
  "partials/steps.md": "Send it back.\n",
};

/** Creates a repository with the files above, overridden by `own`. */
async function startInGit(own: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await startProject({ files: { ...files, ...own } });
  git(project, "init", "--quiet");
  commit(project);
  return project;
}

const promoting = ["promote", "context.desk", "--from", "staging", "--to", "production"];

async function readPrompt(project: Project, env: string): Promise<string> {
  return `${(await project.avatarops("render", "context.desk", "--env", env)).stdout}\n`;
}

/** Runs promote, expects an error and unchanged files, and returns the error. */
async function expectRejected(project: Project): Promise<string> {
  const { exit, stderr } = await project.avatarops(...promoting);
  expect({ exit, changed: git(project, "status", "--porcelain") }).toEqual({ exit: 1, changed: "" });
  return stderr.replace(/\s+/g, " ");
}

const inYaml = `contexts:
  desk: { name: Desk, prompt: Be kind. }
  night: { name: Night, prompt: Be quiet. }
environments:
  staging: { contexts: { desk: { prompt: !file prompts/staging.md } } }
  dev: {}
  production:
    contexts:
      # What legal has approved.
      desk:
        prompt: |- # do not edit
          Be kind.
          Be short.
        opening_text: Welcome.
      day: { name: Day, prompt: Be awake. }
`;

describe("diff", () => {
  test("compares two environments and ignores differences in variable values", async () => {
    const project = await startInGit();
    const differing = await project.avatarops("diff", "staging", "production");
    expect(differing).toMatchObject({ exit: 2, stderr: "" });
    expect(differing.stdout).toMatch(
      /^context\.desk\n {2}prompt .*\n(.*\n)+ {2}staging and production differ in 1 object\.\n$/,
    );
    expect(differing.stdout).toContain("Be kind[- and brief-].");
    expect(differing.stdout).not.toContain("EUR");
    // `diff` ignores different values of a variable, but not different literals.
    await project.write("prompts/production.md", files["prompts/staging.md"].replace("{{price}}", "9 EUR"));
    const literal = await project.avatarops("diff", "staging", "production");
    expect(literal.stdout).toContain("[-10-]{+9+} EUR");
    await project.write("prompts/production.md", files["prompts/staging.md"]);
    const environment = { AVATAROPS_API_KEY: "", AVATAROPS_BASE_URL: "" };
    expect(await project.avataropsWith({ environment }, "diff", "staging", "production")).toEqual({
      ...{ exit: 0, stdout: "  staging and production differ in 0 objects.\n", stderr: "" },
    });
    // Compares a prompt without placeholders with the other environment's rendered template.
    await project.write(
      "avatarops.yaml",
      files["avatarops.yaml"].replace(
        "!file prompts/production.md",
        '"Be kind and brief.\\nSend it back.\\nA return costs 10 EUR."',
      ),
    );
    expect(await project.avatarops("diff", "staging", "production")).toMatchObject({ exit: 0 });
  });

  test("shows differing fields and missing objects in 80-column text, in Markdown and in JSON", async () => {
    const project = await startInGit({
      "avatarops.yaml": inYaml,
      "prompts/staging.md": `Be kind. ${"Say hello. ".repeat(20)}\n`,
    });
    const { stdout } = await project.avatarops("diff", "staging", "production", "--format", "json");
    const { objects, ...head } = JSON.parse(stdout);
    expect(head).toEqual({ format: "avatarops/diff", version: 1, from: "staging", to: "production" });
    expect(objects).toMatchObject([
      {
        address: "context.desk",
        fields: [
          { field: "prompt", after: "Be kind.\nBe short." },
          { field: "opening_text", after: "Welcome." },
        ],
      },
      {
        address: "context.day",
        only_in: "production",
        fields: [{ field: "name", type: "string", after: "Day" }, { field: "prompt" }],
      },
    ]);
    const text = await project.avatarops("diff", "staging", "production");
    expect(text.stdout).toContain("\ncontext.day only in production\n");
    expect(text.stdout.split("\n").every((line) => line.length <= 80)).toBe(true);
    const markdown = await project.avatarops("diff", "staging", "production", "--format", "markdown");
    expect(markdown.stdout).toContain("Be short.</strong>");
    expect(await project.avatarops("diff", "staging", "live")).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText("live"),
    });
  });

  test("compares the account with the files in both directions", async () => {
    const project = await startInGit();
    const inProduction = ["--env", "production"];
    expect((await project.avatarops("diff", ...inProduction)).stdout).toContain(
      "context.desk only in files\n",
    );
    expect(await project.avatarops("apply", "-y", ...inProduction)).toMatchObject({ exit: 0 });
    expect(await project.avatarops("diff", ...inProduction)).toMatchObject({
      ...{ exit: 0, stdout: "  account and files differ in 0 objects.\n", stderr: "" },
    });
    project.emulator.editContext("Desk", { prompt: "Be quick." });
    const [forward, backward, named] = [
      await project.avatarops("diff", ...inProduction, "--format", "json"),
      await project.avatarops("diff", "files", "account", ...inProduction, "--format", "json"),
      await project.avatarops("diff", "account", "production", "--format", "json"),
    ];
    const [live, written] = ["Be quick.", "Be kind.\n\nA return costs 10 EUR."];
    const objectsIn = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout).objects;
    expect([forward.exit, backward.exit, named.exit]).toEqual([2, 2, 2]);
    expect(objectsIn(forward)).toEqual([
      { address: "context.desk", fields: [{ field: "prompt", type: "prose", before: live, after: written }] },
    ]);
    expect(objectsIn(backward)).toMatchObject([{ fields: [{ before: written, after: live }] }]);
    expect(objectsIn(named)).toEqual(objectsIn(forward));
    await project.write("avatarops.yaml", "environments: { production: {} }\n");
    expect((await project.avatarops("diff", ...inProduction)).stdout).toContain(
      "context.desk only in account",
    );
  });

  test("rejects identical sides, and an --env that conflicts with the environment argument", async () => {
    const project = await startInGit();
    await project.expectRefused(["diff", "staging", "staging"], "Both sides are staging");
    await project.expectRefused(["diff", "account", "production", "--env", "staging"], "Remove --env");
  });
});

describe("promote", () => {
  test("copies a template without rendering it, so the target's variables apply", async () => {
    const project = await startInGit();
    expect(await project.avatarops("apply", "-y", "--env", "production")).toMatchObject({ exit: 0 });
    expect(await project.avatarops(...promoting)).toMatchObject({
      ...{ exit: 0, stdout: "" },
      stderr: matchText("Wrote prompts/production.md. Next: `avatarops plan --env production`."),
    });
    expect(await project.read("prompts/production.md")).toBe(files["prompts/staging.md"]);
    expect(git(project, "diff", "--name-only")).toBe("prompts/production.md");
    expect((await project.avatarops("plan", "--env", "production")).stdout).toMatch(/update +context\.desk/);
    expect(await readPrompt(project, "production")).toBe(
      "Be kind and brief.\nSend it back.\nA return costs 10 EUR.\n",
    );
    expect(await project.avatarops("diff", "staging", "production")).toMatchObject({ exit: 0 });
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0, stderr: matchText("already") });
  });

  test("updates a prompt in a YAML override and reports the fields that still differ", async () => {
    const project = await startInGit({
      "avatarops.yaml": inYaml,
      "prompts/staging.md": "Be kind.\nBe brief.\n",
    });
    const left = matchText("differ in opening_text, because promote copies only texts that staging has.");
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0, stderr: left });
    expect(await project.read("avatarops.yaml")).toBe(inYaml.replace("Be short.", "Be brief."));
    expect(await project.avatarops("diff", "staging", "production")).toMatchObject({ exit: 2 });
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0, stderr: left });
  });

  test("refuses to drop an uncommitted prompt of the target environment", async () => {
    const project = await startInGit();
    await project.write("prompts/production.md", "Be kind. Uncommitted.\n");
    const refusal =
      "Nothing was written: promoting would drop uncommitted edits of context.desk.prompt in production. Commit or undo them first.";
    await project.expectRefused(promoting, refusal);
    expect(await project.read("prompts/production.md")).toBe("Be kind. Uncommitted.\n");
    // An uncommitted text in the source environment may be promoted.
    commit(project);
    await project.write("prompts/staging.md", "Be brief.\n");
    await project.expectDone(...promoting);
    expect(await project.read("prompts/production.md")).toBe("Be brief.\n");
  });

  test("writes the rendered prompt if the target has no template", async () => {
    const project = await startInGit({
      "avatarops.yaml": files["avatarops.yaml"].replace("prompts/*.md", "prompts/staging.md"),
    });
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0 });
    expect(await project.read("prompts/production.md")).toBe(
      "Be kind and brief.\nSend it back.\nA return costs 10 EUR.\n",
    );
  });

  test("escapes a plain prompt for the target template and keeps the template's partial", async () => {
    const project = await startInGit({
      "avatarops.yaml": files["avatarops.yaml"].replace("prompts/*.md", "prompts/production.md"),
      "prompts/staging.md": "Be kind {{.\nSend it back soon.\n",
      "prompts/production.md": "Be kind.\n{{> steps}}\n",
    });
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0 });
    expect(await project.read("prompts/production.md")).toBe("Be kind \\{{.\n{{> steps}}\n");
    expect(await project.read("partials/steps.md")).toBe("Send it back soon.\n");
  });

  test("overrides the body of a Markdown file, and leaves the file unchanged", async () => {
    const markdown = "---\nname: Desk # as it is\ntemplate: true\n---\nBe kind for {{price}}.\n";
    const project = await startInGit({
      "avatarops.yaml": files["avatarops.yaml"]
        .replace(/contexts:\n {2}desk.*\n/, "include: [desk.md]\n")
        .replace(/ {4}contexts:\n {6}#.*\n.*\n/, ""),
      "desk.md": markdown,
    });
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0 });
    expect(await project.read("desk.md")).toBe(markdown);
    expect(await readPrompt(project, "production")).toBe(
      "Be kind and brief.\nSend it back.\nA return costs 10 EUR.\n",
    );
  });

  test("overrides an inherited text in the target environment only", async () => {
    const inheriting = files["avatarops.yaml"].replace(
      / {6}#.*\n.*production\.md }\n/,
      "      night: { name: Night, prompt: Hush. }\n",
    );
    const project = await startInGit({
      "avatarops.yaml": `${inheriting}  dev: { variables: { price: 1 EUR } }\n`,
    });
    // An uncommitted text of other environments stays in its file.
    await project.write("prompts/desk.md", "Be kind. Uncommitted.\n");
    const readAll = () =>
      Promise.all([[], ["--env", "dev"]].map((env) => project.expectDone("render", "context.desk", ...env)));
    const before = await readAll();
    expect(await project.avatarops(...promoting)).toMatchObject({
      ...{ exit: 0, stderr: matchText("Wrote avatarops.yaml.") },
    });
    expect(await readPrompt(project, "production")).toBe(
      "Be kind and brief.\nSend it back.\nA return costs 10 EUR.\n",
    );
    expect(await readAll()).toEqual(before);
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0, stderr: matchText("already") });
  });

  test("adds a field that the target environment lacks to that environment only", async () => {
    const project = await startInGit({
      "avatarops.yaml": `contexts:
  desk: { name: Desk, prompt: Be kind. }
environments:
  staging: { contexts: { desk: { opening_text: Welcome. } } }
  production:
`,
    });
    expect(await project.avatarops(...promoting)).toMatchObject({ exit: 0 });
    expect(git(project, "diff", "--unified=0", "--", "avatarops.yaml")).not.toContain("-  desk");
    const plain = JSON.parse((await project.avatarops("plan", "--format", "json")).stdout);
    expect(JSON.stringify(plain)).not.toContain("Welcome.");
    const { stdout } = await project.avatarops("diff", "staging", "production", "--format", "json");
    expect(JSON.parse(stdout).objects).toEqual([]);
  });

  test("rejects a text in code that the project also uses without an environment", async () => {
    const project = await startInGit();
    await project.write(
      "main.ts",
      `import { Context, Project, promptFile } from "avatarops";
const environments = { staging: { contexts: { desk: { prompt: "Be brief." } } }, production: {} };
const project = new Project({ environments });
new Context(project, "desk", { name: "Desk", prompt: promptFile("prompts/desk.md") });
export default project;
`,
    );
    commit(project);
    const { exit, stderr } = await project.avatarops(...promoting, "--file", "main.ts");
    expect(exit).toBe(1);
    expect(stderr).toEqual(
      matchText(
        "the edit would unintentionally change context.desk without --env. Give production its own text under `environments.production` in main.ts.",
      ),
    );
    expect(git(project, "status", "--porcelain")).toBe("");
  });

  test("rejects a prompt that changes another environment or uses an undefined variable", async () => {
    const others = await startInGit({
      "avatarops.yaml": `${files["avatarops.yaml"]}  dev: { contexts: { desk: { prompt: !file prompts/production.md } } }\n`,
    });
    expect(await expectRejected(others)).toContain(
      "the edit would unintentionally change context.desk in dev. Give production its own text under `environments.production` in avatarops.yaml.",
    );

    const unknown = files["avatarops.yaml"]
      .replace("variables: { price: 9 EUR }\n", "")
      .replace("  staging:", "  staging:\n    variables: { price: 9 EUR, town: Bonn }");
    const lacking = await startInGit({
      "avatarops.yaml": unknown,
      "prompts/staging.md": "{{price}} in {{town}}\n",
      "prompts/desk.md": "Hi.\n",
    });
    expect(await expectRejected(lacking)).toContain("there is no variable town");
    const alone = files["avatarops.yaml"]
      .replace(
        "      desk: { prompt: !file prompts/production.md }",
        "      night: { name: Night, prompt: Hush. }",
      )
      .replaceAll("context.desk", "context.night");
    const undeclared = await startInGit({
      "avatarops.yaml": alone
        .replace(/ {2}desk: .*# shared/, "  day: { name: Day, prompt: !file prompts/desk.md }")
        .replace("desk: { prompt", "desk: { name: Desk, prompt"),
    });
    expect(await expectRejected(undeclared)).toContain("no file declares context.desk for production");
  });

  test("does not edit TypeScript code", async () => {
    const project = await startInGit();
    await project.write(
      "main.ts",
      `import { Context, Project } from "avatarops";
const project = new Project({ environments: { staging: {}, production: {} } });
new Context(project, "desk", { name: "Desk", prompt: project.environment === "staging" ? "Be brief." : "Be kind." });
export default project;
`,
    );
    commit(project);
    const { exit, stderr } = await project.avatarops(...promoting, "--file", "main.ts");
    expect([exit, stderr]).toEqual([1, matchText("of the code, which avatarops does not edit")]);
    await project.expectRefused(
      ["promote", "context.desk", "--to", "production"],
      "required option '--from <NAME>' not specified",
    );
  });
});
