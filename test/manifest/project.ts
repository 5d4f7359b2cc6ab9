import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Declaration, loadManifest } from "../../src/core/manifest/index.js";
import { createOpenDefinitions } from "../../src/operations/index.js";

const definitions = createOpenDefinitions({ loadLibrary: () => import("../../src/index.js") });

/** Creates a project folder with these files. Removes the folder after the test. */
export function createProjectFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(path.join(tmpdir(), "avatarops-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  return root;
}

/** Returns the declaration at an address in a project. */
export async function readDeclaration(cwd: string, address: string): Promise<Declaration> {
  const { manifest, diagnostics } = await loadManifest({ allowCode: true, cwd, definitions });
  if (!manifest) throw new Error(`the project is not valid: ${JSON.stringify(diagnostics, null, 1)}`);
  const found = manifest.declarations.find((one) => one.address === address);
  if (!found) throw new Error(`${address} is not declared`);
  return found;
}
