/**
 * Tests a code host that does not show who set a status. No supported host is like this, so the test changes the
 * properties of Gitea.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostFacts } from "../../src/review/hosts/host-facts.js";
import { matchText } from "../cli/hosting.js";
import { createDeskFiles, listPrompts, merge, startChange } from "./change.js";
import { key } from "./team.js";

describe("code host that does not show who set a status", () => {
  const facts: { hasAnonymousStatuses?: boolean } = hostFacts.gitea;
  beforeEach(() => {
    facts.hasAnonymousStatuses = true;
  });
  afterEach(() => {
    delete facts.hasAnonymousStatuses;
  });

  const rejected = {
    exit: 1,
    stderr: matchText(
      "error[review-key] This code host does not show who set a status, so only signed reviews count. Set AVATAROPS_REVIEW_KEY only in the jobs that plan and apply",
    ),
  };

  test("requires the review key for review and apply --reviewed", async () => {
    const change = await startChange("gitea", createDeskFiles("Be kind."));
    expect(await change.review()).toMatchObject(rejected);
    expect(change.world.statuses).toEqual([]);
    expect(await change.review({}, "--dry-run")).toMatchObject({ exit: 0 });
    expect(await change.review(key)).toMatchObject({ exit: 0 });
    merge(change);
    expect(await change.apply()).toMatchObject(rejected);
    expect(listPrompts(change)).toEqual([]);
    expect(await change.apply(key)).toMatchObject({ exit: 0 });
    expect(listPrompts(change)).toEqual(["Be kind."]);
  });
});
