import { expect, test } from "vitest";
import { catchFailure, createSuccess, startRawService } from "./raw-service.js";

const line = (at: number, transcript = `${at}`) => ({ role: "user", transcript, absolute_timestamp: at });
const untimed = (transcript: string) => ({ role: "user", transcript });
const page = (next_timestamp: number | null, session_active: boolean, ...transcript_data: object[]) => ({
  session_active,
  next_timestamp,
  transcript_data,
});

test.each<[what: string, pages: ReturnType<typeof page>[], said: object[], starts: (string | null)[]]>([
  ["in one page", [page(null, false, line(1), line(2))], [line(1), line(2)], [null]],
  ["without lines", [page(null, false)], [], [null]],
  [
    "in pages",
    [page(3, false, line(1), line(2)), page(5, false, line(3)), page(null, false, line(5))],
    [line(1), line(2), line(3), line(5)],
    [null, "3", "5"],
  ],
  [
    "with a pause of a page",
    [page(3, false, line(1)), page(9, false), page(null, false, line(9))],
    [line(1), line(9)],
    [null, "3", "9"],
  ],
  ["of an active session", [page(2, true, line(1)), page(7, true)], [line(1)], [null, "2"]],
  [
    "with overlapping pages",
    [page(2, false, line(1), line(2)), page(2, false, line(2))],
    [line(1), line(2)],
    [null, "2"],
  ],
  ["with a repeated last page", [page(2, false, line(1), line(2))], [line(1), line(2)], [null, "2"]],
  [
    "with pages that go back in time",
    [page(9, false, line(1)), page(4, false, line(2))],
    [line(1), line(2)],
    [null, "9", "4"],
  ],
  [
    "with the same line twice",
    [page(null, false, line(1, "Yes."), line(1, "Yes."))],
    [line(1, "Yes."), line(1, "Yes.")],
    [null],
  ],
  [
    "without times, with the same line on a later page",
    [page(3, false, untimed("Yes."), untimed("No.")), page(null, false, untimed("Yes."), untimed("Yes."))],
    [untimed("Yes."), untimed("No."), untimed("Yes."), untimed("Yes.")],
    [null, "3"],
  ],
  [
    "without times, with a repeated last page",
    [page(2, false, untimed("Yes."))],
    [untimed("Yes.")],
    [null, "2"],
  ],
])("reads each line once from a transcript %s", async (_, pages, said, starts) => {
  await using raw = await startRawService(pages.map(createSuccess));
  expect(await raw.service.sessions.transcript("s-1")).toEqual({
    session_active: pages.at(-1)?.session_active,
    transcript_data: said,
  });
  const asked = raw.heard.map(({ url }) => new URL(url, "http://x").searchParams.get("start_timestamp"));
  expect(asked).toEqual(starts);
});

test("gives up on an endless transcript", async () => {
  let at = 0;
  await using raw = await startRawService(() => createSuccess(page(++at, false, line(at))));
  expect((await catchFailure(raw.service.sessions.transcript("s-1"))).message).toContain(
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
  expect((await catchFailure(raw.service.sessions.transcript("s-1"))).message).toContain(
    ", at data.transcript_data",
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
  expect((await catchFailure(raw.service.sessions.credits())).message).toContain(", at data.credits_left:");
});
