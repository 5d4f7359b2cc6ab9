import type { Diagnostic } from "../../base/diagnostics/index.js";
import { isLiteral, type Manifest } from "../../core/manifest/index.js";
import { isExec } from "../../core/secrets/index.js";
import { isHostCredential } from "../../operations/index.js";

const code = "code-not-allowed";
const severity = "error" as const;
const hint = "Start sync with --allow-code if everyone with push access may run programs here";

/** Finds commands and functions that a manifest would run, and secret sources that read sync's own credentials. */
export function findForbiddenCode(
  { service, fingerprintKey, declarations, policies, notify }: Manifest,
  asksCodeHost: boolean,
): Diagnostic[] {
  const functions = (policies?.functions ?? []).map(({ file }) => ({
    ...{ severity, code },
    message: `policies.functions contains code (${file}), which sync does not run. ${hint}.`,
  }));
  const settings = [
    ["service.base_url", service.baseUrl] as const,
    ["service.api_key", service.apiKey] as const,
    ...(fingerprintKey ? [["fingerprint_key", fingerprintKey] as const] : []),
    ...notify.flatMap(({ url, secret }, i) => [
      [`notify[${i}].url`, url] as const,
      ...(secret ? [[`notify[${i}].secret`, secret] as const] : []),
    ]),
    ...declarations.flatMap(({ address, sources }) =>
      Object.entries(sources).map(([field, source]) => [`${address}.${field}`, source] as const),
    ),
  ];
  const sources = settings.flatMap(([name, source]) => (isLiteral(source) ? [] : [{ name, source }]));
  const commands = sources
    .filter(({ source }) => isExec(source))
    .map(({ name }) => ({
      ...{ severity, code },
      message: `${name} contains a command (!exec), which sync does not run. ${hint}.`,
    }));
  const credentials = sources.flatMap(({ name, source }) =>
    Object.values(source)
      .filter((value) => typeof value === "string")
      .filter((value) => value.startsWith("GIT_CONFIG_") || (asksCodeHost && isHostCredential(value)))
      .map((value) => ({
        ...{ severity, code },
        message: `${name} reads ${value}, which sync uses to log in to the repository or its code host. Use another variable.`,
      })),
  );
  return [...functions, ...commands, ...credentials];
}
