import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { ask, SILENT, verdict } from "./hook-calls.ts";

const HASH = "a".repeat(64);
const DECISION = /^Blocked: this would trust commands of the repository\. .* Ask the user to run: tenon trust\./;
const TOUCHED = /^Blocked: this file holds the user's trust decisions\. .* Ask the user to run: tenon trust/;

const shell = (command: string) => ({ tool_name: "Bash", tool_input: { command } });

test.each([`tenon trust --confirm ${HASH}`, "tenon trust --revoke", `tenon gate --trust ${HASH}`])(
  "does not let an agent run %s, inside or outside a workspace",
  (command) => {
    using repository = temporaryRepository();
    using folder = temporaryFolder();
    for (const cwd of [repository.path, folder.path]) {
      expect(verdict(ask("pre-tool-use", shell(command), cwd))).toMatch(DECISION);
    }
  },
);

test("lets an agent show trust and run unrelated commands", () => {
  using repository = temporaryRepository();
  for (const command of ["tenon trust", "tenon trust --json", "npm test"]) {
    expect(ask("pre-tool-use", shell(command), repository.path)).toEqual(SILENT);
  }
  expect(fs.readdirSync(repository.path)).toEqual([".git"]);
});

test("does not let an agent edit the trusted data under any name", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const env = { TENON_HOME: home.path };
  fs.symlinkSync(home.path, join(repository.path, "link"));
  const write = (file_path: string) =>
    verdict(
      ask("pre-tool-use", { tool_name: "Write", tool_input: { file_path, content: "{}" } }, repository.path, env),
    );
  // The folder need not be there yet.
  for (const isThere of [false, true]) {
    if (isThere) fs.mkdirSync(join(home.path, "trust"));
    for (const path of [join(home.path, "trust/x.json"), "link/trust/x.json", join(home.path, "a/../trust/x.json")]) {
      expect(write(path)).toMatch(TOUCHED);
    }
  }
  expect(write(join(home.path, "other.json"))).toBe("allowed");
  expect(verdict(ask("pre-tool-use", shell(`rm ${home.path}/trust/x.json`), repository.path, env))).toMatch(TOUCHED);
});

test("does not let an agent waive a finding or approve a skill for its user", () => {
  using repository = temporaryRepository();
  const said = (command: string) => verdict(ask("pre-tool-use", shell(command), repository.path));
  expect(said("tenon review waive login B1 F1 --reason fine")).toMatch(/would waive a review finding/);
  expect(said("tenon knowledge approve parsing")).toMatch(/would approve a skill/);
  expect(said("tenon knowledge skills")).toBe("allowed");
});
