import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { lock, session, stage, workflow } from "../test/kit/at-work.ts";
import { ownHouse } from "../test/kit/own-house.ts";

export const HOOK_CASES: readonly {
  readonly what: string;
  readonly event: string;
  readonly payload: (root: string) => Record<string, unknown>;
}[] = [
  { what: "edit recorded", event: "post-tool-use", payload: (root) => createEditPayload(root, "src/new.ts") },
  {
    what: "edit allowed, 200 locks",
    event: "pre-tool-use",
    payload: (root) => createEditPayload(root, "src/new.ts"),
  },
  {
    what: "edit rejected, 200 locks",
    event: "pre-tool-use",
    payload: (root) => createEditPayload(root, "src/100.ts"),
  },
  { what: "prompt", event: "user-prompt-submit", payload: () => ({ prompt: "Go on." }) },
  { what: "unproven claim answered", event: "stop", payload: () => ({ last_assistant_message: "All tests pass." }) },
  { what: "session start", event: "session-start", payload: () => ({ source: "startup" }) },
  { what: "session end", event: "session-end", payload: () => ({ reason: "other" }) },
];

const createEditPayload = (root: string, path: string): Record<string, unknown> => ({
  tool_name: "Edit",
  tool_input: { file_path: join(root, path), old_string: "a", new_string: "b" },
});

export async function createBusyWorkspace(): Promise<string> {
  const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  fs.mkdirSync(join(folder, "sdd"));
  const house = ownHouse(folder);
  await stage(await house.open({ argument: folder }), {
    workflows: [workflow("AUTH-001", "feature"), workflow("BUG-001", "bugfix")],
    sessions: [session("default", { current: "AUTH-001" })],
    locks: Array.from({ length: 200 }, (_, i) => lock("BUG-001", `src/${i}.ts`)),
  });
  house.close();
  return folder;
}
