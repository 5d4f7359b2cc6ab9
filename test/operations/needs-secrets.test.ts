import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";

test("rejects a new secret source in production until staging has it", async () => {
  const manifest = (variable: string) => `secrets:
  key: { secret_name: Key, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${variable} }
environments:
  staging: { state: staging.json }
  production: { state: production.json, needs: [staging] }
`;
  const project = await startProject({ files: { "avatarops.yaml": manifest("ONE") } });
  const apply = (name: string) =>
    project.avataropsWith({ environment: { ONE: "one", TWO: "two" } }, "apply", "-y", "--env", name);
  for (const name of ["staging", "production"]) expect(await apply(name)).toMatchObject({ exit: 0 });
  await project.write("avatarops.yaml", manifest("TWO"));
  const early = await apply("production");
  expect(early).toMatchObject({ exit: 7, stderr: expect.stringContaining("error[needs]") });
  for (const name of ["staging", "production"]) expect(await apply(name)).toMatchObject({ exit: 0 });
});
