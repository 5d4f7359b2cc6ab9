import { randomUUID } from "node:crypto";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startProxy } from "../http/proxy.js";
import { type Listening, serve } from "../listening.js";
import { type S3Server, s3Credentials, startMoto } from "../stores/s3-servers.js";
import type { Artefact } from "./artefacts.js";
import { authority } from "./authority.js";
import { startGateway } from "./gateway.js";

/**
 * Tests a command with its state in S3 behind proxies. `certificates` returns the path to the CA certificate of the
 * test servers.
 */
export function testS3BehindProxies(use: () => Artefact, certificates: () => string): void {
  describe("with a state in S3", { tags: "moto" }, () => {
    let s3: S3Server;
    let secure: Listening;
    beforeAll(async () => {
      s3 = await startMoto();
      secure = await serve((given, response) => forward(given, response, s3.port), authority.server);
    });
    afterAll(async () => {
      await secure?.close();
      await s3?.close();
    });

    /** Applies with the state under a new key. Returns the outcome and the keys in the bucket. */
    async function apply(endpoint: string, environment: Readonly<Record<string, string>>) {
      await using gateway = await startGateway();
      const key = `${randomUUID()}.json`;
      const state = `s3://states/${key}?region=us-east-1&path_style=true&endpoint=${endpoint}`;
      const variables = { ...s3Credentials, ...environment, AVATAROPS_STATE: state };
      const outcome = await use().apply({ url: gateway.local, environment: variables });
      const { Contents = [] } = await s3.client.send(
        new ListObjectsV2Command({ Bucket: "states", Prefix: key }),
      );
      return { ...outcome, key, stored: Contents.map(({ Key }) => Key) };
    }

    test.each([
      ["", undefined],
      ["ada:s%40cret@", "ada:s@cret"],
    ])("reaches an http:// store through the proxy http://%sHOST", async (login, user) => {
      await using proxy = await startProxy({ user, tunnelPort: 443 });
      const endpoint = `http://store:${s3.port}`;
      const { stored, key, ...outcome } = await apply(endpoint, {
        HTTP_PROXY: `http://${login}${proxy.address}`,
      });
      expect(outcome).toMatchObject({ succeeded: true });
      expect(stored).toContain(key);
      expect(proxy.received).toContainEqual(expect.stringContaining(`PUT ${endpoint}/states/${key}`));
    });

    test.each([
      ["", undefined],
      ["ada:s%40cret@", "ada:s@cret"],
    ])("tunnels to an https:// store through the proxy http://%sHOST", async (login, user) => {
      await using proxy = await startProxy({ user });
      const environment = {
        HTTPS_PROXY: `http://${login}${proxy.address}`,
        NODE_EXTRA_CA_CERTS: certificates(),
      };
      const { stored, key, ...outcome } = await apply(`https://service.test:${secure.port}`, environment);
      expect(outcome).toMatchObject({ succeeded: true });
      expect(stored).toContain(key);
      expect(new Set(proxy.received)).toEqual(new Set([`CONNECT service.test:${secure.port}`]));
    });

    test("bypasses the proxy for a store listed in NO_PROXY", async () => {
      await using proxy = await startProxy();
      // Operating systems treat this IP address as local, although it is not a loopback address.
      const { stored, key, ...outcome } = await apply(`http://0.0.0.0:${s3.port}`, {
        HTTP_PROXY: proxy.url,
        NO_PROXY: "0.0.0.0",
      });
      expect(outcome).toMatchObject({ succeeded: true });
      expect(stored).toContain(key);
      expect(proxy.received).toEqual([]);
    });

    test("fails without a write if the proxy rejects the password", async () => {
      await using proxy = await startProxy({ user: "ada:right" });
      const { succeeded, text, stored } = await apply(`http://store:${s3.port}`, {
        HTTP_PROXY: `http://ada:kanarie-47@${proxy.address}`,
      });
      expect(succeeded).toBe(false);
      expect(text).toContain("the proxy requires a valid user name and password (407)");
      expect(text).not.toContain("kanarie");
      expect(stored).toEqual([]);
    });
  });
}

/** Forwards a request with moto's own host name. From any other host name, moto would derive the bucket name. */
function forward(given: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = given;
  const host = `127.0.0.1:${port}`;
  const sent = request(`http://${host}${url}`, { method, headers: { ...headers, host } }, (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(response);
  });
  given.pipe(sent).on("error", () => response.destroy());
}
