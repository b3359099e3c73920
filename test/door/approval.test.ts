import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect, VERSIONS, type Version } from "../kit/client.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { featureSpec } from "../kit/specs.ts";

interface Answer {
  readonly passed: boolean;
  readonly question?: { readonly question: string };
}
type Receipt = { readonly approvals?: readonly Record<string, unknown>[] };
type User = NonNullable<Parameters<typeof connect>[1]["user"]>;

/** A feature at its first stage, whose spec is complete. */
function prepare() {
  const [folder, home] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off", USER: "ada" };
  fs.writeFileSync(join(root, "login.js"), "export const login = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const { code, err } = tenon(["feature", "Log in with a code", "--id", "AUTH-001"], { cwd: root, env });
  if (code !== 0) throw new Error(err);
  fs.writeFileSync(join(root, "sdd/specs/AUTH-001.yaml"), featureSpec("AUTH-001"));
  const open = async (version: Version, user?: User) => {
    const connection = await connect(version, {
      cwd: root,
      env,
      words: ["--toolsets", "all", "--workspace", root],
      ...(user ? { user } : {}),
    });
    const advance = async (input: Record<string, unknown> = {}) => {
      const result = await connection.call("sdd_workflow_advance", { id: "AUTH-001", ...input });
      const [content] = result.content;
      return {
        ...(result.structuredContent as Answer),
        text: content?.type === "text" ? content.text : "",
      };
    };
    return { advance, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
  };
  const receipts = (): Receipt[] => {
    const file = join(root, "sdd/receipts/AUTH-001.jsonl");
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Receipt]));
  };
  return {
    root,
    env,
    open,
    receipts,
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

test.each(VERSIONS)("a client with forms asks within the call (%s)", async (version) => {
  using it = prepare();
  const shown: [string, readonly string[]][] = [];
  await using session = await it.open(version, (message, choices) => {
    shown.push([message, choices]);
    return { action: "accept", content: { answer: "approve" } };
  });
  const { passed } = await session.advance();
  expect([passed, shown]).toEqual([
    true,
    [
      [
        "AUTH-001 (Log in with a code): do you approve the goal of the feature?\nRead sdd/specs/AUTH-001.yaml before you answer.",
        ["approve", "reject"],
      ],
    ],
  ]);
  expect(it.receipts().at(-1)?.approvals).toMatchObject([{ by: "ada", proof: "elicited", client: "test" }]);
});

test.each([
  ["declines", { action: "decline" } as const, "The user declined."],
  ["closes the form", { action: "cancel" } as const, "The user closed the question without an answer."],
  ["rejects", { action: "accept", content: { answer: "reject", reason: "By mail" } } as const, "By mail."],
])("the answer of a user who %s counts more than an agent's name", async (_, result, reason) => {
  using it = prepare();
  let asked = 0;
  await using session = await it.open("2025-11-25", () => {
    asked++;
    return result;
  });
  const first = await session.advance();
  const second = await session.advance({ approve: "Ann" });
  expect([first.passed, second.passed, asked, it.receipts()]).toEqual([false, false, 1, []]);
  expect(second.text).toContain(`ada did not approve the goal of the feature: ${reason}`);
});

test.each(["2025-06-18", "2025-11-25"] as const)(
  "the stage stays open without an answer, and the answer names the next step (%s)",
  async (version) => {
    using it = prepare();
    await using session = await it.open(version, () => {
      throw new Error("The window is gone.");
    });
    const { passed, text } = await session.advance({ approve: "Ann" });
    expect([passed, it.receipts()]).toEqual([false, []]);
    expect(text).toContain("ask the user to run: tenon approve AUTH-001");
  },
);

test("a client without forms relays a name, and verify and ci show the mark", async () => {
  using it = prepare();
  await using session = await it.open("2025-11-25");
  expect((await session.advance()).text).toContain("ask the user to run: tenon approve AUTH-001");
  expect((await session.advance({ approve: "Santa Claus" })).passed).toBe(true);
  expect(it.receipts().at(-1)?.approvals).toMatchObject([{ by: "Santa Claus", proof: "relayed", client: "test" }]);
  const mark = "The approval of discover by Santa Claus is unproved: an agent reported it (AUTH-001.R-1).";
  const run = (...words: string[]) => tenon(words, { cwd: it.root, env: it.env });
  expect(run("verify").out).toContain(mark);
  const [mild, strict] = [run("ci", "--json"), run("ci", "--strict", "--json")];
  const find = ({ out }: { out: string }) =>
    (JSON.parse(out) as { findings: { kind: string; level: string; problem: string }[] }).findings.filter(
      ({ kind }) => kind === "unproved",
    );
  expect(find(mild)).toMatchObject([{ level: "warning", problem: mark }]);
  expect([strict.code, find(strict)]).toMatchObject([1, [{ level: "error" }]]);
});
