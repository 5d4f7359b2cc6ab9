import { describe, expect, test } from "vitest";
import { cdktn, createBareStack, flavors, newStack, readOnlyBlock, synth } from "./flavors.js";

const voiceId = "403779b1-9e37-4a1b-9c2d-5ee0fe120000";

const { library, ours } = cdktn;

describe("CDK constructs", () => {
  test("wrap the exported resource classes, which accept ids from data sources", () => {
    const stack = newStack();
    const desk = new ours.Context(stack, "desk", { name: "Desk", prompt: "Be kind." });
    expect(desk.resource).toBeInstanceOf(ours.ContextResource);
    const voice = new ours.DataAvataropsVoice(stack, "narrator", { name: "Narrator" });
    new ours.VoiceResource(stack, "voice", { id: voice.id, name: "Storyteller" });
    const { resource, data } = synth(stack);
    expect(readOnlyBlock(data, "avatarops_voice")).toMatchObject({ name: "Narrator" });
    expect(readOnlyBlock(resource, "avatarops_voice")).toMatchObject({
      id: "${data.avatarops_voice.narrator.id}",
    });
  });

  test("escape strings so that the service receives the original characters", () => {
    const stack = newStack();
    const written = ["${name}", "$${name}", "%{ if x }", "%%{", 'a "quote" and a \\', "100 %", "$ {}"];
    new ours.Context(stack, "desk", {
      name: "Desk",
      prompt: written.join("\n"),
      links: [{ url: "https://example.com", faq: "${faq}" }],
    });

    const { prompt, links } = readOnlyBlock(synth(stack).resource, "avatarops_context");

    expect(prompt).toBe(
      ["$${name}", "$$${name}", "%%{ if x }", "%%%{", 'a "quote" and a \\', "100 %", "$ {}"].join("\n"),
    );
    expect(links).toEqual([{ url: "https://example.com", faq: "$${faq}" }]);
  });

  test.each(flavors)("accept %s tokens within strings", async (_, load) => {
    const { library, ours } = await load();
    const stack = createBareStack({ library, ours });
    new ours.AvataropsProvider(stack, "account");
    const text = (name: string) => new library.TerraformVariable(stack, name, { type: "string" }).stringValue;
    const pages = new library.TerraformVariable(stack, "pages", { type: "list(object({ url = string }))" });
    const city = text("city");
    new ours.Avatar(stack, "host", { id: text("id"), name: text("name") });
    const desk = { name: `Desk in ${city}`, prompt: `\${name} in ${city}` };
    new ours.Context(stack, "desk", { ...desk, links: pages.value });
    const links = [{ url: text("url"), faq: text("faq") }];
    new ours.Context(stack, "other", { name: text("title"), prompt: "", links });

    expect(Object.values(synth(stack, { library, ours }).resource.avatarops_context ?? {})).toEqual([
      { name: "Desk in ${var.city}", prompt: "$${name} in ${var.city}", links: "${var.pages}" },
      { name: "${var.title}", prompt: "", links: [{ url: "${var.url}", faq: "${var.faq}" }] },
    ]);
  });

  test("refer to managed objects by construct and to unmanaged objects by id", () => {
    const stack = newStack();
    const secretValue = new library.TerraformVariable(stack, "key", { sensitive: true }).stringValue;
    const secret = new ours.Secret(stack, "key-of-one", {
      secretName: "llm",
      secretType: "LLM_API_KEY",
      secretValue,
    });
    const model = { modelName: "gpt-4o" };
    new ours.LlmConfiguration(stack, "one", { ...model, displayName: "One", secret });
    new ours.LlmConfiguration(stack, "two", { ...model, displayName: "Two", secret: voiceId });

    const { resource } = synth(stack);

    const [secretName] = Object.keys(resource.avatarops_secret ?? {});
    const made = Object.values(resource.avatarops_llm_configuration ?? {});
    expect(made.map(({ secret_id }) => secret_id)).toEqual([
      `\${avatarops_secret.${secretName}.id}`,
      voiceId,
    ]);
  });

  test("pass Terraform's meta-arguments on to the resource", () => {
    const stack = newStack();
    const other = new ours.AvataropsProvider(stack, "other", { alias: "other" });
    const first = new ours.Context(stack, "first", { name: "First", prompt: "" });
    const names = library.TerraformIterator.fromList(["de", "fr"]);
    new ours.Voice(stack, "voice", {
      id: voiceId,
      name: names.value,
      forEach: names,
      provider: other,
      dependsOn: [first, first.resource],
      lifecycle: { preventDestroy: true, ignoreChanges: ["name"] },
    });

    const voice = readOnlyBlock(synth(stack).resource, "avatarops_voice");

    expect(voice).toMatchObject({
      name: "${each.value}",
      for_each: '${toset(["de", "fr"])}',
      provider: "avatarops.other",
      depends_on: [
        expect.stringMatching(/^avatarops_context\.first_/),
        expect.stringMatching(/^avatarops_context\.first_/),
      ],
      lifecycle: { prevent_destroy: true, ignore_changes: ["name"] },
    });
  });

  // The library runs terraform to find its version if the stack has an import.
  test("support overrides of Terraform attributes", { tags: "terraform" }, () => {
    const stack = newStack();
    const { resource } = new ours.Context(stack, "desk", { name: "Desk", prompt: "" });
    resource.importFrom("2c5faf09-e6fd-46fd-84e3-489b10838fbf");
    resource.addOverride("prompt", '${file("prompt.md")}');

    const made = JSON.parse(library.Testing.synth(stack, true));

    expect(readOnlyBlock(made.resource, "avatarops_context").prompt).toBe('${file("prompt.md")}');
    expect(made.import).toEqual([
      { id: "2c5faf09-e6fd-46fd-84e3-489b10838fbf", to: expect.stringMatching(/^avatarops_context\.desk_/) },
    ]);
  });

  test("are rejected in a stack without a provider", () => {
    const stack = createBareStack();
    new ours.Context(stack, "desk", { name: "Desk", prompt: "" });

    expect(() => synth(stack)).toThrow("without a matching provider construct");
  });

  test("restrict the provider to patch releases of one minor version", () => {
    const stack = createBareStack();
    new ours.AvataropsProvider(stack, "account", { baseUrl: "https://example.com/${path}" });

    const { terraform, provider } = stack.toTerraform();

    expect(terraform.required_providers.avatarops).toEqual({
      source: "avatarops/avatarops",
      version: expect.stringMatching(/^~> \d+\.\d+\.0$/),
    });
    expect(provider.avatarops).toEqual([{ base_url: "https://example.com/$${path}" }]);
  });
});
