// @module-tag terraform
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  digestSpec,
  findKind,
  listReadableFields,
  type Spec,
  toAddress,
} from "../../src/core/kinds/index.js";
import { loadManifest } from "../../src/core/manifest/index.js";
import { createSampleDataset } from "../../src/emulator/index.js";
import { startAcceptance } from "./acceptance.js";

/*
 * Checks that examples/terraform and examples/yaml declare the same objects. (test/constructs checks
 * examples/typescript.)
 */

interface PlannedResource {
  readonly type: string;
  readonly name: string;
  readonly index?: string;
  readonly values: Readonly<Record<string, unknown>>;
}

describe("Terraform example", () => {
  test("declares the same objects as the YAML example", async () => {
    const { manifest } = await loadManifest({ allowCode: true, cwd: "examples/yaml" });
    const declared = manifest?.declarations.map(({ address, kind, spec }) => [
      address,
      digestSpec(kind, spec),
    ]);
    expect(declared).toHaveLength(8);

    const terraform = await startExample();
    await terraform.succeed("plan", "-out=saved");
    const plan = JSON.parse(await terraform.succeed("show", "-json", "saved"));
    const resources: readonly PlannedResource[] = plan.planned_values.root_module.resources;
    expect(Object.fromEntries(resources.map(toManifest))).toEqual(Object.fromEntries(declared ?? []));
  });

  test("leaves an empty plan after an apply to the sample account", async () => {
    const { emulator, ...terraform } = await startExample();
    await terraform.succeed("init");
    await terraform.settle();
    const made = emulator.world.secrets.at(-1);
    expect([made?.secret_name, emulator.secretValue(made?.id ?? "")]).toEqual(["llm-production", "a-key"]);
    expect(JSON.parse(await terraform.succeed("output", "-json"))).toMatchObject({
      context_ids: { value: { "support-desk": expect.any(String) } },
    });
  });
});

/** Starts the example with its shared prompt files and the sample account. */
async function startExample() {
  const readTexts = (folder: string, extension: string) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(extension))
      .map((file) => [file, readFileSync(path.join(folder, file), "utf8")] as const);
  const files = Object.fromEntries(readTexts("examples/terraform", ".tf"));
  const prompts = readTexts("examples/yaml/contexts", ".md").map(([file, text]) => [
    `../yaml/contexts/${file}`,
    text,
  ]);
  return startAcceptance({
    main: files["main.tf"] ?? "",
    files: {
      ...files,
      ...Object.fromEntries(prompts),
      "terraform.tf": files["versions.tf"] ?? "",
      "versions.tf": "",
    },
    world: createSampleDataset(Date.now()),
    environment: { TF_VAR_llm_api_key: "a-key" },
  });
}

/** Converts a planned resource to its manifest address and digest. */
function toManifest({ type, name, index, values }: PlannedResource): [address: string, digest: string] {
  const kind = findKind(type.replace(/^avatarops_/, ""));
  if (!kind) throw new Error(`There is no kind of ${type}`);
  const spec = listReadableFields(kind).flatMap(([field]) =>
    values[field] == null ? [] : [[field, values[field]]],
  );
  return [toAddress(kind, index ?? name), digestSpec(kind, Object.fromEntries(spec) as Spec)];
}
