import {
  type DiagnosticsDocument,
  type ErrorDocument,
  type ShownDiagnostic,
  separateRepeatedWarnings,
} from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  markdownOnly,
  name,
  ownText,
  paragraph,
  sentence,
  textOnly,
} from "./blocks.js";
import { formatDiagnosticCounts } from "./phrases.js";

/** Describes each diagnostic with its location and source line. */
export function renderDiagnosticsBlocks({
  summary,
  diagnostics,
  policies = [],
}: DiagnosticsDocument): Block[] {
  const counts = formatDiagnosticCounts(summary);
  return [
    markdownOnly(heading(ownText(counts))),
    { is: "findings", diagnostics, policies },
    textOnly(heading(ownText(`${counts}.`, "strong"))),
  ];
}

/** Describes warnings about the files for a terminal. Repeated warnings are summarized. */
export function renderWarningBlocks({ summary, diagnostics, policies }: DiagnosticsDocument): Block[] {
  const counts = formatDiagnosticCounts(summary);
  return [...summarizeFindings(diagnostics, policies), heading(ownText(`${counts}.`, "strong"))];
}

/** Describes findings. Repeated warnings are summarized. */
export function summarizeFindings(
  diagnostics: readonly ShownDiagnostic[],
  policies: readonly ShownDiagnostic[] = [],
): Block[] {
  const [own, found] = [separateRepeatedWarnings(diagnostics), separateRepeatedWarnings(policies)];
  const repeated = [...own.repeated, ...found.repeated];
  return [
    { is: "findings", diagnostics: own.kept, policies: found.kept },
    ...repeated.map(([code, number]) =>
      heading(
        ownText(`warning[${code}]`, "warning"),
        sentence(` and ${number} more. \`avatarops validate\` lists them.`),
      ),
    ),
    ...(repeated.length > 0 ? [gap] : []),
  ];
}

export function renderErrorBlocks({ code, message, causes }: ErrorDocument): Block[] {
  return [
    textOnly(heading(ownText(`error[${code}]`, "error"), sentence(` ${message}`, "strong"))),
    markdownOnly(heading(ownText(`error[${code}]: `), sentence(message))),
    ...renderCauseBlocks({ message, causes }),
  ];
}

/** Describes the causes that the message and the causes above do not already contain. */
export function renderCauseBlocks({ message, causes }: Pick<ErrorDocument, "message" | "causes">): Block[] {
  const news = causes.filter((cause, at) => {
    const above = [message, ...causes.slice(0, at).map((one) => one.message)];
    return !above.some((text) => text.includes(cause.message.replace(/\.$/, "")));
  });
  return news.map((cause) => {
    const known = cause.code === undefined ? [] : [ownText("  ["), name(cause.code, "dim"), ownText("]")];
    return paragraph([sentence(`because: ${cause.message}`), ...known], 2);
  });
}
