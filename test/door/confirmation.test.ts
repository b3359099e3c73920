import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TerminalIo } from "#doors/cli/command-table.ts";
import { git, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

/** Somebody at a terminal who gives one answer to all questions. */
function person(answer: boolean): { io: TerminalIo; asked: string[]; out: () => string } {
  let out = "";
  const asked: string[] = [];
  const io: TerminalIo = {
    isTerminal: true,
    hasColour: false,
    hasErrorColour: false,
    width: 1000,
    errorWidth: undefined,
    askKey: async () => false,
    onInterrupt: () => () => undefined,
    canAsk: true,
    out: (text) => void (out += text),
    err: (text) => void (out += text),
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
    stdin: async () => "",
    file: async () => "",
    save: async () => undefined,
  };
  return { io, asked, out: () => out };
}

/** A feature that changed a file; `isShared` lets a bugfix change the same one. */
async function rollBack(root: string, answer: boolean, { isShared = false, flags = [] as string[] } = {}) {
  git(root, "commit", "--quiet", "--allow-empty", "--message=First");
  fs.writeFileSync(join(root, "login.ts"), "before\n");
  const somebody = person(answer);
  using house = testHouse(root, { io: somebody.io, newId: () => crypto.randomUUID() });
  await house.run("feature", "Log in with a passkey", "--id", "AUTH-001", "--files", "login.ts");
  fs.writeFileSync(join(root, "login.ts"), "after\n");
  await house.run("workflow", "snapshot");
  if (isShared) {
    await house.run("bugfix", "Login fails", "--id", "BUG-042");
    await house.run("lock", "claim", "login.ts", "--force");
    fs.writeFileSync(join(root, "login.ts"), "after both\n");
  }
  const before = somebody.out().length;
  const { code } = await house.run("workflow", "rollback", "AUTH-001", "--snapshot", "1", ...flags);
  const said = somebody.out().slice(before);
  return { code, said, asked: somebody.asked, file: fs.readFileSync(join(root, "login.ts"), "utf8") };
}

test("shows the plan without a token before it asks", async () => {
  using repository = temporaryRepository();
  const { code, said, asked, file } = await rollBack(repository.path, true);
  expect([code, asked, file]).toEqual([0, ["Roll back?"], "before\n"]);
  expect(said).toContain("Nothing is changed yet.");
  expect(said).not.toContain("--confirm");
});

test("changes nothing after a no, and reports that", async () => {
  using repository = temporaryRepository();
  const { code, said, asked, file } = await rollBack(repository.path, false);
  expect([code, asked, file]).toEqual([0, ["Roll back?"], "after\n"]);
  expect(said).toMatch(/\nNothing was changed\.\n$/);
  expect(said).not.toContain("next:");
});

test("does not ask where another session changed the same file, and prints the command", async () => {
  using repository = temporaryRepository();
  const { code, said, asked, file } = await rollBack(repository.path, true, { isShared: true });
  expect([code, asked, file]).toEqual([0, [], "after both\n"]);
  expect(said).toMatch(/\nnext: tenon workflow rollback AUTH-001 --snapshot 1 --keep-overlaps --confirm \w+\n$/);
});

test("does not ask with --json", async () => {
  using repository = temporaryRepository();
  const { said, asked, file } = await rollBack(repository.path, true, { flags: ["--json"] });
  expect([JSON.parse(said), asked, file]).toEqual([expect.objectContaining({ done: false }), [], "after\n"]);
});
