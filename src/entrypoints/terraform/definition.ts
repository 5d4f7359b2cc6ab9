import { createProviderServer, type NewProviderServer } from "@avatarops/terraform-plugin";
import * as z from "zod";
import { createProvider } from "./provider.js";
import type { ProviderEnvironment } from "./settings.js";

/**
 * Creates the provider server. This code has its own file in the package, because the handshake and the schemas do not
 * need it.
 */
export function createServer(env: ProviderEnvironment): NewProviderServer {
  z.config({ jitless: true });
  return createProviderServer(createProvider(env));
}
