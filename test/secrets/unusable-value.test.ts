/** Tests sources whose value is unusable, so it is unknown whether the applied secret changed. */
import { describe, expect, test } from "vitest";
import { matchText, startAndApply } from "../cli/hosting.js";

const manifest = `contexts:
  desk: { name: Desk, prompt: Be kind. }
secrets:
  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_KEY }
`;

const start = () =>
  startAndApply({ files: { "avatarops.yaml": manifest }, environment: { LLM_KEY: "sk-0123456789" } });

describe("unusable value of a managed secret", () => {
  test.for(["null", "***", "$" + "{{ secrets.LLM_KEY }}", "ENC[AES256_GCM,data:x]", "\u001b[32msk\u001b[0m"])(
    "causes exit code 3 in plan, diff and status (%j)",
    async (value) => {
      const project = await start();
      const unusable = { environment: { LLM_KEY: value } };
      for (const command of [["plan", "--detailed-exitcode"], ["diff"], ["status"]]) {
        const ran = await project.avataropsWith(unusable, ...command);
        expect(ran, command.join(" ")).toMatchObject({ exit: 3 });
        expect(ran.stdout).not.toContain("Nothing to do");
      }
      const { stdout } = await project.avataropsWith(unusable, "plan");
      expect(stdout).toEqual(
        matchText("Nothing to apply, but not all secrets could be compared; 2 unchanged"),
      );
      for (const command of ["plan", "status"]) {
        const json = await project.avataropsWith(unusable, command, "--format", "json");
        expect(JSON.parse(json.stdout), command).toMatchObject({ exit: "unverified" });
      }
    },
  );

  test("causes exit code 3 in apply, but 0 in plan without --detailed-exitcode", async () => {
    const project = await start();
    const unusable = { environment: { LLM_KEY: "null" } };
    expect(await project.avataropsWith(unusable, "plan")).toMatchObject({ exit: 0 });
    expect(await project.avataropsWith(unusable, "apply", "-y")).toMatchObject({ exit: 3 });
  });

  test("does not replace exit code 2 in plan, diff and status if a change is pending", async () => {
    const project = await start();
    await project.write("avatarops.yaml", manifest.replace("Be kind.", "Be brief."));
    const unusable = { environment: { LLM_KEY: "null" } };
    for (const command of [["plan", "--detailed-exitcode"], ["diff"], ["status"]])
      expect(await project.avataropsWith(unusable, ...command), command.join(" ")).toMatchObject({ exit: 2 });
  });
});

test("exits with 3 in plan, diff and status if an imported secret has no recorded fingerprint", async () => {
  const project = await start();
  const [secret] = project.emulator.world.secrets;
  await project.expectDone("state", "forget", "secret.llm");
  await project.expectDone("import", "secret.llm", String(secret?.id));
  for (const command of [["plan", "--detailed-exitcode"], ["diff"], ["status"]])
    expect(await project.avatarops(...command), command.join(" ")).toMatchObject({ exit: 3 });
});

test("exits with 0 in plan, diff and status if a secret's environment variable is not set", async () => {
  const project = await start();
  for (const LLM_KEY of [undefined, ""])
    for (const command of [["plan", "--detailed-exitcode"], ["diff"], ["status"]]) {
      const ran = await project.avataropsWith({ environment: { LLM_KEY } }, ...command);
      expect(ran, command.join(" ")).toMatchObject({ exit: 0 });
    }
});
