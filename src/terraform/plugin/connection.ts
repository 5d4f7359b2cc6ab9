import type { Connection, Method } from "./grpc.js";
import { choice, type Message, message } from "./protobuf.js";
import type { Log } from "./provider.js";
import {
  type Instance,
  type NewInstance,
  type RpcName,
  type RpcRequest,
  type RpcResponse,
  rpcs,
} from "./rpc.js";

/**
 * What a core can call over one connection: a provider of its own, so that two provider blocks never share an
 * account, and what every plugin has beside it. The provider itself may still be loading.
 */
export function openConnection(input: {
  readonly newInstance: Promise<NewInstance>;
  readonly log: Log;
  /** The core has no more to do. */
  readonly shutDown: () => void;
}): Connection {
  let instance: Promise<Instance> | undefined;

  function provider<Name extends RpcName>(name: Name): Method {
    const { request, response } = rpcs[name] as unknown as {
      request: Message<RpcRequest<Name>, unknown>;
      response: Message<unknown, RpcResponse<Name>>;
    };
    return async (sent) => {
      const read = request.decode(sent);
      instance ??= input.newInstance.then((newInstance) => newInstance({ log: input.log }));
      return response.encode(await (await instance).rpcs[name](read));
    };
  }

  const plugin: { readonly [path: string]: Method } = {
    // What a plugin prints, for the core to print; and connections beside this one. Both are the core's to open and
    // ours to leave silent: what is to be told goes to the log.
    "/plugin.GRPCStdio/StreamStdio": "held-open",
    "/plugin.GRPCBroker/StartStream": "held-open",
    // The answer still goes out: what ends the process first lets calls in flight end.
    "/plugin.GRPCController/Shutdown": async () => {
      input.shutDown();
      return new Uint8Array();
    },
    "/grpc.health.v1.Health/Check": async () => healthAnswer,
  };

  return {
    method(path) {
      const name = path.startsWith(providerService) ? path.slice(providerService.length) : "";
      if (isRpcName(name)) return provider(name);
      return Object.hasOwn(plugin, path) ? plugin[path] : undefined;
    },
    async close() {
      await (await instance)?.close();
    },
  };
}

const providerService = "/tfplugin6.Provider/";
const healthAnswer = message({ status: [1, choice("unknown", "serving")] }).encode({ status: "serving" });

function isRpcName(name: string): name is RpcName {
  return Object.hasOwn(rpcs, name);
}
