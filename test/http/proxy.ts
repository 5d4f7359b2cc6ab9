import { type LookupOptions, lookup } from "node:dns";
import { RequestError, Server } from "proxy-chain";
import { authority } from "../artefact/authority.js";

/** Settings for a proxy that resolves every host name to this machine. */
export interface ProxySettings {
  /** The only accepted user, `name:password`. Default: anyone. */
  readonly user?: string;
  /** The only port for tunnels. Default: any. */
  readonly tunnelPort?: number;
  /** Whether clients connect to the proxy with TLS. */
  readonly secure?: boolean;
}

/** Starts a widely used proxy and records its requests, such as `CONNECT service.test:443`. */
export async function startProxy({ user, tunnelPort, secure }: ProxySettings = {}) {
  const received: string[] = [];
  const server = new Server({
    ...{ port: 0, host: "127.0.0.1" },
    ...(secure ? { serverType: "https", httpsOptions: authority.server } : { serverType: "http" }),
    prepareRequestFunction({ request, username, password, port, isHttp }) {
      received.push(`${request.method} ${request.url}`);
      if (!isHttp && port !== (tunnelPort ?? port)) throw new RequestError("Forbidden", 403);
      return {
        requestAuthentication: user !== undefined && user !== `${username}:${password}`,
        dnsLookup: toThisMachine,
      };
    },
  });
  await server.listen();
  const close = () => server.close(true);
  const address = `127.0.0.1:${server.port}`;
  return {
    received,
    address,
    url: `${secure ? "https" : "http"}://${address}`,
    [Symbol.asyncDispose]: close,
  };
}

const toThisMachine = ((_host: string, options: LookupOptions, found: () => void) =>
  lookup("127.0.0.1", options, found)) as typeof lookup;
