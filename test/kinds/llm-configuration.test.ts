/** Language-model configurations, through the command: with the profile, and without it. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { LlmConfiguration } from "../../src/emulator/index.js";
import { type Project, type Ran, startProject } from "../cli/hosting.js";

const secret = "secrets:\n  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY }\n";
const declared = `llm_configurations:
  main: { display_name: Main, model_name: gpt-4o, secret: llm, base_url: "https://models.example" }
`;
const withProfile = "service: { profile: liveavatar }\n";

async function start(text: string): Promise<Project> {
  const project = await startProject({
    emulator: { profile: "liveavatar" },
    files: { "avatarops.yaml": text },
  });
  project.emulator.world.secrets.splice(0);
  return project;
}

const run = (project: Project, ...argv: string[]): Promise<Ran> =>
  project.avataropsWith({ environment: { KEY: "one" } }, ...argv);

async function applied(project: Project): Promise<string> {
  const ran = await run(project, "apply", "--auto-approve");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  const again = await run(project, "plan", "--detailed-exitcode");
  expect(again, again.stdout).toMatchObject({ exit: 0 });
  return ran.stdout;
}

const rows = ({ emulator }: Project) =>
  (emulator.world as unknown as { llmConfigurations: LlmConfiguration[] }).llmConfigurations;

const flat = ({ stdout, stderr }: Ran) => (stdout + stderr).replace(/\s+/g, " ");

describe("an LLM configuration", () => {
  test("is made after its secret, changed in place, and deleted before it", async () => {
    const project = await start(withProfile + secret + declared);
    await applied(project);
    const [key] = project.emulator.world.secrets;
    expect(rows(project)).toMatchObject([
      { display_name: "Main", model_name: "gpt-4o", secret_id: key?.id, base_url: "https://models.example" },
    ]);
    const [{ id } = { id: "" }] = rows(project);

    // Without an address it keeps the one it has.
    const changed = declared.replace("gpt-4o", "gpt-5").replace(/, base_url[^}]*/, " ");
    await project.write("avatarops.yaml", withProfile + secret + changed);
    await applied(project);
    expect(rows(project)).toMatchObject([{ id, model_name: "gpt-5", base_url: "https://models.example" }]);

    const isDeleted = "on_removal: { llm_configurations: delete, secrets: delete }\n";
    await project.write("avatarops.yaml", withProfile + isDeleted);
    project.emulator.requests.splice(0);
    await applied(project);
    expect([rows(project), project.emulator.world.secrets]).toEqual([[], []]);
    const deletes = project.emulator.requests.filter(({ method }) => method === "DELETE");
    expect(deletes.map(({ path }) => path.split("/")[2])).toEqual(["llm-configurations", "secrets"]);
  });
});

test("the passage of the documentation is valid", async () => {
  const passages = readFileSync("docs/secrets.md", "utf8").matchAll(/^```yaml\n(.*?)^```$/gms);
  const [text = ""] = Array.from(passages, ([, yaml = ""]) => yaml).filter((yaml) =>
    yaml.includes("llm_conf"),
  );
  const project = await start(text);
  expect(await project.avatarops("validate")).toMatchObject({ exit: 0 });
});

describe("without the profile", () => {
  test("is refused at its place, in both languages, before anything is asked for", async () => {
    const project = await start(secret.replace("LLM_API", "LLMPROVIDER_API") + declared);
    const ran = await run(project, "validate");
    expect(ran).toMatchObject({ exit: 1 });
    expect(flat(ran)).toContain(
      "llm_configuration.main is declared, and this service cannot manage llm_configurations",
    );
    expect(flat(ran)).toContain("name its profile: service: { profile: liveavatar }");

    await project.write(
      "main.ts",
      `import { LlmConfiguration, Project } from "avatarops";
const project = new Project();
new LlmConfiguration(project, "main", { displayName: "Main", modelName: "gpt-4o", secret: "llm" });
export default project;
`,
    );
    const fromCode = await run(project, "validate", "-f", "main.ts");
    expect(flat(fromCode)).toContain("llm_configuration.main is declared");
    expect(project.emulator.requests).toEqual([]);
  });
});
