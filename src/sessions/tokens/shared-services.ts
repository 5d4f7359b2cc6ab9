import { proxyIn } from "../../base/http/index.js";
import { checkBaseUrl, openService, type Service } from "../../core/api/index.js";
import { TokenError } from "../reports/index.js";
import { emitWarning, environment } from "./host.js";

export interface ConnectionSettings {
  /** Normalised. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly successCodes?: readonly number[] | undefined;
}

interface Shared {
  readonly service: Service;
  uses: number;
}

/** Calls share the connections to an account and what is known of its limits; the least recently used is first. */
const shared = new Map<string, Shared>();
/** More are kept while they are in use. */
const kept = 8;

/** Uses the client of an account. It stays open: idle connections end by themselves, and hold no process up. */
export async function withSharedService<Result>(
  account: ConnectionSettings,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const key = JSON.stringify([account.baseUrl, account.apiKey, account.successCodes]);
  const one = shared.get(key) ?? open(account);
  shared.delete(key);
  shared.set(key, one);
  one.uses++;
  try {
    return await use(one.service);
  } finally {
    one.uses--;
    closeUnused();
  }
}

function open(account: ConnectionSettings): Shared {
  const found = proxyIn(environment());
  if ("problem" in found) throw new TypeError(found.problem);
  return { service: openService({ ...account, proxy: found.proxy }), uses: 0 };
}

function closeUnused(): void {
  for (const [key, { service, uses }] of shared) {
    if (shared.size <= kept) return;
    if (uses > 0) continue;
    shared.delete(key);
    void service.close();
  }
}

/** The address of an account, normalised. Warns once of one that would send the API key unencrypted. @throws TokenError */
export function checkAddress(text: string, preset: string): string {
  const address = checkBaseUrl(text);
  if ("problem" in address)
    throw new TokenError(
      "not-set",
      preset,
      `The address of the service ${address.problem}: ${address.hint}.`,
    );
  if (address.exposesKey)
    warnOnce("address", "The address of the service would send the API key unencrypted: use https://…");
  return address.url;
}

const warned = new Set<string>();

/** Warns of something once in the life of the process. */
export function warnOnce(of: string, message: string): void {
  if (warned.has(of)) return;
  warned.add(of);
  emitWarning(message);
}
