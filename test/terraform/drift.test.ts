// @module-tag terraform
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startEmulator } from "../documented-emulator.js";
import { type AcceptanceSetup, startAcceptance } from "./acceptance.js";

const ours = "You answer politely.";
const theirs = "I was here, and wrote a longer one.";

function formatDesk({ prompt = ours, opening = "Hi!", provider = "" } = {}): string {
  return `
provider "avatarops" {
  ${provider}
}

resource "avatarops_context" "desk" {
  name         = "Desk"
  prompt       = ${JSON.stringify(prompt)}
  opening_text = ${JSON.stringify(opening)}
}
`;
}

async function startEdited(given: Partial<AcceptanceSetup> & { readonly provider?: string } = {}) {
  const main = formatDesk({ provider: given.provider ?? "" });
  const terraform = await startAcceptance({ main, ...given });
  await terraform.settle();
  terraform.emulator.editContext("Desk", { prompt: theirs });
  return { ...terraform, live: () => terraform.emulator.world.contexts[0] };
}

const joinLines = (text: string) => text.replace(/\n[│ ]*/g, " ");

describe("dashboard edit", () => {
  test("is reported with its size and time in each plan that would overwrite it", async () => {
    const { live, ...terraform } = await startEdited();
    for (const _ of ["once", "again"]) {
      const plan = joinLines(await terraform.succeed("plan"));
      expect(plan).toContain("Warning: The context's prompt was edited elsewhere");
      expect(plan).toContain(`last changed at ${live()?.updated_at}`);
      expect(plan).toContain(`edited prompt (${theirs.length} characters`);
      expect(plan).toContain(`overwrites it with ${ours.length} characters`);
      expect(plan).toContain("with avatarops_context.desk");
    }
    await terraform.succeed("apply", "-auto-approve");
    expect(live()?.prompt).toBe(ours);
    expect(await terraform.succeed("plan")).not.toContain("edited elsewhere");
  });

  test("fails the plan with drift = refuse, even after a refresh", async () => {
    const { live, ...terraform } = await startEdited({ provider: 'drift = "refuse"' });
    const output = await terraform.fail("apply", "-auto-approve");
    expect(output).toContain("Error: The context's prompt was edited elsewhere");
    expect(output).toContain("terraform plan -refresh-only");
    expect(await terraform.succeed("plan", "-refresh-only")).toContain(theirs);
    // Fails again after a refresh has put the edit into the state.
    await terraform.succeed("apply", "-auto-approve", "-refresh-only");
    expect(await terraform.fail("apply", "-auto-approve")).toContain("terraform state show");
    expect(await terraform.succeed("state", "show", "avatarops_context.desk")).toContain(theirs);
    expect(live()?.prompt).toBe(theirs);
    await terraform.write({ "main.tf": formatDesk({ provider: 'drift = "overwrite"' }) });
    expect(await terraform.settle()).not.toContain("edited elsewhere");
    expect(live()?.prompt).toBe(ours);
  });

  test("is no longer reported once the configuration contains it", async () => {
    const provider = 'drift = "refuse"';
    const { live, ...terraform } = await startEdited({ provider });
    await terraform.write({ "main.tf": formatDesk({ provider, prompt: theirs }) });
    await terraform.settle();
    await terraform.write({ "main.tf": formatDesk({ provider, prompt: "Newer than both." }) });
    await terraform.settle();
    expect(live()?.prompt).toBe("Newer than both.");
  });

  test("is reported only once if the resource is tainted", async () => {
    const { live, ...terraform } = await startEdited({ provider: 'drift = "refuse"' });
    await terraform.succeed("taint", "avatarops_context.desk");
    expect(await terraform.fail("apply", "-auto-approve")).toContain(
      "Error: The context's prompt was edited elsewhere",
    );
    expect(live()?.prompt).toBe(theirs);
    await terraform.write({ "main.tf": formatDesk() });
    const output = joinLines(await terraform.settle());
    expect(output.match(/Warning: The context's prompt was edited elsewhere/g)).toHaveLength(1);
    expect(output).not.toContain("opening_text of the context");
    expect(live()?.prompt).toBe(ours);
  });

  test("is kept if it was made after a replacement was planned", async () => {
    const terraform = await startAcceptance({ main: formatDesk() });
    await terraform.settle();
    await terraform.succeed("plan", "-replace=avatarops_context.desk", "-out=saved");
    terraform.emulator.editContext("Desk", { prompt: theirs });
    const output = await terraform.fail("apply", "saved");
    expect(output).toContain("Its prompt changed after the plan was made, so nothing was written.");
    expect(terraform.emulator.world.contexts).toMatchObject([{ prompt: theirs }]);
  });

  test.each([
    { how: "was only read by a refresh", before: ["-refresh-only"] },
    { how: "remained after a failed write", before: [], fault: "PATCH /v1/contexts/* 400" },
  ])("is reported again before a new value overwrites it if the edit $how", async (one) => {
    const { live, ...terraform } = await startEdited();
    const changed = { "main.tf": formatDesk({ prompt: "Newer than both." }) };
    if (one.fault) {
      await terraform.write(changed);
      terraform.emulator.addFault(one.fault);
    }
    await terraform.run("apply", "-auto-approve", ...one.before);
    expect(live()?.prompt).toBe(theirs);
    await terraform.write(changed);
    const output = joinLines(await terraform.settle());
    expect(output).toContain("The context's prompt may have been edited elsewhere");
    expect(live()?.prompt).toBe("Newer than both.");
    await terraform.write({ "main.tf": formatDesk({ prompt: "Newest." }) });
    expect(await terraform.settle()).not.toContain("edited elsewhere");
  });

  test("allows a change to another field with ignore_changes, and a destroy with -refresh=false", async () => {
    const { live, requests, ...terraform } = await startEdited({ provider: 'drift = "refuse"' });
    const output = await terraform.fail("destroy", "-auto-approve");
    expect(output).toContain("Error: The context's prompt was edited elsewhere");
    const ignored = formatDesk({ provider: 'drift = "refuse"', opening: "Hello!" }).replace(
      /}\n$/,
      "  lifecycle {\n    ignore_changes = [prompt]\n  }\n}\n",
    );
    await terraform.write({ "main.tf": ignored });
    await terraform.settle();
    expect(live()).toMatchObject({ prompt: theirs, opening_text: "Hello!" });
    requests();
    expect(await terraform.succeed("destroy", "-auto-approve", "-refresh=false")).toContain("1 destroyed");
    expect(requests()).toEqual([]);
    expect(live()?.prompt).toBe(theirs);
  });

  test("is reported with the old and new names on adoption, and fails the plan with drift = refuse", async () => {
    const world = generateDataset({ avatars: 1, voices: 1 });
    const [[avatar], [voice]] = [world.avatars, world.voices];
    const main = (provider: string) => `
provider "avatarops" {
  ${provider}
}
resource "avatarops_avatar" "host" {
  id   = "${avatar?.id}"
  name = "Host"
}
resource "avatarops_voice" "narrator" {
  id   = "${voice?.id}"
  name = "Narrator"
}
`;
    const { emulator, ...terraform } = await startAcceptance({ main: main('drift = "refuse"'), world });
    const refused = await terraform.fail("apply", "-auto-approve");
    expect(refused).toContain("Error: The avatar has a different name in the account");
    expect(refused).toContain('This plan overwrites "Avatar 1" with "Host"');
    expect(refused).toContain('This plan overwrites "Voice 1" with "Narrator"');
    expect(emulator.requests.every(({ method }) => method === "GET")).toBe(true);
    await terraform.write({ "main.tf": main("") });
    const planned = joinLines(await terraform.succeed("plan"));
    expect(planned).toContain("Warning: The voice has a different name in the account");
    expect(planned).toContain('This plan overwrites "Avatar 1" with "Host"');
    await terraform.settle();
    // Tainted and replaced resources are adopted again without a warning, because their names are recorded.
    await terraform.succeed("taint", "avatarops_avatar.host");
    expect(await terraform.settle("-replace=avatarops_voice.narrator")).not.toContain("another name");
    await terraform.write({ "main.tf": main("").replace('"Host"', '"Front desk"') });
    expect(await terraform.settle("-replace=avatarops_avatar.host")).not.toContain("another name");
  });

  test("is overwritten on adoption after the suggested import", async () => {
    const world = generateDataset({ avatars: 1 });
    const id = world.avatars[0]?.id;
    const main = `provider "avatarops" {\n  drift = "refuse"\n}\nresource "avatarops_avatar" "host" {\n  id   = "${id}"\n  name = "Host"\n}\n`;
    const { emulator, ...terraform } = await startAcceptance({ main, world });
    expect(await terraform.fail("plan")).toContain("so that the plan shows the change");
    await terraform.succeed("import", "avatarops_avatar.host", id ?? "");
    expect(await terraform.settle()).toContain('"Avatar 1" -> "Host"');
    expect(emulator.world.avatars[0]?.name).toBe("Host");
  });

  test("rejects an unknown value of the drift setting in validate", async () => {
    const terraform = await startAcceptance({ main: formatDesk({ provider: 'drift = "ignore"' }) });
    expect(await terraform.fail("validate")).toContain('one of "warn", "refuse", "overwrite"');
  });
});

describe("context field that its resource does not set", () => {
  const links = [{ url: "https://example.com/a", faq: "A" }];
  const bare = 'resource "avatarops_context" "desk" {\n  name   = "Context 1"\n  prompt = "New."\n}\n';
  const block = (id = "") => `import {\n  to = avatarops_context.desk\n  id = "${id}"\n}\n`;

  test("keeps its value after an import, a change and a replacement", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: bare,
      world: generateDataset({ contexts: 1 }),
    });
    emulator.editContext("Context 1", { opening_text: "Theirs.", links });
    const [there] = emulator.world.contexts;
    await terraform.write({ "import.tf": block(there?.id) });
    const plan = await terraform.succeed("plan");
    expect(plan).toContain("1 to import, 0 to add, 1 to change");
    expect(plan).not.toContain("known after apply) # links");
    await terraform.settle();
    const kept = { prompt: "New.", opening_text: "Theirs.", links: [{ url: links[0]?.url, faq: "A" }] };
    expect(emulator.world.contexts).toMatchObject([kept]);
    await terraform.settle("-replace=avatarops_context.desk");
    expect(emulator.world.contexts).toMatchObject([kept]);
    emulator.editContext("Context 1", { opening_text: "Edited." });
    const next = await terraform.settle();
    expect(next).toContain("0 changed");
    expect(emulator.world.contexts).toMatchObject([{ opening_text: "Edited." }]);
  });

  test("is cleared if the resource stops setting it or sets an empty value", async () => {
    const { emulator, ...terraform } = await startAcceptance({
      main: bare,
      world: generateDataset({ contexts: 1 }),
    });
    emulator.editContext("Context 1", { opening_text: "Theirs.", links });
    await terraform.write({ "import.tf": block(emulator.world.contexts[0]?.id) });
    await terraform.write({ "main.tf": bare.replace(/}\n$/, '  opening_text = "Ours."\n}\n') });
    await terraform.settle();
    expect(emulator.world.contexts).toMatchObject([{ opening_text: "Ours.", links }]);
    await terraform.write({ "main.tf": bare.replace(/}\n$/, "  links = []\n}\n") });
    const plan = await terraform.succeed("plan");
    expect(plan).toMatch(/- opening_text = "Ours\." -> null/);
    await terraform.settle();
    expect(emulator.world.contexts).toMatchObject([{ opening_text: "", links: [] }]);
  });
});

describe("Terraform state", () => {
  test("is rejected by each command without a request if the base URL has changed", async () => {
    const { emulator, requests, ...terraform } = await startAcceptance({ main: formatDesk() });
    await terraform.settle();
    const other = await startEmulator();
    try {
      const moved = (more = "") => formatDesk({ provider: `base_url = "${other.url}"\n${more}` });
      await terraform.write({ "main.tf": moved() });
      for (const command of [
        ["plan"],
        ["plan", "-refresh=false"],
        ["apply", "-auto-approve"],
        ["destroy", "-auto-approve"],
      ]) {
        const output = await terraform.fail(...command);
        expect(output).toContain("The state belongs to another service");
        expect(output).toContain(`former_base_urls = ["${emulator.url}"]`);
      }
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test("is accepted after a base URL change with former_base_urls", async () => {
    const { emulator, ...terraform } = await startAcceptance({ main: formatDesk() });
    await terraform.settle();
    const { port } = new URL(emulator.url);
    // Same server under another host name. Adding `/v1` to the base URL does not change any request.
    const provider = `base_url = "http://localhost:${port}/v1/"`;
    await terraform.write({ "main.tf": formatDesk({ provider }) });
    expect(await terraform.fail("plan")).toContain("another service");
    await terraform.write({
      "main.tf": formatDesk({ provider: `${provider}\nformer_base_urls = ["${emulator.url}/"]` }),
    });
    await terraform.expectNothingToDo();
    await terraform.succeed("apply", "-auto-approve");
    // The state has the new base URL, so former_base_urls can be removed.
    await terraform.write({ "main.tf": formatDesk({ provider }) });
    await terraform.settle();
  });
});
