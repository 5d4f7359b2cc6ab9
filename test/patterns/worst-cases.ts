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
import { parseBehavior } from "../../src/emulator/behavior.js";
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
function createMegabyte(of: string): string {
  return of.repeat(Math.ceil(1_000_000 / of.length));
}

const create = request("POST", "/v1/contexts", { body: { name: "n" } });

function createRejection(status: number, text: string, headers: Record<string, string> = {}) {
  return parseErrorResponse(create, { status, text, headers }, { apiKey: "sk-live-0123456789", nowMs: 0 });
}

const gap = `${createMegabyte(" ")}x`;
const marks = createMegabyte("\u0301");

/** Functions that match patterns against untrusted text, with their most expensive input. */
export const worstCases: Readonly<Record<string, () => unknown>> = {
  "refusal: titles that are never closed": () => createRejection(502, `<html>${createMegabyte("<title")}`),
  "refusal: titles without a text": () => createRejection(502, `<html>${createMegabyte("<title >")}`),
  "refusal: blanks before a page": () => createRejection(502, gap),
  "refusal: a message of names": () =>
    createRejection(400, JSON.stringify({ message: createMegabyte("name ") })),
  "refusal: a million details": () =>
    createRejection(
      422,
      JSON.stringify({ detail: Array.from({ length: 60_000 }, () => ({ loc: ["a"], msg: "b" })) }),
    ),
  "refusal: an address to go to": () => createRejection(302, "", { location: createMegabyte("%25") }),
  "refusal: a moment to come back": () => createRejection(429, "", { "retry-after": createMegabyte("1 ") }),
  "toPlainLine: characters that are not shown": () => toPlainLine(createMegabyte("\u0000a")),
  "toPlainLine: blanks": () => toPlainLine(gap),
  "checkBaseUrl: slashes": () => checkBaseUrl(`http://a/${createMegabyte("/")}x`),
  "checkBaseUrl: a host name": () => checkBaseUrl(`http://${createMegabyte("127.")}0`),
  "parseProxy: a host name": () => parseProxy({ HTTP_PROXY: `http://${createMegabyte("a:")}` }),
  "findKeyProblem: a space at the end": () => findKeyProblem(`${createMegabyte("a")} `),
  "isId: a slash at the end": () => isId(`${createMegabyte("a")}/`),
  "parseTimestamp: digits": () => parseTimestamp(createMegabyte("1")),
  "parseTimestamp: signs": () => parseTimestamp(createMegabyte("+00")),
  "isReliableTimestamp: fractions": () => isReliableTimestamp(createMegabyte(".00"), 0),
  "decodeState: brackets and blanks": () =>
    decodeState(createMegabyte("}   "), createStoreNames("state.json")),
  "decodeState: blanks": () => decodeState(`{${gap}`, createStoreNames("state.json")),
  "decodeState: marks of a conflict": () =>
    decodeState(createMegabyte("<<<<<<\n"), createStoreNames("state.json")),
  "decodeState: an id": () =>
    decodeState(JSON.stringify({ version: 1, lineage: createMegabyte("/") }), createStoreNames("s")),
  "parseJournal: lines": () => parseJournal(createMegabyte("\n"), "journal"),
  "readPlan: blanks": () => readPlan(`{"format": "avatarops/saved-plan"${gap}`),
  "summarizeLeftOut: a quote that is never closed": () =>
    summarizeLeftOut({ left_out: [`"${createMegabyte('\\"')}`] }),
  "findUrlProblem: addresses in a setting": () => findUrlProblem(`s3://states/a?b=${createMegabyte("://")}`),
  "showUrl: a word that is not a scheme": () => showUrl(`1://${createMegabyte("a")}`),
  "findReasonNotAValue: variables that are never closed": () => findReasonNotAValue(createMegabyte("${{")),
  "findReasonNotAValue: words of shell variables": () =>
    findReasonNotAValue(createMegabyte("${a$(a$[a#{a{{")),
  "findReasonNotAValue: a shortened key": () => findReasonNotAValue(`${createMegabyte("a-")}!`),
  "findReasonNotAValue: a path of a reference": () =>
    findReasonNotAValue(`projects/${createMegabyte("a.")}!`),
  "toErrorDocument: capitals": () =>
    toErrorDocument(Object.assign(new Error("x"), { code: "a-b", [createMegabyte("A")]: 1 })),
  "toErrorDocument: a code": () =>
    toErrorDocument(Object.assign(new Error("x"), { code: `${createMegabyte("a-")}!` })),
  "recognize: digits": () =>
    matchFingerprint(new Sealed("x"), `v1:${createMegabyte("1")}`, { stateKey: "k" }, nodeSystem),
  "recognize: a salt": () =>
    matchFingerprint(new Sealed("x"), `v1:1,1,1:${createMegabyte("a")}`, { stateKey: "k" }, nodeSystem),
  "describe: a program": () =>
    describeSource({ from: "exec", command: ["a", createMegabyte("a-")], timeoutMs: 1 }),
  "findToken: objects": () => findToken({ a: Array.from({ length: 100_000 }, () => ({ a: {} })) }),
  "readKeys: a name": () => readKeys({ [createMegabyte("a")]: 1 }),
  "sumExactly: a million numbers": () => sumExactly(Array.from({ length: 1_000_000 }, (_, at) => at / 8)),
  "makeVisible: marks": () => makeVisible(`${marks}\u0007`),
  "makeVisible: joiners": () => makeVisible(createMegabyte("\u0627\u0301\u200d")),
  "makeVisible: joiners alone": () => makeVisible(createMegabyte("\u200d")),
  "makeVisible: emoji": () => makeVisible(createMegabyte("👩\u200d")),
  "makeVisible: keycaps": () => makeVisible(`${createMegabyte("1\ufe0f")}\u0007`),
  "markSpaces: blanks": () => markSpaces(gap),
  "splitGraphemes: marks": () => splitGraphemes(marks),
  "splitGraphemes: emoji": () => splitGraphemes(createMegabyte("👩🏽\u200d")),
  "splitUnits: marks": () => splitUnits(marks),
  "splitUnits: words": () => splitUnits(createMegabyte("a'")),
  "splitUnits: placeholders": () => splitUnits(createMegabyte("${")),
  "splitUnits: blanks": () => splitUnits(gap),
  "splitLines: line ends": () => splitLines(createMegabyte("\n")),
  "splitLines: one line": () => splitLines(createMegabyte("a")),
  "countWords: signs": () => countWords(createMegabyte("-")),
  "findProseFacts: placeholders": () => findProseFacts(createMegabyte("${a"), createMegabyte("${b")),
  "findProseFacts: blanks": () => findProseFacts(gap, `${gap}\u200b`),
  "chooseMarks: signs": () => chooseMarks(createMegabyte("-"), createMegabyte("+")),
  "chooseMarks: brackets": () => chooseMarks(createMegabyte("[-"), createMegabyte("{+")),
  "clip: wide letters": () => clip(createMegabyte("漢"), 80),
  "toCode: backticks": () => toCode(createMegabyte("` ")),
  "toSentence: quotes": () => toSentence(createMegabyte("'")),
  "toSentence: words": () => toSentence(`${createMegabyte("a-")}!`),
  "createNameGenerator: signs": () => createNameGenerator()(createMegabyte("-a-")),
  "splitMarkdown: lines": () => splitMarkdown(openSourceFile("a.md", `---\n${createMegabyte("--- -\n")}`)),
  "findTextEnd: line ends": () => findTextEnd(createMegabyte("\r\n")),
  "rewriteForCode: a command": () => rewriteForCode(createMegabyte("!exec [")),
  "rewriteForCode: a command in full": () => rewriteForCode(createMegabyte(" or !exec {")),
  "rewriteForCode: a file": () => rewriteForCode(createMegabyte("!file ./")),
  "rewriteForCode: an include": () => rewriteForCode(createMegabyte("include: [")),
  "rewriteForCode: fields": () => rewriteForCode(createMegabyte("a_")),
  "toCamelCase: fields": () => toCamelCase(createMegabyte("_a")),
  "redactSecretsInCode: names": () =>
    redactSecretsInCode(openSourceFile("a.ts", createMegabyte("apiKey ")), createCollector()),
  "formatEntries: lines": () => formatEntries({ a: createMegabyte("a\n") }),
  "parseFrames: positions": () => parseFrames(createStackedError(createMegabyte(" at :1:1"))),
  "parseFrames: brackets": () => parseFrames(createStackedError(` at ${createMegabyte("(")}:1:1)`)),
  "parseFrames: digits": () => parseFrames(createStackedError(` at /a:${createMegabyte("1")}`)),
  "parseFault: bodies": () => parseFault(`POST /a 200${createMegabyte(" body=")}`),
  "parseFault: a path": () => parseFault(`POST ${createMegabyte("/*")}? drop-after`),
  "parseFault: blanks": () => parseFault(gap),
  "parseBehavior: blanks": () => parseBehavior(gap),
  "parseDurationMs: digits": () => parseDurationMs(`${createMegabyte("1")}!`),
  "parseDurationMs: blanks": () => parseDurationMs(`1${gap}`),
  "createWholeNumberParser: digits": () => createWholeNumberParser(0)(`${createMegabyte("1")}!`),
  "identicalValue: halves": () => isIdentical(createMegabyte("\ud800"), createMegabyte("\ud800")),
};

function createStackedError(stack: string): Error {
  return Object.assign(new Error("x"), { stack });
}
