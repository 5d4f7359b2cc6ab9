/** Tests `emulate --project`, which serves a copy of the project's managed objects. */
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { emulate } from "./emulating.js";
import { expectSuccess, matchText, newFolder, runIn, startAndApply, startProject } from "./hosting.js";

const formatManifest = (more = "") => `
service: { profile: liveavatar }
contexts:
  desk: { name: Desk, prompt: !file desk.md, links: [{ url: "https://example.com", faq: Prices }] }
  shop: { name: Shop, prompt: Be brief. }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: Host }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
llm_configurations:
  main: { display_name: Main, model_name: gpt-4o, secret: llm }
${more}`;

it("copies declared objects for emulate --project without changing the account or the state", async () => {
  const project = await startAndApply({
    files: {
      "avatarops.yaml": formatManifest(),
      "desk.md": "Be kind.\n",
      ".gitignore": ".avatarops/*.journal\n",
    },
    world: generateDataset({ avatars: 1 }),
    emulator: { profile: "liveavatar" },
    environment: { LLM_API_KEY: "key-one-12345" },
  });
  const state = await project.read(".avatarops/state.json");
  const sent = project.emulator.requests.length;

  const copy = await emulate(["--project"], project.folder);
  const { variables } = copy;
  expect(Object.keys(variables)).toEqual([
    ...["AVATAROPS_BASE_URL", "AVATAROPS_API_KEY", "AVATAROPS_PIN", "AVATAROPS_STATE"],
  ]);
  const there = (...argv: string[]) =>
    runIn(project.folder, argv, { environment: { ...variables, LLM_API_KEY: "key-one-12345" } });
  await expectSuccess(there("plan", "--detailed-exitcode"));
  const ids = (text: string) => text.match(/"id": "[^"]+"/g);
  const emulated = await project.read(".avatarops/emulated/state.json");
  expect(ids(emulated)).toEqual(ids(state));

  await project.write("desk.md", "Be kinder.\n");
  await project.write(
    "avatarops.yaml",
    formatManifest().replace("  shop: { name: Shop, prompt: Be brief. }\n", ""),
  );
  expect(await there("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(await there("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  await expectSuccess(there("rollback", "--auto-approve", "--to", `${JSON.parse(emulated).serial}`));
  await copy.stop();

  expect(project.emulator.requests).toHaveLength(sent);
  expect(await project.read(".avatarops/state.json")).toBe(state);
  expect(await project.read(".gitignore")).toBe(".avatarops/*.journal\n");
  expect(await project.read(".avatarops/emulated/.gitignore")).toBe("*\n");
});

it("copies default voices and stock avatars for emulate --project", async () => {
  const voice = "20000000-0000-4000-8000-000000000001";
  const avatar = "30000000-0000-4000-8000-000000000001";
  const project = await startProject({
    files: {
      "avatarops.yaml": `service: { profile: liveavatar }
avatars:
  host: { id: ${avatar}, name: Host, default_voice: mara }
  stock: { id: !stock_avatar Wayne }
voices:
  mara: { id: ${voice}, name: Mara }
`,
    },
  });
  const copy = await emulate(["--project"], project.folder);
  await expectSuccess(
    runIn(project.folder, ["plan", "--detailed-exitcode"], { environment: copy.variables }),
  );
  await copy.stop();

  await project.write(
    "avatarops.yaml",
    "avatars: { host: { id: !stock_avatar Nobody } }\nservice: { profile: liveavatar }\n",
  );
  const unknown = await runIn(project.folder, ["emulate", "--project", "--port", "0"]);
  expect(unknown).toMatchObject({ exit: 1, stderr: matchText('no stock avatar named "Nobody"') });
});

it("writes no state outside the project with emulate --project", async () => {
  const outside = await newFolder();
  await mkdir(path.join(outside, "emulated"));
  await writeFile(path.join(outside, "emulated/kept.txt"), "kept");
  const project = await startProject({ files: { "avatarops.yaml": "state: state.json\ncontexts: {}\n" } });
  await symlink(outside, path.join(project.folder, ".avatarops"));
  expect(await runIn(project.folder, ["emulate", "--project", "--port", "0"])).toMatchObject({ exit: 1 });
  expect(await readdir(path.join(outside, "emulated"))).toEqual(["kept.txt"]);
});
