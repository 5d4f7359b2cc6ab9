/** Third-party clients of the service, pinned in `tools/interop`. `test/interop` runs them against the emulator. */
import path from "node:path";
import { definePythonTools } from "./pipelines/python-tools.js";
import { defineTools } from "./tools.js";

/** Location and installation of a client. */
export interface ClientPackage {
  readonly folder: string;
  has(): boolean;
  install(): void;
}

const webSdk = defineTools("interop", "a client of the service for browsers, 32 MB");

/** Clients by registry name. The larger ones are pinned with hashes of wheels for Python 3.11 on Linux x86-64. */
export const clientPackages: Readonly<Record<string, ClientPackage>> = {
  "@heygen/liveavatar-web-sdk": {
    ...webSdk,
    folder: path.join(webSdk.folder, "node_modules/@heygen/liveavatar-web-sdk"),
  },
  ...Object.fromEntries(
    ["hypersonic-heygen", "livekit-plugins-liveavatar", "pipecat-ai", "vision-agents-plugins-liveavatar"].map(
      (name) => [name, definePythonTools(`interop/${name}`)],
    ),
  ),
};

/** Clients that install in seconds. */
export const smallClients = ["@heygen/liveavatar-web-sdk", "hypersonic-heygen"];

/** Installs missing clients. */
export function installClients(names: readonly string[]): void {
  for (const name of names) clientPackages[name]?.install();
}
