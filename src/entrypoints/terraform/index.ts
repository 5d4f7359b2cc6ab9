/** Terraform provider with the kinds as resources and data sources. */

/** Definitions of the provider, which `@avatarops/terraform-plugin` serves. */
export { createProvider } from "./provider.js";
export type { ProviderEnvironment } from "./settings.js";
