import { pid } from "node:process";
import type { NewProviderServer } from "../protocol/rpcs.js";
import type { Log } from "../provider.js";
import { listen } from "./listener.js";
import { openLog } from "./log.js";

/** A provider in a process of its own choice: under a debugger, or in a test. */
export interface DebugServer {
  /** The value of TF_REATTACH_PROVIDERS with which Terraform uses this server for the providers with these addresses. */
  reattach(...addresses: string[]): string;
  close(): Promise<void>;
}

/** Serves a provider, without TLS, to every Terraform that connects. Each connection gets an instance of its own. */
export async function startDebugServer(
  newServer: NewProviderServer,
  { log = () => {} }: { readonly log?: Log } = {},
): Promise<DebugServer> {
  // Loading gRPC takes time that a plugin that Terraform started does not have before its handshake.
  const { openGrpc } = await import("./grpc.js");
  const grpc = openGrpc({ load: async () => newServer, log, shutDown: () => {} });
  const door = await listen();
  door.onConnection(grpc.accept);
  const address = {
    Protocol: "grpc",
    ProtocolVersion: 6,
    Pid: pid,
    // Terraform never ends us.
    Test: true,
    Addr: { Network: door.network, String: door.address },
  };
  return {
    reattach: (...sources) => JSON.stringify(Object.fromEntries(sources.map((source) => [source, address]))),
    async close() {
      door.close();
      await grpc.close(graceMs);
    },
  };
}

/** Serves a provider until Ctrl-C, and prints how Terraform in another terminal gets to use it. */
export async function serveDebug(input: {
  readonly load: () => Promise<NewProviderServer>;
  /** The addresses under which configurations name the provider. */
  readonly addresses: readonly string[];
  readonly process: NodeJS.Process;
}): Promise<void> {
  const { process } = input;
  const server = await startDebugServer(await input.load(), { log: openLog(process.stderr) });
  for (const signal of stopSignals) process.on(signal, () => server.close().then(() => process.exit(0)));
  process.stderr.write(
    "The provider is running. Set this variable where you run terraform or tofu. Press Ctrl-C to stop.\n\n",
  );
  process.stdout.write(`export TF_REATTACH_PROVIDERS='${server.reattach(...input.addresses)}'\n`);
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];
const graceMs = 1500;
