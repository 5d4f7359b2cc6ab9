import { type NewProviderServer, providerServer } from "@avatarops/terraform-plugin";
import * as z from "zod";
import { createProvider } from "./provider.js";
import type { ProviderEnvironment } from "./settings.js";

/** The provider, ready to be served. In the package it is a file of its own: what the core waits for needs none of it. */
export function instances(env: ProviderEnvironment): NewProviderServer {
  z.config({ jitless: true });
  return providerServer(createProvider(env));
}
