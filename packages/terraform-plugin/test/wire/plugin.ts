import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterAll, onTestFinished } from "vitest";
import { createCertificate } from "../../src/server/certificate.js";
import { type Client, connect, type Trust } from "./client.js";

/** Plugin in a separate process, started the way Terraform starts it. */
export interface Plugin {
  readonly child: ChildProcess;
  /** All output since the start. */
  readonly output: { stdout: string; stderr: string };
  /** Handshake line, or all of stdout if there was none. */
  readonly line: Promise<string>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Bundles a program into one file, as the provider's build does. Dynamic imports are still evaluated lazily. */
export function bundle(entry: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "bundle-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const outfile = path.join(folder, "provider.cjs");
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
  });
  return outfile;
}

/** Certificate of the simulated Terraform core. */
const core = createCertificate(Date.now());

export const cookie = {
  TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
};

/** Environment variables that Terraform sets for a plugin. */
export const handshakeEnvironment = {
  ...cookie,
  PLUGIN_PROTOCOL_VERSIONS: "6,5",
  PLUGIN_CLIENT_CERT: core.cert,
  TF_LOG: "debug",
};

export function startPlugin(file: string, environment: NodeJS.ProcessEnv = handshakeEnvironment): Plugin {
  const child = spawn(process.execPath, [file], { env: { TMPDIR: tmpdir(), ...environment } });
  return watch(child);
}

export function watch(child: ChildProcess): Plugin {
  const output = { stdout: "", stderr: "" };
  child.stderr?.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const line = new Promise<string>((resolve) => {
    child.stdout?.on("data", (chunk) => {
      output.stdout += chunk;
      if (output.stdout.includes("\n")) resolve(output.stdout);
    });
    child.stdout?.on("close", () => resolve(output.stdout));
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill("SIGKILL");
    await exited;
    // Removes the folder that remains after a kill.
    const [, folder] = /\|unix\|(.+)\/socket\|/.exec(await line) ?? [];
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  return { child, output, line, exited };
}

/** Returns the plugin's address and the trusted certificate from the handshake. */
export async function readHandshake(plugin: Plugin): Promise<{ readonly at: string; readonly trust: Trust }> {
  const [, , , at = "", , der] = (await plugin.line).trim().split("|");
  const ca = der === undefined ? "" : new X509Certificate(Buffer.from(der, "base64")).toString();
  return { at, trust: { key: core.key, cert: core.cert, ca } };
}

export async function call(plugin: Plugin): Promise<Client> {
  const { at, trust } = await readHandshake(plugin);
  return connect(at, trust);
}
