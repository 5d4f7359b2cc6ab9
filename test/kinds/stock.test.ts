/** Tests the search for stock objects by name. All accounts share them, and each list is read once. */
import { expect, test } from "vitest";
import { findKind, findStock } from "../../src/core/kinds/index.js";
import { createSuccess, type Reply, startRawService } from "../api/raw-service.js";

const createEntry = (id: string, name: string) => ({ id, name, gender: "starlight", status: "HIBERNATING" });
const avatars = [
  createEntry("a-1", "Ann Therapist"),
  createEntry("a-2", "Ann at a desk"),
  createEntry("a-3", "Bryan"),
];
const twins = [createEntry("v-1", "June"), createEntry("v-2", "June"), createEntry("v-3", "Wayne")];
const createPage = (results: object[]): Reply =>
  createSuccess({ count: results.length, results, next: null });

const start = async (more: readonly Reply[] = []) => {
  const left = [...more];
  const { service, heard } = await startRawService(
    ({ url }) => left.shift() ?? createPage(url.startsWith("/v1/voices") ? twins : avatars),
  );
  const find = (kind: string, name: string) => {
    const found = findKind(kind, "liveavatar");
    if (!found) throw new Error(`No kind ${kind}`);
    return findStock(found, service, name);
  };
  return { find, heard };
};

test.each<[string, string, string, object]>([
  ["a unique name", "avatar", "Ann Therapist", { id: "a-1" }],
  ["a name of two objects", "voice", "June", { problem: 'there are 2 stock voices called "June"' }],
  ["a name of two objects, with both ids", "voice", "June", { hint: expect.stringContaining("v-1, v-2") }],
  ["a name in another case", "voice", "wayne", { hint: 'did you mean "Wayne"?' }],
  ["a misspelled name", "avatar", "Bryam", { hint: 'did you mean "Bryan"?' }],
  [
    "the first word of a name",
    "avatar",
    "Ann",
    {
      problem: 'the service has no stock avatar named "Ann"',
      hint: 'there are "Ann Therapist", "Ann at a desk", "Bryan"',
    },
  ],
  ["an unknown name", "avatar", "Zebulon", { hint: 'there are "Ann Therapist", "Ann at a desk", "Bryan"' }],
])("looks up a stock object by %s", async (_what, kind, name, found) => {
  const { find } = await start();
  expect(await find(kind, name)).toMatchObject(found);
});

test("reads each stock list once, and the avatar list without the API key", async () => {
  const { find, heard } = await start();
  await Promise.all(["Bryan", "Ann Therapist"].map((name) => find("avatar", name)));
  await find("voice", "Wayne");
  await find("voice", "Nobody");
  expect(heard.map(({ url, headers }) => [url, "x-api-key" in headers])).toEqual([
    ["/v1/avatars/public?page=1&page_size=100", false],
    ["/v1/voices?voice_type=public&page=1&page_size=100", true],
  ]);
});

test("names the required profile if the service has no stock list", async () => {
  const { find } = await start([{ status: 404, body: { code: 404, data: null, message: "Not Found" } }]);
  await expect(find("avatar", "Bryan")).rejects.toThrow("correct or remove profile");
});
