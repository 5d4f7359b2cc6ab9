/** Terraform provider with the kinds as resources and data sources. */

/** Provider definitions, which `@avatarops/terraform-plugin` serves. */
export { createProvider } from "./provider.js";
export type { ProviderEnvironment } from "./settings.js";
