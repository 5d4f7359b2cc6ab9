import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  isOffered,
  type Kind,
  kindNamed,
  kinds,
  referenceFields,
  writeOnlyFields,
} from "../../src/core/kinds/index.js";
import { camelCase } from "../../src/core/manifest/index.js";
import { bareStack, cdktn, flavours, newStack, only, synth } from "./flavours.js";

const { library, ours } = cdktn;

describe("a manifest", () => {
  const desk = { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: Hi } }" };

  /** What a project of these files becomes, in a stack that has an account, or in the one given. */
  async function read(files: Readonly<Record<string, string>>, stack = newStack()) {
    const made = await ours.AvatarManifest.fromFile(stack, await project(files));
    return { made, synthesised: () => synth(stack) };
  }

  test.each(kinds.map((kind) => [kind.name, kind] as const))(
    "makes a construct of a declared %s",
    async (_, kind) => {
      const { key, spec } = kind.example;
      const manifest = {
        "avatarops.yaml": [
          ...(isOffered(kind) ? [] : ["service: { profile: liveavatar }"]),
          `${kind.collection}: { ${key}: ${exampleOf(kind)} }`,
          ...referenceFields(kind).flatMap(([field, name]) => {
            const target = kindNamed(name);
            return target ? [`${target.collection}: { ${spec[field]}: ${exampleOf(target)} }`] : [];
          }),
        ].join("\n"),
      };

      const { made, synthesised } = await read(manifest, bareStack());

      const collection = camelCase(kind.collection);
      const own = (made as unknown as Record<string, Record<string, { id: string }>>)[collection];
      expect(own?.[key]).toBeInstanceOf(
        (ours as unknown as Record<string, new () => object>)[kind.className],
      );
      expect(only(synthesised().resource, `avatarops_${kind.name}`)).toMatchObject({
        [kind.label]: spec[kind.label],
      });
    },
  );

  test.each(flavours)(
    "becomes resources, a provider, and variables for what comes from sources, in %s",
    async (_, load) => {
      const { library, ours } = await load();
      const file = await project({
        "avatarops.yaml": `
        service: { profile: liveavatar, base_url: !env MY_URL, requests_per_second: 5, timeout_seconds: 10, success_codes: [100], session_duration_unit: minutes }
        fingerprint_key: !exec [pass, fingerprint]
        contexts:
          desk:
            name: Desk
            prompt: !file prompt.md
            opening_text: Hi \${name}
            ignore_changes: [opening_text]
            links: [{ url: "https://example.com", faq: Returns }]
        avatars: { desk: { id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000 } }
        voices: { mara: { id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000, name: Mara } }
        secrets:
          one: { secret_name: One, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY, on_rotation: delete_old, on_removal: delete }
          two: { secret_name: Two, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
          voice-key: { secret_name: Key, secret_type: VOICEPROVIDER_API_KEY, secret_value: !file key.txt }
        sessions: { kiosk: { avatar: desk, mode: FULL, persona: { context: desk } } }`,
        "prompt.md": "You help ${name}.\n",
        "key.txt": "a-key",
      });
      const stack = bareStack({ library, ours });

      const made = await ours.AvatarManifest.fromFile(stack, file);
      new library.TerraformOutput(stack, "desk", { value: made.contexts.desk?.id, staticId: true });

      const text = library.Testing.synth(stack, true);
      expect(text).not.toContain("a-key");
      const { resource, variable, output, provider } = synth(stack, { library, ours });
      expect(provider.avatarops).toEqual([
        {
          base_url: "${var.MY_URL}",
          fingerprint_key: "${var.fingerprint_key}",
          profile: "liveavatar",
          requests_per_second: 5,
          success_codes: [100],
          timeout_seconds: 10,
        },
      ]);
      expect(only(resource, "avatarops_context")).toEqual({
        name: "Desk",
        prompt: "You help $${name}.",
        opening_text: "Hi $${name}",
        lifecycle: { ignore_changes: ["opening_text"] },
        links: [{ url: "https://example.com", faq: "Returns" }],
        provider: "avatarops",
      });
      expect(only(resource, "avatarops_avatar")).toMatchObject({
        id: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
      });
      expect(only(resource, "avatarops_voice")).toMatchObject({ name: "Mara" });
      const secrets = Object.values(resource.avatarops_secret ?? {});
      expect(secrets.map(({ secret_name, secret_value_wo }) => [secret_name, secret_value_wo])).toEqual([
        ["One", "${var.LLM_API_KEY}"],
        ["Two", "${var.LLM_API_KEY}"],
        ["Key", "${var.secret_voice_key}"],
      ]);
      expect(secrets[0]).toMatchObject({ on_rotation: "delete_old", on_removal: "delete" });
      expect(Object.keys(variable).sort()).toEqual([
        "LLM_API_KEY",
        "MY_URL",
        "fingerprint_key",
        "secret_voice_key",
      ]);
      expect(variable.LLM_API_KEY).toEqual({
        description: "In the manifest: from environment variable LLM_API_KEY.",
        ephemeral: true,
        sensitive: true,
        type: "string",
      });
      expect(output.desk?.value).toMatch(/^\$\{avatarops_context\.\S+\.id\}$/);
    },
  );

  test("leaves to the provider what that reads from the environment", async () => {
    const { provider, variable } = (await read(desk, bareStack())).synthesised();
    expect(provider.avatarops).toEqual([{}]);
    expect(variable).toBeUndefined();
  });

  test("is read as one of its environments says", async () => {
    const file = await project({
      "avatarops.yaml": `
        contexts: { desk: { name: Desk, prompt: Hi } }
        environments: { staging: { contexts: { desk: { name: Desk (staging) } } } }`,
    });
    const stack = newStack();

    await ours.AvatarManifest.fromFile(stack, file, { environment: "staging" });

    expect(only(synth(stack).resource, "avatarops_context").name).toBe("Desk (staging)");
  });

  test("uses the account of the stack, or the one it is given; two go into one stack", async () => {
    const file = await project(desk);
    const stack = newStack();
    const provider = new ours.AvataropsProvider(stack, "other", { alias: "other" });

    await ours.AvatarManifest.fromFile(stack, file);
    await ours.AvatarManifest.fromFile(stack, file, { id: "second", provider });

    const made = synth(stack);
    const contexts = Object.values(made.resource.avatarops_context ?? {});
    expect(contexts.map((one) => one.provider)).toEqual(["avatarops", "avatarops.other"]);
    expect(made.provider.avatarops).toHaveLength(2);
  });

  test("has a variable for each source, and one for each environment variable", async () => {
    const secret = (name: string, source: string) =>
      `${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }`;
    const sources = [
      ["a-b", "!exec [pass, one]"],
      ["a_b", "!exec [pass, two]"],
      ["c", "!env KEY"],
      ["d", "!env KEY"],
    ] as const;
    const lines = sources.map(([name, source]) => `          ${secret(name, source)}`);
    const stack = newStack();
    new library.TerraformVariable(stack, "KEY", { sensitive: true, description: "The app's own." });
    const manifest = { "avatarops.yaml": `        secrets:\n${lines.join("\n")}` };

    const { resource, variable } = (await read(manifest, stack)).synthesised();

    const values = Object.values(resource.avatarops_secret ?? {}).map((one) => one.secret_value_wo);
    expect(values).toEqual(["${var.secret_a_b}", "${var.secret_a_b_2}", "${var.KEY}", "${var.KEY}"]);
    expect(variable.KEY?.description).toBe("The app's own.");
  });

  test("takes names of other scripts apart", async () => {
    const secret = (name: string) =>
      `${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: !file ${name}.txt }`;
    const { made, synthesised } = await read({
      "avatarops.yaml": `
        contexts: { 客服: { name: A, prompt: Hi }, 安内: { name: B, prompt: Hi } }
        secrets: { ${secret("键")}, ${secret("钥")} }`,
      "键.txt": "a",
      "钥.txt": "b",
    });

    expect(Object.keys(made.contexts)).toEqual(["客服", "安内"]);
    const { resource } = synthesised();
    expect(Object.values(resource.avatarops_context ?? {}).map(({ name }) => name)).toEqual(["A", "B"]);
    const values = Object.values(resource.avatarops_secret ?? {}).map((one) => one.secret_value_wo);
    expect(new Set(values).size).toBe(2);
    for (const value of values) expect(value).toMatch(/^\$\{var\.[a-z_0-9]+\}$/);
  });

  test("hands warnings on to the app", async () => {
    const { made } = await read({
      "avatarops.yaml":
        "avatars: { host: { id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000 } }\nsessions: { kiosk: { avatar: host, mode: FULL } }\n",
    });

    expect(made.node.metadata.map(({ data }) => data)).toEqual([
      "warning[preset-without-context] sessions.kiosk is a FULL session without a context: the avatar would stay silent (avatarops.yaml:2:13); add persona.context",
    ]);
  });

  test("may be TypeScript", async () => {
    const stack = newStack();

    await ours.AvatarManifest.fromFile(stack, "examples/typescript/avatarops.config.ts");

    const names = Object.values(synth(stack).resource.avatarops_context ?? {}).map(({ name }) => name);
    expect(names).toContain("Support desk");
  });

  test("with mistakes is refused, with their places", async () => {
    const file = await project({ "avatarops.yaml": "contexts:\n  desk:\n    name: Desk\n    promt: Hi\n" });

    const read = ours.AvatarManifest.fromFile(newStack(), file);

    await expect(read).rejects.toThrow(
      `${file} cannot be used:\n` +
        '  error[unknown-field] context.desk has no field "promt" (avatarops.yaml:4:5); did you mean "prompt"?',
    );
  });

  test("publishes no file of keys as a prompt", async () => {
    const reading = read({
      "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: !file .git/config } }",
      ".git/config": "token 4711",
    });

    await expect(reading).rejects.toThrow("error[private-file] .git/config is not read");
  });

  test("that nobody waited for is not synthesised: Terraform would forget what is not there", async () => {
    const file = await project(desk);
    const stack = newStack();

    const reading = ours.AvatarManifest.fromFile(stack, file);

    expect(() => synth(stack)).toThrow("is still being read. Write `await AvatarManifest.fromFile(…)`");
    await reading;
    expect(() => synth(stack)).not.toThrow();
  });

  test.each([
    ["default_voice: mara }", "avatar.desk.default_voice cannot be set through Terraform"],
    ["}", "avatar.desk.id is a name that is looked up"],
  ])("is refused where Terraform has nothing for it: %s", async (more, problem) => {
    const id = more === "}" ? "!stock_avatar Ann" : "a03779b1-9e37-4a1b-9c2d-5ee0fe120000,";
    const reading = read({
      "avatarops.yaml": `
        service: { profile: liveavatar }
        avatars: { desk: { id: ${id} ${more} }
        voices: { mara: { id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000 } }`,
    });
    await expect(reading).rejects.toThrow(problem);
  });
});

/** The path of the manifest of a project in a folder of its own, gone after the test. */
async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-cdktf-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return path.join(folder, "avatarops.yaml");
}

/** The example of a kind in YAML. */
function exampleOf(kind: Kind): string {
  const { id, spec } = kind.example;
  const fields = [
    ...(kind.identity === "adopted" ? [`id: ${id}`] : []),
    ...Object.entries(spec).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...writeOnlyFields(kind).map((name) => `${name}: !env VALUE`),
  ];
  return `{ ${fields.join(", ")} }`;
}
