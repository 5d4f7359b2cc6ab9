import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { serve } from "../listening.js";
import type { Artefact } from "./artefacts.js";
import {
  type Delivery,
  deliverAndClose,
  deliverGzipped,
  deliverOver,
  deliverOverHttp10,
  startGateway,
} from "./gateway.js";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

/** Tests an artefact in unusual networks. `certificates` returns the path to the CA certificate of the test servers. */
export function testAcrossNetworks(use: () => Artefact, certificates: () => string): void {
  describe.concurrent("in an unusual network", () => {
    test("trusts only the CA in NODE_EXTRA_CA_CERTS", async () => {
      await using gateway = await startGateway({ secure: true });
      const refused = await use().plan({ url: gateway.local });
      expect(refused.succeeded).toBe(false);
      expect(refused.text).toMatch(/no secure connection to .* NODE_EXTRA_CA_CERTS/);
      expect(gateway.emulator.requests).toEqual([]);
      const environment = { NODE_EXTRA_CA_CERTS: certificates() };
      expect(await use().plan({ url: gateway.local, environment })).toMatchObject({ succeeded: true });
    });

    test("reaches an IPv6-only service", async ({ skip }) => {
      skip(!hasIpv6, "This machine has no address ::1.");
      await using gateway = await startGateway({ host: "::1" });
      expect(await use().plan({ url: gateway.local })).toMatchObject({ succeeded: true });
    });

    test("does not send the API key to a redirect target", async () => {
      const received: string[] = [];
      const other = await serve((request, response) => {
        received.push(request.url ?? "");
        response.end();
      });
      const location = `${other.url}/v1/contexts`;
      const redirect: Delivery = (response) => void response.writeHead(302, { location }).end();
      await using gateway = await startGateway({ delivery: redirect });
      const { succeeded, text } = await use().plan({ url: gateway.local });
      await other.close();
      expect(succeeded).toBe(false);
      expect(text).toContain("Redirects are not followed");
      expect(received).toEqual([]);
    });

    test.each<[string, Delivery]>([
      ["compresses responses without a request for it", deliverGzipped],
      ["speaks HTTP/1.0", deliverOverHttp10],
      ["closes keep-alive connections", deliverAndClose],
      ["sends headers slowly", deliverOver(100)],
    ])("applies through a gateway that %s", async (_, delivery) => {
      const emulator = { world: generateDataset({ contexts: 3 }) };
      await using gateway = await startGateway({ delivery, emulator });
      expect(await use().apply({ url: gateway.local })).toMatchObject({ succeeded: true });
      const names = gateway.emulator.world.contexts.map(({ name }) => name);
      expect(names).toHaveLength(5);
      expect(names).toEqual(expect.arrayContaining(["Desk", "Shop"]));
    });

    test("gives up if the response headers take longer than the timeout", async () => {
      await using gateway = await startGateway({ delivery: deliverOver(3_000) });
      const { succeeded, text } = await use().plan({ url: gateway.local, timeoutSeconds: 0.3 });
      expect(succeeded).toBe(false);
      expect(text).toContain("no complete response within 0.3 s");
    });
  });
}
