import { pid } from "node:process";
import type { NewProviderServer } from "../src/protocol/rpcs.js";
import type { Log } from "../src/provider.js";
import { type GrpcServer, openGrpc } from "../src/server/grpc.js";
import { listen } from "../src/server/listener.js";

/** A provider in the process of a test. */
interface TestServer {
  /** The value of TF_REATTACH_PROVIDERS with which Terraform uses this server for the providers with these addresses. */
  reattach(...addresses: string[]): string;
  close(): Promise<void>;
}

/**
 * Serves a provider, without TLS, to every Terraform that connects. A provider block is a connection here, and not a process: each
 * has an instance of its own.
 */
export async function startServer(
  newServer: NewProviderServer,
  { log = () => {} }: { readonly log?: Log } = {},
): Promise<TestServer> {
  const connections = new Set<GrpcServer>();
  const door = await listen();
  door.onConnection((socket) => {
    const grpc = openGrpc({ load: async () => newServer, log, shutDown: () => {} });
    connections.add(grpc);
    grpc.accept(socket);
    socket.on("close", () => {
      if (connections.delete(grpc)) void grpc.close(0);
    });
  });
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
      const open = [...connections];
      connections.clear();
      await Promise.all(open.map((grpc) => grpc.close(1_500)));
    },
  };
}
