/** Tests that URLs with a password are not printed, even if they cannot be parsed. */
import { describe, expect, test } from "vitest";
import { matchText, newFolder, runIn, startProject } from "../cli/hosting.js";
import { commitAll, git } from "../git/repositories.js";
import { joinStreams } from "./thief.js";

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
const password = ["hunter2", "canary47"];

const expectHidden = (text: string) => {
  for (const part of password) expect(text).not.toContain(part);
};

describe.each([
  "postgres://ops:hunter2/canary47@host/db",
  "postgres://ops:47/hunter2@host/db",
  "postgres://ops:hunter2?canary47@host/db",
  "https://ops:hunter2/canary47@host/state",
  "https://ops:hunter2#canary47@host/state",
  "https://host/state?lock_address=https://ops:hunter2/canary47@host/lock",
  "s3://AKIA:hunter2/canary47@bucket/state.json",
  "git+refs://ops:hunter2/canary47@origin/avatarops/production",
  "unknown://ops:hunter2/canary47@host/state",
  "//ops:hunter2@canary47",
  "ops:hunter2/canary47@host/db",
  "postgres:/ops:hunter2/canary47@host/db",
  " postgres://ops:hunter2:canary47@host/db",
  "../ops:hunter2@canary47",
  "/ops:hunter2@canary47/db",
  "/ops:hunter2/canary47@host/db",
  " /ops:hunter2 canary47@host/db",
  "/postgres://ops:hunter2@canary47/db",
  "/srv/postgres://ops:hunter2@canary47/db",
  "ops:hunter2 canary47@host/db",
  "C:/ops:hunter2@canary47/db",
  "C:\\\\ops:hunter2@canary47\\\\db",
])("state location with a password: %s", (address) => {
  test.each(["validate", "plan", "apply -y", "status", "state list", "state unlock", "history"])(
    "is not printed by %s",
    async (line) => {
      const command = line.split(" ");
      const project = await startProject({ files: { "avatarops.yaml": `state: "${address}"\n${desk}` } });
      const written = await project.avatarops(...command);
      expect(written.exit).toBe(1);
      expectHidden(joinStreams(written));
      await project.write("avatarops.yaml", desk);
      const environment = { AVATAROPS_STATE: address };
      if (line !== "validate") {
        const set = await project.avataropsWith({ environment }, ...command);
        expect(set.exit).toBe(1);
        expectHidden(joinStreams(set));
      }
    },
  );

  test("is not printed by a migration to a new state", async () => {
    const project = await startProject({ files: { "avatarops.yaml": desk } });
    await project.expectDone("apply", "-y");
    const moved = await project.avatarops("state", "migrate", "--to", address);
    expect(moved.exit).toBe(1);
    expectHidden(joinStreams(moved));
  });
});

test.each(["/srv/user@host/state", "C:\\\\state", "C:\\\\10@30\\\\state", "../a@b/state.json"])(
  "quotes a state path outside the project in the warning if it contains no password: %s",
  async (address) => {
    const project = await startProject({ files: { "avatarops.yaml": `state: "${address}"\n${desk}` } });
    const { stdout } = await project.avatarops("validate");
    expect(stdout).toEqual(matchText(`state "${address}" leads outside the project folder`));
  },
);

test("keeps a state in a project whose folder name looks like a password", async () => {
  const project = await startProject({ files: { "team:x@y/avatarops.yaml": desk } });
  const setting = { environment: { AVATAROPS_STATE: `${project.folder}/team:x@y/other.json` } };
  const command = ["apply", "-y", "-f", "team:x@y/avatarops.yaml"];
  expect(await project.avataropsWith(setting, ...command)).toMatchObject({ exit: 0 });
  expect(project.has("team:x@y/other.json")).toBe(true);
});

test.each(["/other/state.json", "../state.json", ".git/state.json"])(
  "rejects %s in AVATAROPS_STATE and as the target of a migration",
  async (state) => {
    const project = await startProject({ files: { "avatarops.yaml": desk } });
    await project.expectDone("apply", "-y");
    const message = matchText("outside the project folder, or in a .git folder. Use a file in the project");
    const setting = { environment: { AVATAROPS_STATE: state } };
    for (const line of ["plan", "status", "state list"])
      expect(await project.avataropsWith(setting, ...line.split(" "))).toMatchObject({ stderr: message });
    await project.expectRefused(["state", "migrate", "--to", state], "or in a .git folder");
  },
);

test("hides a repository URL that cannot be parsed", async () => {
  const repo = "https://ops:hunter2/canary47@host/team/avatars.git";
  const synced = await runIn(await newFolder(), ["sync", "--repo", repo, "--listen", "127.0.0.1:0"]);
  expect(synced.exit).toBe(1);
  expectHidden(joinStreams(synced));
});

test("hides a remote URL that cannot be parsed", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `state: git+refs://origin/avatarops/production\n${desk}` },
    environment: { PATH: process.env.PATH ?? "" },
  });
  git(project.folder, "init", "--quiet");
  commitAll(project.folder);
  git(project.folder, "remote", "add", "origin", "https://ops:hunter2/canary47@host/team/avatars.git");
  const planned = await project.avatarops("plan");
  expect(planned.exit).toBe(1);
  expectHidden(joinStreams(planned));
});

test("hides a Vault address that cannot be parsed", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml":
        "secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !vault kv/llm#key } }\n",
    },
    environment: { VAULT_ADDR: "https://ops:hunter2/canary47@host", VAULT_TOKEN: "t", AVATAROPS_PIN: "1" },
  });
  expectHidden(joinStreams(await project.avatarops("plan")));
});
