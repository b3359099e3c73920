import { expect, test } from "vitest";
import { git, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { commitAll, put } from "../kit/repository.ts";

const bug = (id: string, status: string, resolved: string): string => `schema_version: 2
id: ${id}
type: bug
title: The clock of ${id} is wrong
status: ${status}
symptom:
  description: It shows 9:5.
metadata:
  resolved: ${resolved}
`;
const ADR = ["--context", "Two stores drift", "--decision", "One file", "--rationale", "One truth", "--standalone"];
const FIX = ["--type", "fix", "--size", "small"];

/** A repository in which some things were finished before a tag, and some after it. */
async function stand() {
  const repository = temporaryRepository();
  const root = repository.path;
  const house = testHouse(root);
  const run = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await house.run(...words);
    if (code !== 0) throw new Error(`${words.join(" ")}: ${out}${err}`);
    return out;
  };
  const change = async (title: string): Promise<void> => {
    await run("change", "start", title, ...FIX);
    await run("change", "advance", "--content", "It fails.");
    await run("context", "check");
    await run("change", "advance", "--content", "## Findings\n\nNone.\n\n## Impact\n\nPatch.");
    await run("change", "advance", "--content", "- TASK-001: Mend it");
    await run(
      "change",
      "advance",
      "--content",
      "## Evidence\n\nTASK-001: 1 passed.",
      "--no-code",
      "Nothing is built here",
    );
    await run("change", "archive");
  };
  put(root, "sdd/specs/BUG-001.yaml", bug("BUG-001", "done", "2026-01-30"));
  await change("Fix the door");
  await run("adr", "record", "One door", ...ADR);
  process.env["GIT_COMMITTER_DATE"] = house.clock.now();
  commitAll(root);
  delete process.env["GIT_COMMITTER_DATE"];
  git(root, "tag", "v1");
  return {
    root,
    house,
    run,
    change,
    [Symbol.dispose]: () => {
      house[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}

test("lists work that records show as finished since a tag or a day, and nothing else", async () => {
  using it = await stand();
  await it.change("Fix the window");
  await it.run("adr", "record", "One window", ...ADR, "--supersedes", "ADR-0001");
  await it.run("change", "start", "Fix the roof", ...FIX);
  put(it.root, "sdd/specs/BUG-002.yaml", bug("BUG-002", "done", "2026-01-31"));
  put(it.root, "sdd/specs/BUG-003.yaml", bug("BUG-003", "specified", "null"));
  put(it.root, "sdd/history/broken/change.json", "{}");
  expect(await it.run("release-notes", "--since", "v1")).toMatchInlineSnapshot(`
    "# Finished work since v1

    ## Bugs fixed

    - **BUG-002**: The clock of BUG-002 is wrong

    ## Changes

    - **fix-the-window**: Fix the window (fix)

    ## Decisions

    - **ADR-0002**: One window (replaces ADR-0001)

    <!-- sdd/history/broken/change.json cannot be read: Its checksum does not match: it was edited by hand, or a merge joined two versions. -->
    "
  `);
  expect(await it.run("release-notes", "v1")).toBe(await it.run("release-notes", "--since", "v1"));
  const all = await it.run("release-notes");
  expect([all.includes("BUG-001"), all.includes("fix-the-door"), all.includes("fix-the-roof")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await it.run("release-notes", "--since", "2026-02-28")).toContain("Nothing.");
});

test.each(["v2", "--all", "HEAD; rm -rf /", "2026-13-01", "@{99}"])("rejects %s as a time", async (since) => {
  using it = await stand();
  const { code, err } = await it.house.run("release-notes", `--since=${since}`);
  expect([code, err]).toEqual([1, expect.stringContaining("release.unknown-since")]);
});
