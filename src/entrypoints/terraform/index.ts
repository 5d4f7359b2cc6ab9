/** The kinds spoken in Terraform's plugin protocol. */

/** The provider as a value; served by `@avatarops/terraform-plugin`. */
export { createProvider } from "./provider.js";
/** What the provider may use of its environment. */
export type { ProviderEnvironment } from "./settings.js";
