import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";

test.each([
  ["https://example.com/state?lock_adress=https://example.com/lock", "did you mean lock_address?"],
  ["https://example.com/state?lock_method=put", "it must be an HTTP method such as PUT"],
  ["git+refs://origin/production", "example: git+refs://origin/avatarops/production"],
  ["s3://bucket/production.json?regoin=eu-central-1", "valid settings: region, endpoint, path_style"],
  ["s3://bucket/50%", "write a percent sign as %25"],
  ["postgres://db.example.com/?name=production", "example: postgres://HOST/DATABASE?name=production"],
  ["ftp://example.com/state.json", "use a file in the project"],
])("rejects the state URL %s in each environment, as plan does", async (state, hint) => {
  const project = await startProject({
    files: {
      "avatarops.yaml": `contexts: {}\nenvironments:\n  staging: {}\n  production:\n    state: ${state}\n`,
    },
  });
  const { exit, stdout } = await project.avatarops("validate");
  expect([exit, stdout]).toEqual([1, matchText("avatarops.yaml:5")]);
  expect(stdout).toContain("error[unknown-store]");
  expect(stdout).toEqual(matchText(hint));
  const planned = await project.avatarops("plan", "--env", "production");
  expect(planned.exit).toBe(1);
  expect(planned.stderr).toEqual(matchText(hint.slice(1)));
});

test("accepts a state URL with query parameters for the server", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": "state: https://example.com/state?project=7&lock_method=POST\ncontexts: {}\n",
    },
  });
  await project.expectDone("validate");
});

test("adopts an avatar declared without a name under its current name", async () => {
  const id = "10000000-0000-4000-8000-000000000000";
  const manifest = `avatars: { host: { id: ${id} } }\n`;
  const project = await startProject({
    files: { "avatarops.yaml": manifest },
    world: generateDataset({ avatars: 1 }),
  });
  const planned = await project.avatarops("plan");
  expect(planned.stdout).toMatch(/adopt +avatar\.host +"Avatar 1"/);
  project.emulator.renameAvatar(id, "");
  const { stdout } = await project.avatarops("plan");
  expect(stdout).toMatch(/adopt +avatar\.host +10000000/);
  expect(stdout).not.toContain('""');
});

test("lists all warnings in validate and summarizes repeated warnings in plan", async () => {
  const numbers = [1, 2, 3, 4, 5];
  const contexts = numbers.map((n) => `  c${n}: { name: C${n}, prompt: Guarantee ${n}. }\n`).join("");
  const project = await startProject({
    files: {
      "avatarops.yaml": `variables: { ${numbers.map((n) => `v${n}: x`).join(", ")} }
policies:
  forbidden-phrases: { phrases: [guarantee], severity: warning }
contexts:
${contexts}`,
    },
  });
  const { stdout, stderr } = await project.expectDone("plan");
  expect(stderr.match(/^warning\[unused-variable\] no/gm)).toHaveLength(3);
  expect(stderr).toEqual(
    matchText("warning[unused-variable] and 2 more. `avatarops validate` lists them. 5 warnings."),
  );
  expect(stdout.match(/^warning\[forbidden-phrases\] context/gm)).toHaveLength(3);
  expect(stdout).toEqual(
    matchText("warning[forbidden-phrases] and 2 more. `avatarops validate` lists them."),
  );
  expect((await project.avatarops("validate")).stdout.match(/^warning/gm)).toHaveLength(10);
  expect((await project.json("plan")).policies).toHaveLength(5);
});
