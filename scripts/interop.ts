/** Clients of the service that others wrote, as `tools/interop` pins them: `test/interop` runs them against the emulator. */
import path from "node:path";
import { pythonToolsIn } from "./pipelines/python-tools.js";
import { toolsIn } from "./tools.js";

/** Where a client is, and how it is installed. */
export interface ClientPackage {
  readonly folder: string;
  has(): boolean;
  install(): void;
}

const webSdk = toolsIn("interop", "a client of the service for browsers, 32 MB");

/** By their names in the registries. The pins of the larger ones have the hashes of wheels for Python 3.11 on Linux, x86-64. */
export const clientPackages: Readonly<Record<string, ClientPackage>> = {
  "@heygen/liveavatar-web-sdk": {
    ...webSdk,
    folder: path.join(webSdk.folder, "node_modules/@heygen/liveavatar-web-sdk"),
  },
  ...Object.fromEntries(
    ["hypersonic-heygen", "livekit-plugins-liveavatar", "pipecat-ai", "vision-agents-plugins-liveavatar"].map(
      (name) => [name, pythonToolsIn(`interop/${name}`)],
    ),
  ),
};

/** Those that install in seconds. */
export const smallClients = ["@heygen/liveavatar-web-sdk", "hypersonic-heygen"];

/** Installs those clients, where they are missing. */
export function installClients(names: readonly string[]): void {
  for (const name of names) clientPackages[name]?.install();
}
