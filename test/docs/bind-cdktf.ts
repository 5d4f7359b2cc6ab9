/**
 * Writes the bindings of CDKTF alone: those of CDK Terrain, which `npm run cdktf:bindings` writes as well, need hundreds of
 * megabytes of tools.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { schemaJson } from "@avatarops/terraform-plugin";
import { generate } from "../../scripts/cdktf/bindings.js";
import { cdktf } from "../../scripts/cdktf/flavour.js";
import { version } from "../../src/base/version/index.js";
import { createProvider } from "../../src/entrypoints/terraform/index.js";

const provider = createProvider({ version, environment: {} });
const schema = schemaJson(provider, "registry.terraform.io/avatarops/avatarops");
for (const [name, text] of await generate(cdktf, schema)) {
  const file = path.join("src/entrypoints/cdktf/generated/cdktf", name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
