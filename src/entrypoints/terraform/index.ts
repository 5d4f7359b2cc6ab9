/** Terraform provider with the kinds as resources and data sources. */

/** Definitions of the provider, which `@avatarops/terraform-plugin` serves. */
export { createProvider } from "./provider.js";
/** Process environment of the provider. */
export type { ProviderEnvironment } from "./settings.js";
