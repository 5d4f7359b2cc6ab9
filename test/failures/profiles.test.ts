/** A profile adds powers, and without one nothing is asked that the document does not have. */
import { describe, expect, it } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";

const desk = 'contexts: { desk: { name: Desk, prompt: "Be kind." } }\n';
const key = (variable: string) =>
  `secrets: { llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${variable} } }\n`;
const profile = "service: { profile: liveavatar }\n";

/** Every operation of the document (§4). */
const documented =
  /^(GET \/v1\/(avatars|contexts|sessions)(\/|\?|$)|PATCH \/v1\/(avatars|voices|contexts)\/|POST \/v1\/(contexts|secrets|sessions\/token)$)/;

function requestsOf({ emulator }: Project): string[] {
  return emulator.requests.map(({ method, path }) => `${method} ${path}`);
}

/** What a team does with its files, and what it was told. */
async function journey(project: Project): Promise<string[]> {
  const said: string[] = [];
  const steps: [files: string, ...command: string[]][] = [
    [desk + key("OLD"), "apply", "--auto-approve"],
    [desk.replace("kind", "brief") + key("NEW"), "apply", "--auto-approve"],
    ["contexts: {}\n", "plan", "--undeclared"],
    ["contexts: {}\n", "apply", "--auto-approve"],
    ["contexts: {}\n", "drift"],
  ];
  for (const [files, ...command] of steps) {
    await project.write("avatarops.yaml", files);
    said.push((await project.avatarops(...command)).stdout);
  }
  return said;
}

describe("without a profile", () => {
  it("nothing is asked that the document does not have, and what leaves the files stays in the account", async () => {
    const project = await startProject({ environment: { OLD: "old", NEW: "new" } });
    const said = await journey(project);
    expect(requestsOf(project).filter((request) => !documented.test(request))).toEqual([]);
    expect(project.emulator.world.contexts).toHaveLength(1);
    expect(project.emulator.world.secrets).toHaveLength(2);
    expect(said.join("").replace(/\s+/g, " ")).toContain("the service cannot delete contexts");
  });
});

describe("service.profile", () => {
  it("is one of those that avatarops knows", async () => {
    const project = await startProject({ files: { "avatarops.yaml": "service: { profile: liveavatr }\n" } });
    const ran = await project.avatarops("validate");
    expect(ran).toMatchObject({ exit: 1 });
    expect(ran.stdout).toContain('did you mean "liveavatar"?');
  });

  it("accepts the success code of such deployments", async () => {
    const project = await startProject({ emulator: { behaviour: { successCode: 1000 } } });
    await project.write("avatarops.yaml", profile + desk);
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
  });
});
