import { isIdentical } from "../../packages/terraform-plugin/src/values/equal.js";
import { openSourceFile } from "../../src/base/diagnostics/index.js";
import { findUrlProblem } from "../../src/base/files/index.js";
import { showUrl } from "../../src/base/git/index.js";
import { parseProxy } from "../../src/base/http/index.js";
import { nodeSystem } from "../../src/base/system/index.js";
import { isId, toPlainLine } from "../../src/base/text/index.js";
import { checkBaseUrl } from "../../src/core/api/index.js";
import { parseErrorResponse } from "../../src/core/api/refusal.js";
import { request } from "../../src/core/api/request.js";
import { findKeyProblem } from "../../src/core/api/wire.js";
import { parseFrames } from "../../src/core/constructs/call-site.js";
import { isReliableTimestamp, parseTimestamp } from "../../src/core/kinds/index.js";
import { findToken, readKeys } from "../../src/core/lifecycle/session-token.js";
import { createNameGenerator } from "../../src/core/manifest/forms/logical-name.js";
import { rewriteForCode, toCamelCase } from "../../src/core/manifest/forms/spelling.js";
import { redactSecretsInCode } from "../../src/core/manifest/sources/redact-text.js";
import { createCollector } from "../../src/core/manifest/tree/diagnostics-collector.js";
import { findTextEnd, splitMarkdown } from "../../src/core/manifest/tree/markdown.js";
import { formatEntries } from "../../src/core/manifest/tree/yaml-text.js";
import {
  describe as describeSource,
  findReasonNotAValue,
  matchFingerprint,
  Sealed,
} from "../../src/core/secrets/index.js";
import { decodeState } from "../../src/core/state/encoding.js";
import { parseJournal } from "../../src/core/state/journal.js";
import { parseBehaviour } from "../../src/emulator/behaviour.js";
import { parseFault } from "../../src/emulator/index.js";
import { createWholeNumberParser, parseDurationMs } from "../../src/entrypoints/cli/parse.js";
import { readPlan, summarizeLeftOut, toErrorDocument } from "../../src/output/documents/index.js";
import { clip } from "../../src/output/render/cells.js";
import { splitGraphemes } from "../../src/output/render/characters.js";
import { chooseMarks } from "../../src/output/render/field-text.js";
import { toCode, toSentence } from "../../src/output/render/markdown.js";
import { findProseFacts } from "../../src/output/render/prose-facts.js";
import { makeVisible, markSpaces } from "../../src/output/render/visible.js";
import { countWords, splitLines, splitUnits } from "../../src/output/render/words.js";
import { sumExactly } from "../../src/sessions/reports/sum.js";
import { createStoreNames } from "../state/building.js";

/** Repeats a string until it has about a million characters. */
function megabyte(of: string): string {
  return of.repeat(Math.ceil(1_000_000 / of.length));
}

const create = request("POST", "/v1/contexts", { body: { name: "n" } });

function createRejection(status: number, text: string, headers: Record<string, string> = {}) {
  return parseErrorResponse(create, { status, text, headers }, { apiKey: "sk-live-0123456789", nowMs: 0 });
}

const gap = `${megabyte(" ")}x`;
const marks = megabyte("\u0301");

/** Functions that match patterns against untrusted text, with their most expensive input. */
export const worstCases: Readonly<Record<string, () => unknown>> = {
  "refusal: titles that are never closed": () => createRejection(502, `<html>${megabyte("<title")}`),
  "refusal: titles without a text": () => createRejection(502, `<html>${megabyte("<title >")}`),
  "refusal: blanks before a page": () => createRejection(502, gap),
  "refusal: a message of names": () => createRejection(400, JSON.stringify({ message: megabyte("name ") })),
  "refusal: a million details": () =>
    createRejection(
      422,
      JSON.stringify({ detail: Array.from({ length: 60_000 }, () => ({ loc: ["a"], msg: "b" })) }),
    ),
  "refusal: an address to go to": () => createRejection(302, "", { location: megabyte("%25") }),
  "refusal: a moment to come back": () => createRejection(429, "", { "retry-after": megabyte("1 ") }),
  "toPlainLine: characters that are not shown": () => toPlainLine(megabyte("\u0000a")),
  "toPlainLine: blanks": () => toPlainLine(gap),
  "checkBaseUrl: slashes": () => checkBaseUrl(`http://a/${megabyte("/")}x`),
  "checkBaseUrl: a host name": () => checkBaseUrl(`http://${megabyte("127.")}0`),
  "parseProxy: a host name": () => parseProxy({ HTTP_PROXY: `http://${megabyte("a:")}` }),
  "findKeyProblem: a space at the end": () => findKeyProblem(`${megabyte("a")} `),
  "findUrlProblem: addresses in a setting": () => findUrlProblem(`s3://states/a?b=${megabyte("://")}`),
  "showUrl: a word that is not a scheme": () => showUrl(`1://${megabyte("a")}`),
  "isId: a slash at the end": () => isId(`${megabyte("a")}/`),
  "parseTimestamp: digits": () => parseTimestamp(megabyte("1")),
  "parseTimestamp: signs": () => parseTimestamp(megabyte("+00")),
  "isReliableTimestamp: fractions": () => isReliableTimestamp(megabyte(".00"), 0),
  "decodeState: brackets and blanks": () => decodeState(megabyte("}   "), createStoreNames("state.json")),
  "decodeState: blanks": () => decodeState(`{${gap}`, createStoreNames("state.json")),
  "decodeState: marks of a conflict": () => decodeState(megabyte("<<<<<<\n"), createStoreNames("state.json")),
  "decodeState: an id": () =>
    decodeState(JSON.stringify({ version: 1, lineage: megabyte("/") }), createStoreNames("s")),
  "parseJournal: lines": () => parseJournal(megabyte("\n"), "journal"),
  "readPlan: blanks": () => readPlan(`{"format": "avatarops/saved-plan"${gap}`),
  "summarizeLeftOut: a quote that is never closed": () =>
    summarizeLeftOut({ left_out: [`"${megabyte('\\"')}`] }),
  "toErrorDocument: capitals": () =>
    toErrorDocument(Object.assign(new Error("x"), { code: "a-b", [megabyte("A")]: 1 })),
  "toErrorDocument: a code": () =>
    toErrorDocument(Object.assign(new Error("x"), { code: `${megabyte("a-")}!` })),
  "recognise: digits": () =>
    matchFingerprint(new Sealed("x"), `v1:${megabyte("1")}`, { stateKey: "k" }, nodeSystem),
  "recognise: a salt": () =>
    matchFingerprint(new Sealed("x"), `v1:1,1,1:${megabyte("a")}`, { stateKey: "k" }, nodeSystem),
  "describe: a program": () => describeSource({ from: "exec", command: ["a", megabyte("a-")], timeoutMs: 1 }),
  "findReasonNotAValue: variables that are never closed": () => findReasonNotAValue(megabyte("${{")),
  "findToken: objects": () => findToken({ a: Array.from({ length: 100_000 }, () => ({ a: {} })) }),
  "readKeys: a name": () => readKeys({ [megabyte("a")]: 1 }),
  "sumExactly: a million numbers": () => sumExactly(Array.from({ length: 1_000_000 }, (_, at) => at / 8)),
  "makeVisible: marks": () => makeVisible(`${marks}\u0007`),
  "makeVisible: joiners": () => makeVisible(megabyte("\u0627\u0301\u200d")),
  "makeVisible: joiners alone": () => makeVisible(megabyte("\u200d")),
  "makeVisible: emoji": () => makeVisible(megabyte("👩\u200d")),
  "makeVisible: keycaps": () => makeVisible(`${megabyte("1\ufe0f")}\u0007`),
  "markSpaces: blanks": () => markSpaces(gap),
  "splitGraphemes: marks": () => splitGraphemes(marks),
  "splitGraphemes: emoji": () => splitGraphemes(megabyte("👩🏽\u200d")),
  "splitUnits: marks": () => splitUnits(marks),
  "splitUnits: words": () => splitUnits(megabyte("a'")),
  "splitUnits: placeholders": () => splitUnits(megabyte("${")),
  "splitUnits: blanks": () => splitUnits(gap),
  "splitLines: line ends": () => splitLines(megabyte("\n")),
  "splitLines: one line": () => splitLines(megabyte("a")),
  "countWords: signs": () => countWords(megabyte("-")),
  "findProseFacts: placeholders": () => findProseFacts(megabyte("${a"), megabyte("${b")),
  "findProseFacts: blanks": () => findProseFacts(gap, `${gap}\u200b`),
  "chooseMarks: signs": () => chooseMarks(megabyte("-"), megabyte("+")),
  "chooseMarks: brackets": () => chooseMarks(megabyte("[-"), megabyte("{+")),
  "clip: wide letters": () => clip(megabyte("漢"), 80),
  "toCode: backticks": () => toCode(megabyte("` ")),
  "toSentence: quotes": () => toSentence(megabyte("'")),
  "toSentence: words": () => toSentence(`${megabyte("a-")}!`),
  "createNameGenerator: signs": () => createNameGenerator()(megabyte("-a-")),
  "splitMarkdown: lines": () => splitMarkdown(openSourceFile("a.md", `---\n${megabyte("--- -\n")}`)),
  "findTextEnd: line ends": () => findTextEnd(megabyte("\r\n")),
  "rewriteForCode: a command": () => rewriteForCode(megabyte("!exec [")),
  "rewriteForCode: a command in full": () => rewriteForCode(megabyte(" or !exec {")),
  "rewriteForCode: a file": () => rewriteForCode(megabyte("!file ./")),
  "rewriteForCode: an include": () => rewriteForCode(megabyte("include: [")),
  "rewriteForCode: fields": () => rewriteForCode(megabyte("a_")),
  "toCamelCase: fields": () => toCamelCase(megabyte("_a")),
  "redactSecretsInCode: names": () =>
    redactSecretsInCode(openSourceFile("a.ts", megabyte("apiKey ")), createCollector()),
  "formatEntries: lines": () => formatEntries({ a: megabyte("a\n") }),
  "parseFrames: places": () => parseFrames(stacked(megabyte(" at :1:1"))),
  "parseFrames: brackets": () => parseFrames(stacked(` at ${megabyte("(")}:1:1)`)),
  "parseFrames: digits": () => parseFrames(stacked(` at /a:${megabyte("1")}`)),
  "parseFault: bodies": () => parseFault(`POST /a 200${megabyte(" body=")}`),
  "parseFault: a path": () => parseFault(`POST ${megabyte("/*")}? drop-after`),
  "parseFault: blanks": () => parseFault(gap),
  "parseBehaviour: blanks": () => parseBehaviour(gap),
  "parseDurationMs: digits": () => parseDurationMs(`${megabyte("1")}!`),
  "parseDurationMs: blanks": () => parseDurationMs(`1${gap}`),
  "createWholeNumberParser: digits": () => createWholeNumberParser(0)(`${megabyte("1")}!`),
  "identicalValue: halves": () => isIdentical(megabyte("\ud800"), megabyte("\ud800")),
};

function stacked(stack: string): Error {
  return Object.assign(new Error("x"), { stack });
}
