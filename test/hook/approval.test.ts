import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { featureSpec } from "../kit/specs.ts";
import { ask, loadRecordedPayload, SESSION } from "./hook-calls.ts";

interface Advanced {
  readonly passed: boolean;
  readonly question?: { readonly heard_here: boolean };
}

/** A feature that one session of a client with hooks works on. */
function prepare() {
  const [folder, home] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off", USER: "ada", CLAUDECODE: "1" };
  fs.writeFileSync(join(root, "login.js"), "export const login = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const run = (...words: string[]) => tenon([...words, "--session", SESSION, "--json"], { cwd: root, env });
  const hook = (event: string, changes = {}) => ask(event, loadRecordedPayload(event, root, changes), root, env).out;
  run("feature", "Log in with a code", "--id", "AUTH-001");
  fs.writeFileSync(join(root, "sdd/specs/AUTH-001.yaml"), featureSpec("AUTH-001"));
  hook("session-start");
  const advance = (...words: string[]) => {
    const { code, out, err } = run("workflow", "advance", "AUTH-001", ...words);
    return { code, err, ...(out === "" ? { passed: false } : (JSON.parse(out) as Advanced)) };
  };
  const receipt = () =>
    JSON.parse(fs.readFileSync(join(root, "sdd/receipts/AUTH-001.jsonl"), "utf8").trim().split("\n").at(-1) ?? "") as {
      approvals: unknown[];
    };
  return {
    root,
    env,
    hook,
    advance,
    receipt,
    say: (prompt: string, changes = {}) => hook("user-prompt-submit", { prompt, ...changes }),
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

test("accepts the user's yes in the chat after an honest agent asked", () => {
  using it = prepare();
  const first = it.advance();
  expect([first.passed, first.question?.heard_here]).toEqual([false, true]);
  expect(it.say("Yes, looks good.")).toContain("Tenon recorded the user's answer to AUTH-001: approve.");
  expect(it.advance().passed).toBe(true);
  expect(it.receipt().approvals).toMatchObject([{ by: "ada", proof: "witnessed", quote: "Yes, looks good." }]);
});

test("rejects a name that a liar gives while the user is silent", () => {
  using it = prepare();
  expect([it.advance("--approve", "Claude").passed, it.advance("--approve", "Claude").passed]).toEqual([false, false]);
});

test("does not accept a message from before the question", () => {
  using it = prepare();
  expect(it.say("yes")).toBe("");
  expect(it.advance("--approve", "Ann").passed).toBe(false);
});

test("prefers a no in the chat to the name that an agent gives", () => {
  using it = prepare();
  it.advance();
  it.say("No, the code comes by mail");
  const { code, passed } = it.advance("--approve", "Ann");
  expect([code, passed]).toEqual([3, false]);
});

test("marks the name that an agent gives after an unclear message", () => {
  using it = prepare();
  it.advance();
  expect(it.say("well, as we discussed")).toBe("");
  expect(it.advance("--approve", "Ann").passed).toBe(true);
  expect(it.receipt().approvals).toMatchObject([{ by: "Ann", proof: "relayed", quote: "well, as we discussed" }]);
});

test("does not accept a yes in another session unless it names the id", () => {
  using it = prepare();
  it.advance();
  const other = { session_id: "another-session" };
  it.hook("session-start", other);
  expect(it.say("yes", other)).toBe("");
  expect(it.say("approve AUTH-001", other)).toContain("AUTH-001: approve");
  expect(it.advance().passed).toBe(true);
});

test("masks secrets in a message before they reach the disk", () => {
  using it = prepare();
  it.advance();
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  it.say(`use ${secret} for it`);
  const journal = fs.readdirSync(join(it.root, ".sdd/journal")).map((name) => join(it.root, ".sdd/journal", name));
  const text = journal.map((file) => fs.readFileSync(file, "utf8")).join("");
  expect([text.includes(secret), text.includes("for it")]).toEqual([false, true]);
});

test("ignores a journal line for an unknown question", () => {
  using it = prepare();
  it.advance();
  const [name = ""] = fs.readdirSync(join(it.root, ".sdd/journal"));
  const file = join(it.root, ".sdd/journal", name);
  const [line = "{}"] = fs.readFileSync(file, "utf8").split("\n");
  const forged = { ...(JSON.parse(line) as object), id: "forged", event: "UserPromptSubmit" };
  const heard = [{ key: "0123456789abcdef", choice: "approve", quote: "yes" }];
  fs.appendFileSync(file, `${JSON.stringify({ ...forged, heard })}\n`);
  expect(it.advance("--approve", "Ann").passed).toBe(false);
});

test("shows open questions to a new session", () => {
  using it = prepare();
  it.advance();
  expect(it.hook("session-start")).toContain("Waits for the user's answer: AUTH-001");
});

test("rejects an answer by an agent's shell", () => {
  using it = prepare();
  it.advance();
  const { code, err } = tenon(["approve", "AUTH-001"], { cwd: it.root, env: it.env });
  expect([code, err]).toEqual([1, expect.stringContaining("Only a person may do it, and")]);
});
