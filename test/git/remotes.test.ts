import { describe, expect, test } from "vitest";
import {
  findOriginUrl,
  isSameRepository,
  parseRepositoryName,
  readRepositoryPath,
} from "../../src/base/git/index.js";

describe("readRepositoryPath", () => {
  test.each([
    ["git@github.com:Team/Avatars.git", "team/avatars"],
    ["https://x-access-token:t0ken@github.com/team/avatars", "team/avatars"],
    ["https://github.com/team/avatars.git/", "team/avatars"],
    ["ssh://git@git.example.com:2222/team/avatars.git", "team/avatars"],
    ["git@git.example.com:/team/avatars", "team/avatars"],
    ["git@[::1]:team/avatars.git", "team/avatars"],
    ["gh:team/avatars", "team/avatars"],
    ["https://dev.azure.com/Team/My%20Bots/_git/avatars", "team/my bots/_git/avatars"],
    ["https://git.example.com/%zz", "%zz"],
    ["git@git.example.com:avatars", "avatars"],
  ])("maps %s to the path %s", (url, path) => {
    expect(readRepositoryPath(url)).toBe(path);
  });

  test.each([
    ...[
      "",
      "/srv/avatars.git",
      "./avatars",
      "../a:b",
      "file:///srv/avatars.git",
      "C:\\avatars",
      "C:/avatars",
    ],
    ...["https://git.example.com", "codecommit::eu-west-1://avatars", "ext::sh -c x/y"],
  ])("returns undefined for %j", (url) => {
    expect(readRepositoryPath(url)).toBeUndefined();
  });

  test.each([
    "https://ci:s3cret@git.example.com/team/avatars",
    "https://ci:s3/cret@git.example.com/team/avatars",
    "https://ci:a/s3cret#b@git.example.com/team/avatars",
    "https://ci:a?s3cret/b@git.example.com/team/avatars",
    "https://git.example.com/team/avatars?private_token=s3cret",
    "https://git.example.com/team/avatars#s3cret",
  ])("returns no credentials from %s", (url) => {
    expect(readRepositoryPath(url)).toBe("team/avatars");
  });
});

test("recognizes the same repository despite the code host's path prefix", () => {
  const same = [
    ["team/avatars", "team/avatars"],
    ["git/team/avatars", "team/avatars"],
    ["scm/team/avatars", "team/avatars"],
    ["v3/org/bots/avatars", "org/bots/_git/avatars"],
  ] as const;
  const other = [
    ["team/avatars", "mallory/avatars"],
    ["team/avatars", "team/voices"],
    ["avatars", "team/avatars"],
  ] as const;
  for (const [one, two] of same)
    expect([isSameRepository(one, two), isSameRepository(two, one)]).toEqual([true, true]);
  for (const [one, two] of other)
    expect([isSameRepository(one, two), isSameRepository(two, one)]).toEqual([false, false]);
});

test("finds the URL of origin or of the only remote", () => {
  const url = (remote: string, at: string) => [`remote.${remote}.url`, at] as const;
  expect(findOriginUrl([url("team", "a"), url("origin", "b"), url("origin", "c")])).toBe("b");
  expect(findOriginUrl([url("git.lab", "a"), ["remote.git.lab.fetch", "+refs/heads/*"]])).toBe("a");
  expect(findOriginUrl([url("one", "a"), url("two", "b")])).toBeUndefined();
  expect(findOriginUrl([["user.name", "Ada"]])).toBeUndefined();
});

test.each([
  ["git@git.example.com:Team/Avatars.git", "team/avatars"],
  ["file:///srv/avatars.git", "avatars"],
  ["file:///srv/our%20avatars/.git", "our avatars"],
  ["/srv/avatars/", "avatars"],
  ["../avatars", "avatars"],
  ["C:\\work\\avatars.git", "avatars"],
  ["", undefined],
  ["https://ci:s3cret@git.example.com", undefined],
])("maps the URL %j to the repository name %j", (url, name) => {
  expect(parseRepositoryName(url)).toBe(name);
});
