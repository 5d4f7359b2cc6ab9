/** Tests LLM configurations through the command line, with and without the profile. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generateDataset, type LlmConfiguration } from "../../src/emulator/index.js";
import { type CommandResult, type Project, startProject } from "../cli/hosting.js";

const secret = "secrets:\n  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY }\n";
const declared = `llm_configurations:
  main: { display_name: Main, model_name: gpt-4o, secret: llm, base_url: "https://models.example" }
`;
const avatarId = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000";
const withProfile = "service: { profile: liveavatar }\n";

async function start(text: string): Promise<Project> {
  const project = await startProject({
    ...{ emulator: { profile: "liveavatar" }, environment: { KEY: "one" } },
    files: { "avatarops.yaml": text },
  });
  project.emulator.world.secrets.splice(0);
  return project;
}

const listRows = ({ emulator }: Project) =>
  (emulator.world as unknown as { llmConfigurations: LlmConfiguration[] }).llmConfigurations;

const joinLines = ({ stdout, stderr }: CommandResult) => (stdout + stderr).replace(/\s+/g, " ");

// test/engine/references.test.ts tests the order in which configurations and their secrets are created and
// deleted.
test("updates an LLM configuration in place and keeps an undeclared base_url", async () => {
  const project = await start(withProfile + secret + declared);
  await project.expectApplied();
  const [{ id } = { id: "" }] = listRows(project);
  const changed = declared.replace("gpt-4o", "gpt-5").replace(/, base_url[^}]*/, " ");
  await project.write("avatarops.yaml", withProfile + secret + changed);
  await project.expectApplied();
  expect(listRows(project)).toMatchObject([{ id, model_name: "gpt-5", base_url: "https://models.example" }]);
});

const formatPreset = (more: string) => `sessions: { desk: { avatar_id: ${avatarId}, ${more} } }\n`;

test("requests a token for a preset that refers to an LLM configuration by name or id", async () => {
  const project = await start(withProfile + secret + declared);
  project.emulator.world.avatars.push(...generateDataset({ avatars: 1 }).avatars);
  Object.assign(project.emulator.world.avatars[0] ?? {}, { id: avatarId });
  await project.expectApplied();
  const [{ id } = { id: "" }] = listRows(project);
  const texts = ["llm_configuration: main", `llm_configuration_id: ${id}`].map(
    (reference) => withProfile + secret + declared + formatPreset(`${reference}, persona: { language: en }`),
  );
  for (const stored of [listRows(project).slice(), []]) {
    listRows(project).splice(0, 1, ...stored);
    for (const text of texts) {
      await project.write("avatarops.yaml", text);
      const ran = await project.avatarops("token", "desk");
      // The emulator rejects the request if the configuration does not exist.
      if (stored.length > 0) expect(ran, ran.stderr).toMatchObject({ exit: 0 });
      else expect(joinLines(ran)).toContain("LLM configuration not found");
    }
  }
});

test("reports a wrong profile for a deployment without LLM configurations", async () => {
  const project = await start(withProfile + secret + declared);
  project.emulator.addFault("GET /v1/llm-configurations 404 times=always");
  const ran = await project.avatarops("plan");
  expect(ran).toMatchObject({ exit: 1 });
  expect(joinLines(ran)).toContain("correct or remove profile, or correct base_url");
});

test("imports a declared LLM configuration and explains how to declare other configurations", async () => {
  const project = await start(withProfile + secret + declared);
  await project.expectApplied();
  const [{ id } = { id: "" }] = listRows(project);
  await project.avatarops("state", "forget", "llm_configuration.main");
  const written = await project.avatarops("import", "--write", "llm_configuration.other", id);
  expect(joinLines(written)).toContain("Declare the object by hand, and import it without --write.");
  expect(await project.avatarops("import", "llm_configuration.main", id)).toMatchObject({ exit: 0 });
  expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
});

test("accepts the documented example of an LLM configuration", async () => {
  const passages = readFileSync("docs/secrets.md", "utf8").matchAll(/^```yaml\n(.*?)^```$/gms);
  const [text = ""] = Array.from(passages, ([, yaml = ""]) => yaml).filter((yaml) =>
    yaml.includes("llm_conf"),
  );
  const project = await start(text);
  expect(await project.avatarops("validate")).toMatchObject({ exit: 0 });
});

test("skips LLM configurations if no profile is set", async () => {
  const project = await start(withProfile + secret + declared);
  await project.expectApplied();
  await project.avatarops("state", "forget", "llm_configuration.main");
  await project.write("avatarops.yaml", secret.replace("LLM_API", "LLMPROVIDER_API"));
  project.emulator.requests.splice(0);
  const outputs = [
    await project.avatarops("prune"),
    await project.avatarops("drift"),
    await project.avatarops("import", "--write", "--all"),
    await project.avatarops("export", "out"),
    await project.avatarops("import", "--write", "llm_configuration.main", listRows(project)[0]?.id ?? ""),
  ].map(joinLines);
  expect(outputs.slice(0, 4).join()).not.toContain("llm_configuration");
  expect(outputs[4]).toContain(
    "cannot read objects of the kind llm_configuration. Declare the object under `llm_configurations:` first",
  );
  expect(project.emulator.requests.filter(({ path }) => path.includes("llm"))).toEqual([]);
});
