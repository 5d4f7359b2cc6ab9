import type { Provider } from "@avatarops/terraform-plugin";
import { kinds } from "../../core/kinds/index.js";
import type { ProviderClient } from "./account/open-account.js";
import { toDataSources } from "./data-sources.js";
import { explainError } from "./explain-error.js";
import { toListResource } from "./list-resource.js";
import { toResource } from "./resource.js";
import { hasBaseUrl, type ProviderEnvironment, settings } from "./settings.js";
import { smoke } from "./smoke.js";

const collections = kinds
  .map(({ collection }) => collection)
  .join(", ")
  .replace(/, (?=\w+$)/, " and ");

/** Creates the Terraform provider for the avatar session service. */
export function createProvider(env: ProviderEnvironment): Provider<ProviderClient> {
  return {
    name: "avatarops",
    description: `Manages the ${collections} in an account of an avatar session service. Objects removed from the configuration stay in the account unless \`on_removal\` deletes them.`,
    attributes: settings,
    // The checks are loaded on demand, because most provider processes do not need the service client.
    async validate(call) {
      if (hasBaseUrl(call.config)) (await import("./base-urls.js")).validateBaseUrls(call);
    },
    configure: async (call) => (await import("./configure.js")).configureAccount(env, call),
    close: async ({ account }) => account?.service.close(),
    explain: explainError,
    resources: Object.fromEntries(kinds.map((kind) => [`avatarops_${kind.name}`, toResource(kind)])),
    dataSources: Object.assign({}, ...kinds.map(toDataSources)),
    listResources: Object.assign({}, ...kinds.map(toListResource)),
    actions: { avatarops_smoke: smoke },
  };
}
