import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { startProxy } from "../http/proxy.js";
import { listen } from "../listening.js";
import type { Artefact } from "./artefacts.js";
import { startGateway } from "./gateway.js";

/** Maximum number of requests without retries, because Terraform reads three objects at once. */
const maxAtOnce = 3;

/** URL where no server listens. */
const dead = "http://127.0.0.1:1";

/** Tests an artefact behind proxies. `certificates` returns the path to the CA certificate of the test servers. */
export function testBehindProxies(use: () => Artefact, certificates: () => string): void {
  const trusting = (environment: Record<string, string>) => ({
    ...{ NODE_EXTRA_CA_CERTS: certificates(), ...environment },
  });

  describe.concurrent("behind a proxy", () => {
    test("reaches a service on the same machine without the proxy", async () => {
      await using gateway = await startGateway();
      const environment = { HTTP_PROXY: dead, HTTPS_PROXY: dead };
      expect(await use().plan({ url: gateway.local, environment })).toMatchObject({ succeeded: true });
    });

    test("reaches an http:// service without a tunnel", async () => {
      await using gateway = await startGateway();
      await using proxy = await startProxy({ tunnelPort: 443 });
      const outcome = await use().plan({ url: gateway.named, environment: { HTTP_PROXY: proxy.url } });
      expect(outcome).toMatchObject({ succeeded: true });
      expect(proxy.received[0]).toContain(`GET ${gateway.named}/v1/contexts?`);
    });

    test("reaches an https:// service through a tunnel", async () => {
      await using gateway = await startGateway({ secure: true });
      await using proxy = await startProxy();
      const environment = trusting({ https_proxy: proxy.url });
      expect(await use().plan({ url: gateway.named, environment })).toMatchObject({ succeeded: true });
      expect(proxy.received[0]).toBe(`CONNECT service.test:${gateway.port}`);
    });

    test("reaches a service through a proxy whose URL has no scheme", async () => {
      await using gateway = await startGateway({ secure: true });
      await using proxy = await startProxy();
      const environment = trusting({ HTTPS_PROXY: proxy.address });
      expect(await use().plan({ url: gateway.named, environment })).toMatchObject({ succeeded: true });
      expect(proxy.received[0]).toBe(`CONNECT service.test:${gateway.port}`);
    });

    test("reaches a service through a proxy that speaks TLS", async () => {
      await using gateway = await startGateway({ secure: true });
      await using proxy = await startProxy({ secure: true });
      const environment = trusting({ HTTPS_PROXY: proxy.url });
      expect(await use().plan({ url: gateway.named, environment })).toMatchObject({ succeeded: true });
      expect(proxy.received[0]).toBe(`CONNECT service.test:${gateway.port}`);
    });

    test.each([
      ["http", "ada:s@cret/%1:x", "ada:s%40cret%2F%251%3Ax"],
      ["https", "ada:s@cret/%1:x", "ada:s%40cret%2F%251%3Ax"],
      ["https", "token-7:", "token-7"],
    ])("logs in to a proxy for %s as %s", async (scheme, user, encoded) => {
      await using gateway = await startGateway({ secure: scheme === "https" });
      await using proxy = await startProxy({ user });
      const address = `http://${encoded}@${proxy.address}`;
      const environment = trusting({ HTTP_PROXY: address, HTTPS_PROXY: address });
      expect(await use().plan({ url: gateway.named, environment })).toMatchObject({ succeeded: true });
    });

    test.each(["http", "https"])("fails at once if a proxy for %s rejects the password", async (scheme) => {
      await using gateway = await startGateway({ secure: scheme === "https" });
      await using proxy = await startProxy({ user: "ada:right" });
      const address = `http://ada:kanarie-47@${proxy.address}`;
      const environment = trusting({ HTTP_PROXY: address, HTTPS_PROXY: address });
      const { succeeded, text } = await use().plan({ url: gateway.named, environment });
      expect(succeeded).toBe(false);
      expect(text).toContain("the proxy requires a valid user name and password (407)");
      expect(text).not.toContain("kanarie");
      expect(proxy.received.length).toBeLessThanOrEqual(maxAtOnce);
      expect(gateway.emulator.requests).toEqual([]);
    });

    test("fails at once if the proxy refuses a tunnel to the service", async () => {
      await using gateway = await startGateway({ secure: true });
      await using proxy = await startProxy({ tunnelPort: 443 });
      const environment = trusting({ HTTPS_PROXY: proxy.url });
      const { succeeded, text } = await use().plan({ url: gateway.named, environment });
      expect(succeeded).toBe(false);
      expect(text).toContain("the proxy refused to connect (403)");
      expect(proxy.received.length).toBeLessThanOrEqual(maxAtOnce);
    });

    test("bypasses the proxy for a network listed in NO_PROXY", async () => {
      await using gateway = await startGateway();
      await using proxy = await startProxy();
      const environment = { HTTP_PROXY: proxy.url, NO_PROXY: "example.com, 0.0.0.0/8" };
      // Operating systems treat this IP address as local, although it is not a loopback address.
      const url = `http://0.0.0.0:${gateway.port}`;
      expect(await use().plan({ url, environment })).toMatchObject({ succeeded: true });
      expect(proxy.received).toEqual([]);
    });

    test.each(["http", "https"])(
      "names the variable and address of an unreachable proxy for %s",
      async (scheme) => {
        const environment = { HTTP_PROXY: dead, HTTPS_PROXY: dead };
        const { succeeded, text } = await use().plan({ url: `${scheme}://service.test`, environment });
        expect(succeeded).toBe(false);
        expect(text).toContain(
          `cannot connect to ${scheme}://service.test (no connection to the proxy in ${scheme.toUpperCase()}_PROXY: 127.0.0.1:1 refused the connection). Check base_url, the network and the proxy.`,
        );
      },
    );

    test("gives up on a proxy that closes every connection", async () => {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.once("data", () => socket.end());
      });
      const { port, close } = await listen(server);
      const environment = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
      const { succeeded, text } = await use().plan({ url: "https://service.test", environment });
      await close();
      expect(succeeded).toBe(false);
      expect(text).toContain("cannot connect to https://service.test (the proxy closed the connection)");
      expect(connections).toBeLessThan(20);
    });
  });
}
