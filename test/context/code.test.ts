import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { breakGround, type Checked, type Ground, type Suggested } from "./ground.ts";

function withCode(): Ground {
  const ground = breakGround();
  ground.write(
    "src/session.ts",
    [
      "/** Begins and ends sessions of people. @spec FR-001 */",
      "export class Session {",
      "  /** Refuses a password that is blank. */",
      "  login(password: string): boolean {",
      '    return password !== "";',
      "  }",
      "}",
      "",
    ].join("\n"),
  );
  ground.write(
    "src/invoice.ts",
    "// @spec FR-002\n\n\n\n\n\n/** Adds up an invoice. */\nexport const total = (): number => 0;\n",
  );
  return ground;
}

const code = ({ findings }: Suggested | Checked) =>
  findings.filter(({ kind }) => kind === "code").map(({ ref, title, text }) => [ref, title, text]);

test("starts a task with the related code", async () => {
  using ground = withCode();
  const found = await ground.run<Suggested>("context.suggest", {
    task_description: "Refuse a blank password at login",
  });
  expect(code(found)[0]).toEqual([
    "src/session.ts:3",
    "Session.login",
    "login(password: string): boolean\nRefuses a password that is blank.",
  ]);
});

test("shows a handwritten summary of code", async () => {
  using ground = withCode();
  ground.write("sdd/summaries.yaml", "src/session.ts#Session.login: Lets people in.\n");
  const found = await ground.run<Suggested>("context.suggest", {
    task_description: "Refuse a blank password at login",
  });
  expect(code(found)[0]?.[2]).toBe("login(password: string): boolean\nLets people in.");
});

test("lists code first that carries an id of the change", async () => {
  using ground = withCode();
  await ground.start("Blank passwords: FR-002 and FR-001 at login");
  const checked = await ground.run<Checked>("context.check", {});
  expect(code(checked).map(([ref, title]) => [ref, title])).toEqual([
    ["src/invoice.ts:1", "the file (FR-002)"],
    ["src/session.ts:1", "Session (FR-001)"],
    ["src/session.ts:3", "Session.login"],
  ]);
  const short = await ground.run<Checked>("context.check", { detail_level: "summary" });
  expect(code(short).map(([, , text]) => text)).toEqual([undefined, undefined, undefined]);
});

test("keeps a check valid when code changes", async () => {
  using ground = withCode();
  await ground.start("Blank passwords at login");
  const record = (): unknown => {
    const text = fs.readFileSync(join(ground.root, "sdd/changes/blank-passwords-at-login/change.json"), "utf8");
    return (JSON.parse(text) as { context_check?: { tree?: string } }).context_check?.tree;
  };
  await ground.run<Checked>("context.check", {});
  const before = record();
  ground.write("src/session.ts", "export const nothing = 1;\n");
  await ground.run<Checked>("context.check", {});
  expect([typeof before, record()]).toEqual(["string", before]);
});

test("counts the rest of too many files", async () => {
  using ground = withCode();
  for (let i = 0; i < 501; i++) ground.write(`src/many/m${i}.ts`, "export {};\n");
  const found = await ground.run<Suggested>("context.suggest", { task_description: "Refuse a blank password" });
  expect(found.findings.filter(({ kind, ref }) => kind === "skipped" && ref === "the index of code")).toEqual([
    {
      kind: "skipped",
      ref: "the index of code",
      text: "503 files of code are not indexed yet. The user can run: tenon index",
    },
  ]);
});
