import type { Provider } from "@avatarops/terraform-plugin";
import { kinds } from "../../core/kinds/index.js";
import type { Account } from "./account/open-account.js";
import { toDataSources } from "./data-sources.js";
import { explainError } from "./explain-error.js";
import { toListResource } from "./list-resource.js";
import { toResource } from "./resource.js";
import { hasAddress, type ProviderEnvironment, settings } from "./settings.js";
import { smoke } from "./smoke.js";

const collections = kinds
  .map(({ collection }) => collection)
  .join(", ")
  .replace(/, (?=\w+$)/, " and ");

/** The provider of the avatar session service, with what it may use of its environment. */
export function createProvider(env: ProviderEnvironment): Provider<Account> {
  return {
    name: "avatarops",
    description: `Manages the ${collections} of an account of an avatar session service. What leaves the configuration stays in the account, unless \`on_removal\` says that it is deleted.`,
    attributes: settings,
    // Loaded on demand: most processes that Terraform starts need no client of the service.
    async validate(call) {
      if (hasAddress(call.config)) (await import("./addresses.js")).validateAddresses(call);
    },
    configure: async (call) => (await import("./configure.js")).configureAccount(env, call),
    close: async ({ open }) => open?.service.close(),
    explain: explainError,
    resources: Object.fromEntries(kinds.map((kind) => [`avatarops_${kind.name}`, toResource(kind)])),
    dataSources: Object.assign({}, ...kinds.map(toDataSources)),
    listResources: Object.assign({}, ...kinds.map(toListResource)),
    actions: { avatarops_smoke: smoke },
  };
}
