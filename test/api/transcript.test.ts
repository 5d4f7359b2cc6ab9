import { expect, test } from "vitest";
import { catchFailure, createSuccess, startRawService } from "./raw-service.js";

const createLine = (at: number, transcript = `${at}`) => ({
  role: "user",
  transcript,
  absolute_timestamp: at,
});
const createUntimedLine = (transcript: string) => ({ role: "user", transcript });
const createPage = (
  next_timestamp: number | null,
  session_active: boolean,
  ...transcript_data: object[]
) => ({
  session_active,
  next_timestamp,
  transcript_data,
});

test.each<[what: string, pages: ReturnType<typeof createPage>[], lines: object[], starts: (string | null)[]]>(
  [
    [
      "in one page",
      [createPage(null, false, createLine(1), createLine(2))],
      [createLine(1), createLine(2)],
      [null],
    ],
    ["without lines", [createPage(null, false)], [], [null]],
    [
      "in pages",
      [
        createPage(3, false, createLine(1), createLine(2)),
        createPage(5, false, createLine(3)),
        createPage(null, false, createLine(5)),
      ],
      [createLine(1), createLine(2), createLine(3), createLine(5)],
      [null, "3", "5"],
    ],
    [
      "with a pause of a page",
      [createPage(3, false, createLine(1)), createPage(9, false), createPage(null, false, createLine(9))],
      [createLine(1), createLine(9)],
      [null, "3", "9"],
    ],
    [
      "of an active session",
      [createPage(2, true, createLine(1)), createPage(7, true)],
      [createLine(1)],
      [null, "2"],
    ],
    [
      "with overlapping pages",
      [createPage(2, false, createLine(1), createLine(2)), createPage(2, false, createLine(2))],
      [createLine(1), createLine(2)],
      [null, "2"],
    ],
    [
      "with a repeated last page",
      [createPage(2, false, createLine(1), createLine(2))],
      [createLine(1), createLine(2)],
      [null, "2"],
    ],
    [
      "with pages that go back in time",
      [createPage(9, false, createLine(1)), createPage(4, false, createLine(2))],
      [createLine(1), createLine(2)],
      [null, "9", "4"],
    ],
    [
      "with the same line twice",
      [createPage(null, false, createLine(1, "Yes."), createLine(1, "Yes."))],
      [createLine(1, "Yes."), createLine(1, "Yes.")],
      [null],
    ],
    [
      "without times, with the same line on a later page",
      [
        createPage(3, false, createUntimedLine("Yes."), createUntimedLine("No.")),
        createPage(null, false, createUntimedLine("Yes."), createUntimedLine("Yes.")),
      ],
      [
        createUntimedLine("Yes."),
        createUntimedLine("No."),
        createUntimedLine("Yes."),
        createUntimedLine("Yes."),
      ],
      [null, "3"],
    ],
    [
      "without times, with a repeated last page",
      [createPage(2, false, createUntimedLine("Yes."))],
      [createUntimedLine("Yes.")],
      [null, "2"],
    ],
  ],
)("reads each line once from a transcript %s", async (_, pages, lines, starts) => {
  await using raw = await startRawService(pages.map(createSuccess));
  expect(await raw.service.sessions.readTranscript("s-1")).toEqual({
    session_active: pages.at(-1)?.session_active,
    transcript_data: lines,
  });
  const asked = raw.heard.map(({ url }) => new URL(url, "http://x").searchParams.get("start_timestamp"));
  expect(asked).toEqual(starts);
});

test("gives up on an endless transcript", async () => {
  let at = 0;
  await using raw = await startRawService(() => createSuccess(createPage(++at, false, createLine(at))));
  expect((await catchFailure(raw.service.sessions.readTranscript("s-1"))).message).toContain(
    "the transcript does not end",
  );
  expect(raw.heard).toHaveLength(1_000);
});

test.each([
  {},
  { transcript_data: null },
  { transcript_data: ["Hello"] },
  { transcript_data: [{ role: 1 }] },
])("rejects a malformed transcript: %j", async (data) => {
  await using raw = await startRawService([createSuccess(data)]);
  expect((await catchFailure(raw.service.sessions.readTranscript("s-1"))).message).toContain(
    " at data.transcript_data",
  );
});

test.each([
  {},
  { credits_left: null },
  { credits_left: "many" },
  { credits_left: "1e3" },
  { credits_left: "" },
])("rejects credits that are not a decimal number: %j", async (data) => {
  await using raw = await startRawService([createSuccess(data)]);
  expect((await catchFailure(raw.service.sessions.readCredits())).message).toContain(
    " at data.credits_left:",
  );
});
