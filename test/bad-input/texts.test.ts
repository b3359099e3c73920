import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { NAMES } from "./corpus.ts";
import { canary, openDoors } from "./doors.ts";

const chirps = canary();

const TEXTS = NAMES.filter((name) => name.asText === "fine").map(({ name, text }) => [name, chirps.in(text)] as const);

/** Names that any file system takes, and nothing that a shell or git would read as something else. */
/** Letters of any script, because ids keep them. */
const SAFE = /^(?:[\p{L}\p{N}]|\.(?=[a-z]))[\p{L}\p{N}._-]*$/u;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const ACTS_ON_TERMINAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Each text takes every place that a text can have, from the description of a change to the reason for its end. */
test.each(TEXTS)("accepts %s in every text", async (_, text) => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  const title = text.slice(0, 200);
  const adr = { title, context: text, decision: text, rationale: text, alternatives_rejected: text };
  const outcomes = [
    await doors.mcp("change.start", { type: "fix", size: "small", description: text }),
    await doors.cli("adr.record", adr),
    await doors.mcp("adr.record", { ...adr, standalone: true }),
    await doors.cli("adr.status", { adr: "ADR-0001", status: "deprecated", reason: text }),
    await doors.cli("change.advance", { content: text, title }),
    await doors.mcp("change.reopen", { stage: "describe", reason: text }),
    await doors.mcp("change.abandon", { reason: text }),
  ];
  expect(outcomes).toEqual(outcomes.map(() => "ok"));
  expect(await doors.json("change.list", {})).toMatchObject({ changes: [{ description: text.trim() }], damaged: [] });
  expect(await doors.json("adr.list", {})).toMatchObject({ adrs: [{}, {}], damaged: [] });
  expect(await doors.json("workspace.validate", {})).toMatchObject({ problems: [] });
  const [change = ""] = fs.readdirSync(join(folder.path, "sdd", "changes"));
  for (const operation of ["workspace.status", "change.list", "adr.list"] as const) {
    expect(await doors.shown(operation, {})).not.toMatch(ACTS_ON_TERMINAL);
  }
  expect(await doors.shown("change.status", { change_id: change })).not.toMatch(ACTS_ON_TERMINAL);
  expect(await doors.mcp("change.archive", { change_id: change })).toBe("ok");
  const names = fs.readdirSync(folder.path, { recursive: true, encoding: "utf8" }).flatMap((path) => path.split("/"));
  expect(names.filter((name) => !SAFE.test(name) || name.length > 80)).toEqual([]);
});

test("starts separate changes for texts that look alike", async () => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  for (const description of ["caf\u00e9", "cafe\u0301", "Cafe", "CAFE", "\u0441afe"]) {
    expect(await doors.mcp("change.start", { type: "fix", size: "small", description, concurrent: true })).toBe("ok");
  }
  const ids = fs.readdirSync(join(folder.path, "sdd", "changes"));
  expect(ids).toHaveLength(5);
  expect(new Set(ids.map((id) => id.normalize("NFKC").toLowerCase())).size).toBe(5);
});

const task = (n: number): string => `TASK-${String(n).padStart(4, "0")}`;
const tasks = (count: number, after: (n: number) => string): string =>
  Array.from({ length: count }, (_, i) => `- [ ] ${task(i + 1)}: Do it${after(i + 1)}`).join("\n");

const TASKS: readonly (readonly [name: string, content: string, problems: number])[] = [
  ["H129 9,999 tasks", tasks(9_999, () => ""), 0],
  ["H129 a chain of 5,000", tasks(5_000, (n) => (n > 1 ? `, depends on ${task(n - 1)}` : "")), 0],
  ["H130 a circle of 5,000", tasks(5_000, (n) => `, depends on ${task((n % 5_000) + 1)}`), 1],
  ["H130 itself", tasks(1, () => ", depends on TASK-0001"), 1],
  ["H130 nothing", tasks(1, () => ", depends on TASK-0009"), 1],
];

test.each(TASKS)("reports a verdict, not a fault, for %s as tasks", async (_, content, problems) => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  await doors.mcp("change.start", { type: "fix", size: "small", description: "Fix login" });
  await doors.mcp("change.advance", { content: "It fails." });
  await doors.mcp("context.check", {});
  await doors.mcp("change.advance", { content: "## Findings\n\nNone.\n\n## Impact\n\nPatch." });
  const answer = (await doors.json("change.advance", { content })) as { passed: boolean; problems: unknown[] };
  expect([answer.passed, answer.problems.length]).toEqual([problems === 0, problems]);
});

/** Texts on which a careless pattern takes for ever. Each is read by every check there is. */
const SLOW: readonly (readonly [name: string, text: string])[] = [
  ["E77 a fence that does not end", `\`\`\`\n${"## Findings\n".repeat(10_000)}`],
  ["E84 headings without end", `${"#".repeat(200_000)} x`],
  ["E85 one line of 250,000 characters", `${"a".repeat(250_000)}!`],
  ["E86 a table of 5,000 columns", `${"| a ".repeat(5_000)}|\n${"|---".repeat(5_000)}|\n`],
  ["E82 comments in comments", "<!--".repeat(60_000)],
  ["E blanks without end", `#${" ".repeat(250_000)}x`],
  ["E marks without end", "- [ ] ".repeat(40_000)],
  ["E depends on depends on", "depends on ".repeat(20_000)],
  ["E numbers without end", `TASK-${"0".repeat(250_000)}`],
  ["E list marks", "* ".repeat(120_000)],
];

test.each(SLOW)("reads %s to its end", async (_, text) => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  const wide = `${text}\n\n## Findings\n\nx\n\n## Impact\n\nx\n`;
  await doors.mcp("change.start", { type: "feature", size: "large", description: "Search" });
  const outcomes = [
    await doors.mcp("change.advance", { content: wide.slice(0, 262_000) }),
    await doors.mcp("adr.record", { title: "T", context: text, decision: text, rationale: text }),
    await doors.mcp("adr.status", { adr: "ADR-001", status: "deprecated" }),
    await doors.mcp("context.check", {}),
    await doors.mcp("workspace.validate", {}),
  ];
  expect(outcomes).toEqual(outcomes.map(() => "ok"));
});

test("runs no command from the bad input", () => {
  expect(chirps.isAlive()).toBe(true);
});
