import type { Message } from "../protocol/protobuf.js";
import type {
  NewProviderServer,
  ProviderServer,
  RpcName,
  RpcRequest,
  RpcResponse,
} from "../protocol/rpcs.js";
import type { Log } from "../provider.js";
import type { SchemaBytes } from "../schema/schema-bytes.js";
import type { Connection, Method } from "./grpc.js";

/**
 * What Terraform can call over one connection: a provider of its own, so that two provider blocks never share an
 * account, and what every plugin has beside it. The provider itself, and what reads its messages, are loaded when they are
 * needed.
 */
export function openConnection(input: {
  readonly load: () => Promise<NewProviderServer>;
  /** The responses that are known without a provider. */
  readonly schema?: SchemaBytes | undefined;
  readonly log: Log;
  /** Terraform has no more to do. */
  readonly shutDown: () => void;
}): Connection {
  let instance: Promise<ProviderServer> | undefined;

  function provider(name: string): Method {
    return async (sent, send) => {
      const { schema = {}, log } = input;
      if (Object.hasOwn(schema, name)) {
        log("debug", name);
        return schema[name];
      }
      const { rpcs } = await import("../protocol/rpcs.js");
      if (!hasName(rpcs, name)) throw new NoSuchMethod();
      return answer(name, rpcs[name], sent, send);
    };
  }

  async function answer<Name extends RpcName>(
    name: Name,
    rpc: unknown,
    sent: Uint8Array,
    send: (message: Uint8Array) => void,
  ): Promise<Uint8Array | undefined> {
    const { request, response } = rpc as {
      request: Message<RpcRequest<Name>, unknown>;
      response: Message<unknown, RpcResponse<Name>>;
    };
    const read = request.decode(sent);
    instance ??= input.load().then((newServer) => newServer({ log: input.log }));
    const last = await (await instance).rpcs[name](read, (early) => send(response.encode(early)));
    return last && response.encode(last);
  }

  const plugin: { readonly [path: string]: Method } = {
    // What a plugin prints, for Terraform to print; and connections beside this one. Both are Terraform's to open and
    // ours to leave silent: messages go to the log.
    "/plugin.GRPCStdio/StreamStdio": "held-open",
    "/plugin.GRPCBroker/StartStream": "held-open",
    // The response still goes out: what ends the process first lets calls in flight end.
    "/plugin.GRPCController/Shutdown": async () => {
      input.shutDown();
      return new Uint8Array();
    },
    "/grpc.health.v1.Health/Check": async () => healthAnswer,
  };

  return {
    method(path) {
      if (path.startsWith(providerService)) return provider(path.slice(providerService.length));
      return Object.hasOwn(plugin, path) ? plugin[path] : undefined;
    },
    async close() {
      await (await instance)?.close();
    },
  };
}

const providerService = "/tfplugin6.Provider/";
/** `status` is 1: "serving". */
const healthAnswer = Uint8Array.of(0x08, 1);

class NoSuchMethod extends Error {
  readonly code = "no-such-method";
}

function hasName<Name extends string>(all: { readonly [K in Name]: unknown }, name: string): name is Name {
  return Object.hasOwn(all, name);
}
