import { isLiteral, type Manifest, refuseCode } from "../../manifest/index.js";
import { isExec } from "../../secrets/index.js";
import type { CycleProblem } from "../../sync/index.js";

const code = "code-not-allowed";
const hint = "start sync with --allow-code if everybody who may push to the branch may run programs here";

/** Refuses TypeScript files. */
export const refuseFiles = refuseCode(code, "is code, which sync does not run", hint);

/** The commands and functions that a manifest would run. */
export function codeIn({ service, fingerprintKey, declarations, policies }: Manifest): CycleProblem[] {
  const functions = (policies?.functions ?? []).map(({ file }) => ({
    code,
    message: `policies.functions has ${file}, which is code, and sync does not run it: ${hint}.`,
  }));
  const sources = [
    ["service.base_url", service.baseUrl] as const,
    ["service.api_key", service.apiKey] as const,
    ...(fingerprintKey ? [["fingerprint_key", fingerprintKey] as const] : []),
    ...declarations.flatMap(({ address, sources }) =>
      Object.entries(sources).map(([field, source]) => [`${address}.${field}`, source] as const),
    ),
  ];
  const commands = sources
    .filter(([, source]) => !isLiteral(source) && isExec(source))
    .map(([name]) => ({ code, message: `${name} runs a command (!exec), which sync does not do: ${hint}.` }));
  const ofGit = sources.flatMap(([name, source]) =>
    isLiteral(source)
      ? []
      : Object.values(source).flatMap((value) =>
          typeof value === "string" && /^GIT_CONFIG_/.test(value)
            ? [{ code, message: `${name} reads ${value}, with which sync logs in to the repository.` }]
            : [],
        ),
  );
  return [...functions, ...commands, ...ofGit];
}
