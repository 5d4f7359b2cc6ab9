import { Console } from "node:console";
import type { Provider } from "./provider.js";
import { providerServer } from "./rpc/provider-server.js";
import { serveDebug } from "./server/debug-server.js";
import { processHost } from "./server/host.js";
import { servePlugin } from "./server/serve-plugin.js";

/** How a provider is served. */
export interface ServeOptions {
  /** The addresses under which configurations name it: `registry.terraform.io/example/example`. */
  readonly addresses: readonly string[];
  /**
   * Serve until Ctrl-C, and print the TF_REATTACH_PROVIDERS with which Terraform uses this process. Default: whether the
   * program was started with `--debug`.
   */
  readonly debug?: boolean;
}

/**
 * The main program of a provider: serves it to the Terraform that started this process. From here on `console` writes to
 * stderr, since stdout belongs to the handshake.
 */
export async function serve<Client>(
  provider: Provider<Client>,
  { addresses, debug = process.argv.includes("--debug") }: ServeOptions,
): Promise<void> {
  globalThis.console = new Console(process.stderr, process.stderr);
  const served = { load: async () => providerServer(provider), host: processHost(process) };
  await (debug ? serveDebug({ ...served, addresses }) : servePlugin(served));
}
