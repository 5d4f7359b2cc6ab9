import { UsageError } from "../../../base/diagnostics/index.js";
import { isInCi, type RenderedText, renderAll, renderDeclared } from "../../../operations/index.js";
import { disarmCommands, formatCount, makeVisible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import type { renderCommand } from "../facts/project.js";
import type { Host } from "../host.js";

export const command: RunCommand<typeof renderCommand> = async (call) => {
  const { output, options, host } = call;
  const [address] = call.arguments;
  if (options.all || options.out !== undefined) {
    if (!options.all || options.out === undefined || address !== undefined || options.live)
      throw new UsageError(
        "usage",
        "To write all texts, use --all and --out FOLDER, without an address or --live.",
      );
    const files = await renderAll(call, options.out);
    return output.info(`Wrote ${formatCount(files.length, "text")} to ${options.out}.`);
  }
  if (address === undefined)
    throw new UsageError(
      "usage",
      "The address is missing. Give the address of an object, or use --all and --out FOLDER.",
    );
  const rendered = await renderDeclared(call, address, options);
  if (output.format === "json") output.writeDocument({ format: "avatarops/text", version: 1, ...rendered });
  else if (options.map && rendered.stretches) output.writeResult(mapText(rendered.stretches));
  else if (host.stdout.isTTY) output.writeResult(rendered.text.split("\n").map(makeVisible).join("\n"));
  else output.writeExact(rejectJobCommands(rendered, host));
};

/** Rejects text in CI if the runner would execute commands in it. @throws UsageError `ci-command` */
function rejectJobCommands({ address, text }: RenderedText, host: Host): string {
  if (disarmCommands(text) === text || !isInCi(host)) return text;
  throw new UsageError(
    "ci-command",
    `The text of ${address} contains a CI runner command, such as ::error or ##[group], which the runner would execute from the log. Write it to a file with --all --out FOLDER, or print it with --format json.`,
  );
}

/** Prefixes each line of the text with its locations in the files. */
function mapText(stretches: NonNullable<RenderedText["stretches"]>): string {
  const rows = [{ text: "", locations: new Set<string>() }];
  for (const { is, text, file, line } of stretches) {
    const parts = text.split("\n");
    for (const [at, part] of parts.entries()) {
      if (at > 0) rows.push({ text: "", locations: new Set() });
      const row = rows.at(-1);
      // The empty part after a final line ending belongs to the next stretch.
      if (!row || (part === "" && at === parts.length - 1)) continue;
      row.text += part;
      row.locations.add(`${file}:${is === "variable" ? line : line + at}`);
    }
  }
  const shown = rows.map(
    ({ text, locations }) => [makeVisible([...locations].join(", ")), makeVisible(text)] as const,
  );
  const width = Math.max(...shown.map(([locations]) => locations.length));
  return shown.map(([locations, text]) => `${locations.padEnd(width)}  ${text}`.trimEnd()).join("\n");
}
