import type { Socket } from "node:net";
import { Server, ServerCredentials, type ServerWritableStream, status } from "@grpc/grpc-js";
import { int64, type Message, message } from "../protocol/protobuf.js";
import { type NewProviderServer, type ProviderServer, rpcs } from "../protocol/rpcs.js";
import type { Log } from "../provider.js";
import type { SchemaBytes } from "../schema/encode-schema.js";
import type { Certificate } from "./certificate.js";

/*
 * What Terraform can call. Two provider blocks are two connections, in debug mode to one process, and grpc-js does not tell a call
 * from which connection it comes. So each connection has a server and a provider of its own: else the resources of one block would
 * end in the account of the other.
 */

export interface GrpcServer {
  /** Takes over a connection somebody else has accepted, also one that has been waiting. */
  accept(socket: Socket): void;
  /** Takes no more calls, lets those in flight end for that long, and hangs up. */
  close(graceMs: number): Promise<void>;
}

/** A certificate with its key, and the one certificate that a caller must have. */
export type Credentials = Pick<Certificate, "cert" | "key"> & { readonly ca: string };

const options = {
  // As with the Go SDK.
  "grpc.max_receive_message_length": 256 * 1024 * 1024,
  "grpc.enable_channelz": 0,
};

const empty = message({});
/** What every plugin has; its streams for output and more connections are optional, and we have none. */
const shutdown = "/plugin.GRPCController/Shutdown";
const health = "/grpc.health.v1.Health/Check";

/** Serves gRPC: plain without credentials, over mutual TLS with them. */
export function openGrpc(input: {
  readonly load: () => Promise<NewProviderServer>;
  /** The responses that are known without a provider. */
  readonly schema?: SchemaBytes | undefined;
  readonly credentials?: Credentials | undefined;
  readonly log: Log;
  /** Terraform has no more to do. */
  readonly shutDown: () => void;
}): GrpcServer {
  const { load, schema = {}, log } = input;
  const credentials = serverCredentials(input.credentials);
  const connections = new Set<(graceMs: number) => Promise<void>>();

  function accept(socket: Socket): void {
    const server = new Server(options);
    let instance: Promise<ProviderServer> | undefined;
    for (const [name, rpc] of Object.entries(rpcs)) {
      const made = schema[name];
      const { request, response } = rpc as Codecs;
      register(
        `/tfplugin6.Provider/${name}`,
        { request, response: made ? { encode: () => made } : response },
        async (given, send) => {
          if (made) return {};
          instance ??= load().then((newServer) => newServer({ log }));
          const answer = (await instance).rpcs[name as keyof typeof rpcs];
          return answer(given as never, send);
        },
      );
    }
    register(shutdown, { request: empty, response: empty }, async () => {
      // The response still goes out: what ends the process first lets calls in flight end.
      input.shutDown();
      return {};
    });
    const serving = 1;
    const healthCodecs = { request: empty, response: message({ status: [1, int64] }) };
    register(health, healthCodecs, async () => ({ status: serving }));
    const injector = server.createConnectionInjector(credentials);
    injector.injectConnection(socket);
    const ended = new Promise<void>((resolve) => socket.on("close", resolve)).then(async () => {
      connections.delete(close);
      try {
        await (await instance)?.close();
      } catch (error) {
        reportBug(error, "Closing a connection");
      }
    });
    connections.add(close);

    async function close(graceMs: number): Promise<void> {
      const timer = setTimeout(() => socket.destroy(), graceMs);
      injector.destroy();
      await ended;
      clearTimeout(timer);
    }

    /** On the wire, one response is a stream of one. */
    function register(path: string, { request, response }: Codecs, answer: Answer): void {
      const handle = async (call: ServerWritableStream<object, object>) => {
        try {
          const last = await answer(call.request, (early) => call.write(early));
          if (last) call.write(last);
          call.end();
        } catch (error) {
          call.emit("error", { code: status.INTERNAL, details: reportBug(error, path) });
        }
      };
      const serialize = (given: object) => Buffer.from(response.encode(given));
      server.register(path, handle, serialize, request.decode, "serverStream");
    }
  }

  /** Whatever a user can do something about was answered as a diagnostic: only our own mistakes come here. */
  function reportBug(error: unknown, during: string): string {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    log("error", `Bug: ${during} failed`, { error: stack ?? message });
    return `This is a bug in the provider: ${message}`;
  }

  return {
    accept,
    async close(graceMs) {
      await Promise.all([...connections].map((close) => close(graceMs)));
    },
  };
}

interface Codecs {
  readonly request: Pick<Message<object, object>, "decode">;
  readonly response: Pick<Message<object, object>, "encode">;
}

/** Sends all responses of a call but the last one, which it returns. */
type Answer = (request: object, send: (response: object) => void) => Promise<object | undefined>;

function serverCredentials(given: Credentials | undefined): ServerCredentials {
  if (!given) return ServerCredentials.createInsecure();
  const own = { private_key: Buffer.from(given.key), cert_chain: Buffer.from(given.cert) };
  return ServerCredentials.createSsl(Buffer.from(given.ca), [own], true);
}
