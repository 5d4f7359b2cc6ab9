// @module-tag night
/** Closing a drift pull request without merging it snoozes the edit until the live text changes again. */
import { expect, test } from "vitest";
import { guest } from "../review/stand-in.js";
import { branch, startTeam } from "./drift-hosting.js";

const ada = { id: 5, login: "ada" };

test.each(["github", "gitlab", "gitea"] as const)(
  "snoozes the edits in a drift pull request closed on %s",
  async (name) => {
    // test/review covers the differences between hosts.
    const team = await startTeam(name);
    const { project, host } = team;
    const edit = (prompt: string) => project.emulator.editContext("Support desk", { prompt });
    /** Closes the open pull request, as a user would on its page. */
    const close = (closedBy?: typeof ada) => {
      for (const pull of team.pulls())
        if (pull.open) Object.assign(pull, { open: false, closedBy, isBranchDeleted: true });
    };
    host.world.writers.push(ada);
    edit("Be very polite.");
    expect(await team.propose()).toMatchObject({ result: "opened" });
    expect(team.pulls()).toMatchObject([{ title: "Bring back 1 text edited elsewhere" }]);

    // A new pull request opens if an unknown user, avatarops or a reader closed the last one.
    for (const closer of [undefined, host.world.me, guest]) {
      close(closer);
      expect(await team.propose(), JSON.stringify(closer)).toMatchObject({ result: "opened" });
    }
    // Ignores a stranger's pull request with the same content and branch name.
    const [last] = team.pulls().slice(-1);
    if (last) host.world.pulls.push({ ...last, number: 9_999, author: guest, open: false, closedBy: ada });
    close(guest);
    expect(await team.propose()).toMatchObject({ result: "opened" });
    close(ada);
    const { number } = team.pulls().at(-1) ?? {};
    const snoozed = {
      address: "context.support",
      field: "prompt",
      reason: expect.stringContaining(`Pull request ${number}`),
    };
    expect(await team.propose()).toMatchObject({ exit: 2, result: "none", written: [], refused: [snoozed] });
    expect(team.pulls().filter(({ open }) => open)).toEqual([]);

    // Proposes only the edit to the other object, even in repeated runs.
    project.emulator.editContext("Sales desk", { prompt: "Be briefer.", opening_text: "Hello!" });
    const opened = await team.propose();
    expect(opened).toMatchObject({ result: "opened", refused: [snoozed] });
    expect(opened.written.map(({ address }) => address)).toEqual(["context.sales", "context.sales"]);
    expect(team.pulls().at(-1)?.title).toBe("Bring back 2 texts edited elsewhere");
    expect(await team.propose()).toMatchObject({ result: "unchanged" });
    team.merge(branch);

    // Naming the object overrides the snooze. A different text counts as a new edit.
    expect(await team.propose("context.support")).toMatchObject({ result: "opened", refused: [] });
    close(ada);
    expect(await team.propose()).toMatchObject({ result: "none" });
    edit("Be polite and brief.");
    expect(await team.propose()).toMatchObject({
      result: "opened",
      written: [{ address: "context.support" }],
    });
    expect(host.problems).toEqual([]);
  },
);
