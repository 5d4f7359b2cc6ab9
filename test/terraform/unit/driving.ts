import type {
  Attributes,
  Diagnostic,
  Known,
  MaybeUnknown,
  PrivateState,
  Value,
} from "@avatarops/terraform-plugin";
import { onTestFinished } from "vitest";
import { proposePlan } from "../../../packages/terraform-plugin/src/plan/propose-plan.js";
import type { Emulator, EmulatorOptions } from "../../../src/emulator/index.js";
import { createProvider, type ProviderEnvironment } from "../../../src/entrypoints/terraform/index.js";
import { startEmulator } from "../../documented-emulator.js";

/*
 * The provider as a value, asked what a run of Terraform asks it, without the protocol between. One run is one process:
 * it has an account of its own. What only the core or the framework decide is tested with the real terraform.
 */

export type Values = { readonly [name: string]: Value };

/** An object as Terraform keeps it between runs. */
export interface Kept {
  readonly state: Values;
  readonly private: PrivateState;
}

/** What came of one call: what is kept now, and what was said. */
export interface Ended {
  readonly kept: Kept | null;
  readonly said: readonly Diagnostic[];
  readonly planned?: Values;
}

export interface Run {
  /** Plans and applies; `kept` is what was there before. */
  apply(type: string, config: Values, kept?: Kept): Promise<Ended>;
  plan(type: string, config: Values | null, kept?: Kept): Promise<Ended>;
  refresh(type: string, kept: Kept): Promise<Ended>;
  forget(type: string, kept: Kept): Promise<Ended>;
  import(type: string, id: string): Promise<{ values: Values | null; said: readonly Diagnostic[] }>;
  read(source: string, config: Values): Promise<{ values: Values | null; said: readonly Diagnostic[] }>;
  invoke(type: string, config: Values): Promise<{ said: readonly Diagnostic[] }>;
  /** What was written to the log. */
  readonly logged: readonly string[];
  /** What the provider block led to. */
  readonly said: readonly Diagnostic[];
  stop(): void;
}

export async function account(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

export async function startRun(
  emulator: Emulator,
  settings: Values = {},
  world: Partial<ProviderEnvironment> = {},
): Promise<Run> {
  const provider = createProvider({
    version: "0.0.0",
    environment: { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
    waits: { backoffMs: 1, settleMs: 50 },
    ...world,
  });
  const stopping = new AbortController();
  const logged: string[] = [];
  const { said, diagnostics } = listening();
  const call = {
    diagnostics,
    signal: stopping.signal,
    log: (_level: string, message: string) => void logged.push(message),
  };
  const client = await provider.configure({
    ...call,
    config: filled(provider.attributes, settings) as never,
  });
  if (client) onTestFinished(() => provider.close?.(client));

  /** One call, whose errors are told as the framework tells them. */
  async function asked<T>(
    ask: (call: never) => Promise<T> | T,
    rest: object,
  ): Promise<{ answer: T | null; said: readonly Diagnostic[] }> {
    const { said, diagnostics } = listening();
    try {
      return { answer: await ask({ ...call, diagnostics, client, ...rest } as never), said };
    } catch (error) {
      const diagnostic = provider.explain?.(error);
      if (!diagnostic) throw error;
      return { answer: null, said: [...said, diagnostic] };
    }
  }

  function toResource(type: string) {
    const resource = provider.resources[type];
    if (!resource) throw new Error(`There is no ${type}.`);
    return resource;
  }

  const plan: Run["plan"] = async (type, given, kept) => {
    const resource = toResource(type);
    const config = given && filled(resource.attributes, given);
    const unset = (config && resource.unset?.({ config, private: kept?.private ?? {} })) ?? [];
    const proposed = config && proposePlan(resource.attributes, config, kept?.state ?? null, unset);
    const { answer, said } = await asked((one) => resource.modifyPlan?.(one), {
      config,
      prior: kept?.state ?? null,
      planned: proposed,
      private: kept?.private ?? {},
    });
    const planned = (answer as { planned?: Values } | null)?.planned ?? proposed ?? undefined;
    return { kept: kept ?? null, said, ...(planned ? { planned } : {}) };
  };

  return {
    said,
    logged,
    plan,
    async apply(type, given, kept) {
      const resource = toResource(type);
      const { planned, said: before } = await plan(type, given, kept);
      if (before.some(({ severity }) => severity === "error")) return { kept: kept ?? null, said: before };
      const rest = { config: filled(resource.attributes, given), planned, private: kept?.private ?? {} };
      const { answer, said } = await (kept
        ? asked((one) => resource.update?.(one), { ...rest, prior: kept.state })
        : asked((one) => resource.create(one), rest));
      return {
        kept: keptOf(answer, kept) ?? kept ?? null,
        said: [...before, ...said],
        ...(planned ? { planned } : {}),
      };
    },
    async refresh(type, kept) {
      const { answer, said } = await asked((one) => toResource(type).read?.(one), kept);
      return { kept: keptOf(answer, kept), said };
    },
    async forget(type, kept) {
      const { said: before } = await plan(type, null, kept);
      const { said } = await asked((one) => toResource(type).delete?.(one), {
        prior: kept.state,
        private: kept.private,
      });
      return { kept: null, said: [...before, ...said] };
    },
    async import(type, id) {
      const { answer, said } = await asked((one) => toResource(type).importState?.(one), { id });
      return { values: answer as Values | null, said };
    },
    async read(type, config) {
      const source = provider.dataSources[type];
      if (!source) throw new Error(`There is no data source ${type}.`);
      const { answer, said } = await asked((one) => source.read(one), {
        config: filled(source.attributes, config),
      });
      return { values: answer as Values | null, said };
    },
    async invoke(type, config) {
      const action = provider.actions[type];
      if (!action) throw new Error(`There is no action ${type}.`);
      const { said } = await asked((one) => action.invoke(one), {
        config: filled(action.attributes, config),
        progress() {},
      });
      return { said };
    },
    stop: () => stopping.abort(),
  };
}

/** What was imported: only the id is known. */
export function imported(type: string, id: string): Kept {
  const { resources } = createProvider({ version: "0.0.0", environment: {} });
  return { state: filled(resources[type]?.attributes ?? {}, { id }), private: {} };
}

function listening() {
  const said: Diagnostic[] = [];
  const say =
    (severity: Diagnostic["severity"]) => (summary: string, detail?: string, path?: Diagnostic["path"]) =>
      void said.push({ severity, summary, ...(detail ? { detail } : {}), ...(path ? { path } : {}) });
  return { said, diagnostics: { error: say("error"), warning: say("warning") } };
}

function keptOf(answer: unknown, before: Kept | undefined): Kept | null {
  if (!answer) return null;
  const { state, private: own } = answer as { state: Values; private?: PrivateState };
  return { state, private: own ?? before?.private ?? {} };
}

/** A configuration with everything else null. */
function filled(
  attributes: Attributes,
  values: Values,
): Values & MaybeUnknown<Attributes> & Known<Attributes> {
  const all = Object.keys(attributes).map((name) => [name, values[name] ?? null]);
  return Object.fromEntries(all);
}
