import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";

const REQUIREMENTS = "sdd/requirements.md";
const DOCUMENT =
  "# Requirements\r\n\r\n## Must have\r\n\r\n- **FR-001**: The shop shall sell.\r\n- **FR-002**: It shall ship.\r\n\r\nWords.\r\n";

interface Shop extends Disposable {
  readonly house: TestHouse;
  write(path: string, text: string): void;
  read(path: string): string;
  has(path: string): boolean;
  record(path: string): ChangeRecord;
  /** Runs a command that must succeed and gives its JSON. */
  json(...words: string[]): Promise<Record<string, unknown>>;
  /** A change of that name, with its spec written. */
  begin(name: string, deltas: string): Promise<Record<string, unknown>>;
  /** The rest of its stages. */
  finish(name: string): Promise<void>;
}

function shop(document: string | undefined = DOCUMENT): Shop {
  const folder = temporaryRepository();
  const house = testHouse(folder.path);
  const write = (path: string, text: string): void => {
    fs.mkdirSync(join(folder.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(folder.path, path), text);
  };
  const read = (path: string): string => fs.readFileSync(join(folder.path, path), "utf8");
  const json = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await house.run(...words, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return JSON.parse(out) as Record<string, unknown>;
  };
  const advance = (name: string, content: string, ...more: string[]) =>
    json("change", "advance", "--change-id", name, "--content", content, ...more);
  if (document !== "") write(REQUIREMENTS, document);
  return {
    house,
    write,
    read,
    has: (path) => fs.existsSync(join(folder.path, path)),
    record: (path) => JSON.parse(read(path)) as ChangeRecord,
    json,
    async begin(name, deltas) {
      await json("change", "start", name, "--type", "fix", "--size", "medium", "--concurrent");
      await advance(name, "Something is wrong.");
      await json("context", "check", "--change-id", name);
      await advance(name, "## Findings\n- none\n\n## Impact\nnone");
      return advance(name, spec(deltas));
    },
    async finish(name) {
      await advance(name, "- TASK-001: do it");
      const { deltas = [] } = JSON.parse(read(`sdd/changes/${name}/change.json`)) as ChangeRecord;
      const lines = deltas.map(({ id }) => `- ${id}: not in code: only the words change`);
      const evidence = ["## Evidence", "- TASK-001: done", ...lines].join("\n");
      await advance(name, evidence, "--no-code", "Only the words change");
    },
    [Symbol.dispose]() {
      house[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

const spec = (deltas: string): string => `## Requirements\n${deltas}\n\n## Acceptance criteria\n- It works.`;
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

test("stamps a delta with its base text, and applies it when the change is archived", async () => {
  using at = shop();
  await at.begin(
    "sell",
    "### MODIFIED\n- FR-001: The shop shall sell well.\n### ADDED\n- FR-003 (should): It shall buy.",
  );
  expect(at.record("sdd/changes/sell/change.json").deltas).toEqual([
    {
      op: "modified",
      id: "FR-001",
      text: "The shop shall sell well.",
      was: "The shop shall sell.",
      base: hash("The shop shall sell."),
    },
    { op: "added", id: "FR-003", priority: "should", text: "It shall buy.", was: "", base: hash("") },
  ]);
  await at.finish("sell");
  expect(at.read(REQUIREMENTS)).toBe(DOCUMENT);
  expect(await at.json("change", "archive", "sell")).toMatchObject({
    passed: true,
    documents: [REQUIREMENTS],
    merged: [
      { id: "FR-001", how: "applied" },
      { id: "FR-003", how: "applied" },
    ],
  });
  expect(at.read(REQUIREMENTS)).toBe(
    `${DOCUMENT.replace("shall sell.", "shall sell well.")}\r\n## Should have\r\n\r\n- **FR-003**: It shall buy.\r\n`,
  );
  expect(at.record("sdd/history/sell/change.json").merged).toHaveLength(2);
  const engine = await at.house.house.open({});
  const events = await engine.store.events(0);
  expect(events.findLast(({ kind }) => kind === "change.archived")?.data).toEqual({
    merged: [
      { id: "FR-001", how: "applied" },
      { id: "FR-003", how: "applied" },
    ],
    documents: [REQUIREMENTS],
  });
  // Who asks memory is told what holds now.
  const project = await engine.project();
  const memory = await engine.memory();
  const topic_key = `sdd/${project ? await memory.projectName(project) : ""}/specify`;
  const kept = project && (await memory.topic({ project, scope: "project", namespace: "", topic_key }));
  expect([kept?.title, kept?.content.includes("shall sell well.")]).toEqual(["requirements", true]);
});

test("creates missing documents from additions", async () => {
  using at = shop("");
  await at.begin("begin", "### ADDED\n- FR-001: It shall begin.\n- BR-001: When it begins, then it ends.");
  await at.finish("begin");
  await at.json("change", "archive", "begin");
  expect(at.read(REQUIREMENTS)).toBe("# Requirements\n\n## Must have\n\n- **FR-001**: It shall begin.\n");
  expect(at.read("sdd/business-rules.md")).toBe(
    "# Business rules\n\n## Constraints\n\n- **BR-001**: When it begins, then it ends.\n",
  );
});

test("writes no document for a plain spec or an abandoned change", async () => {
  using at = shop("");
  await at.begin("plain", "- FR-001: It shall be plain.");
  expect(at.record("sdd/changes/plain/change.json").deltas).toBe(undefined);
  await at.finish("plain");
  await at.json("change", "archive", "plain");
  expect(at.has(REQUIREMENTS)).toBe(false);
  await at.begin("given-up", "### ADDED\n- FR-001: It shall not be.");
  await at.json("change", "abandon", "given-up", "--reason", "No");
  expect(await at.json("change", "archive", "given-up")).toMatchObject({ passed: true, merged: [] });
  expect(at.has(REQUIREMENTS)).toBe(false);
  // What never came into the world is free.
  await at.begin("again", "### ADDED\n- FR-001: It shall be.");
});

test("names other changes of the same ids, and never assigns an archived id again", async () => {
  using at = shop();
  await at.begin("first", "### REMOVED\n- FR-001: It lends.\n### RENAMED\n- FR-002 → FR-003");
  expect(
    await at.begin("second", "### MODIFIED\n- FR-001: It shall sell more.\n- FR-002: It shall ship more."),
  ).toMatchObject({
    overlaps: [
      { id: "FR-001", op: "modified", change: "first", other_op: "removed" },
      { id: "FR-002", op: "modified", change: "first", other_op: "renamed" },
    ],
  });
  await at.finish("first");
  await at.json("change", "archive", "first");
  at.write(REQUIREMENTS, "# Requirements\n\n- **FR-004**: All else was deleted by hand.\n");
  await at.json("change", "start", "third", "--type", "fix", "--size", "medium", "--concurrent");
  await at.json("change", "advance", "--change-id", "third", "--content", "Words.");
  await at.json("context", "check", "--change-id", "third");
  await at.json("change", "advance", "--change-id", "third", "--content", "## Findings\n- x\n\n## Impact\nnone");
  // Under a heading of deltas and outside of one, the advice is the same.
  for (const again of ["### ADDED\n- FR-003: Again.", "- FR-003: Again."]) {
    const words = ["change", "advance", "--change-id", "third", "--content", spec(again)];
    const { code, out } = await at.house.run(...words);
    const told = "FR-003 was removed; add it under a new id. The next free one is FR-005.";
    expect({ code, isTold: out.includes(told) }).toEqual({ code: 3, isTold: true });
  }
});

test("rejects a conflict and writes nothing, and accepts a new spec against the current text", async () => {
  using at = shop();
  await at.begin("sell", "### MODIFIED\n- FR-001: The shop shall sell well.\n- FR-002: It shall ship well.");
  await at.finish("sell");
  const edited = DOCUMENT.replace("The shop shall sell.", "The shop shall lend.");
  at.write(REQUIREMENTS, edited);
  const before = at.read("sdd/changes/sell/change.json");
  const { code, out } = await at.house.run("change", "archive", "sell", "--json");
  expect({ code, ...(JSON.parse(out) as object) }).toMatchObject({
    code: 3,
    passed: false,
    documents: [],
    conflicts: [
      {
        id: "FR-001",
        why: "Its text changed in the meantime.",
        was: "The shop shall sell.",
        now: "The shop shall lend.",
        wants: "The shop shall sell well.",
        choices: ["document", "change"],
      },
    ],
  });
  expect([at.read(REQUIREMENTS), at.read("sdd/changes/sell/change.json")]).toEqual([edited, before]);
  await at.json("change", "reopen", "sell", "--stage", "spec", "--reason", "It lends now");
  await at.json("change", "advance", "--content", spec("### MODIFIED\n- FR-001: The shop shall sell and lend."));
  expect(at.record("sdd/changes/sell/change.json").deltas).toMatchObject([
    { id: "FR-001", was: "The shop shall lend." },
  ]);
  await at.json("change", "advance", "--keep");
  await at.json("change", "advance", "--keep", "--no-code", "Only the words change");
  await at.json("change", "archive", "sell");
  expect(at.read(REQUIREMENTS)).toBe(edited.replace("shall lend.", "shall sell and lend."));
});

test("keeps the base text of an unchanged delta, and stores none without deltas", async () => {
  using at = shop();
  await at.begin("sell", "### MODIFIED\n- FR-001: The shop shall sell well.");
  at.write(REQUIREMENTS, DOCUMENT.replace("The shop shall sell.", "The shop shall lend."));
  await at.json("change", "reopen", "sell", "--stage", "spec", "--reason", "Look again");
  await at.json("change", "advance", "--keep");
  expect(at.record("sdd/changes/sell/change.json").deltas).toMatchObject([{ was: "The shop shall sell." }]);
  await at.json("change", "reopen", "sell", "--stage", "spec", "--reason", "Say both");
  await at.json("change", "advance", "--content", spec("### MODIFIED\n- FR-001: The shop shall sell and lend."));
  expect(at.record("sdd/changes/sell/change.json").deltas).toMatchObject([{ was: "The shop shall lend." }]);
  await at.json("change", "reopen", "sell", "--stage", "spec", "--reason", "Nothing to do");
  await at.json("change", "advance", "--content", spec("- **FR-002**: It shall ship."));
  expect(at.record("sdd/changes/sell/change.json").deltas).toBe(undefined);
});

test("applies the change's text where that was decided, and records it", async () => {
  using at = shop();
  await at.begin("lend", "### REMOVED\n- FR-001: It lends.");
  await at.finish("lend");
  at.write(REQUIREMENTS, DOCUMENT.replace("shall sell.", "shall sell well."));
  await at.json("change", "archive", "lend", "--decisions", "FR-001=change");
  expect(at.read(REQUIREMENTS)).toContain(
    "- **FR-001**: It lends.\r\n  (removed by lend) Was: The shop shall sell well.\r\n",
  );
  expect(at.record("sdd/history/lend/change.json").merged).toEqual([{ id: "FR-001", how: "change" }]);
});

test("rejects a spec that was edited by hand after its check", async () => {
  using at = shop();
  await at.begin("sell", "### MODIFIED\n- FR-001: The shop shall sell well.");
  await at.finish("sell");
  const path = "sdd/changes/sell/spec.md";
  at.write(path, at.read(path).replace("sell well", "sell badly"));
  const { code, err } = await at.house.run("change", "archive", "sell");
  expect({ code, isTold: err.startsWith("error[change.spec-edited]: sell cannot be archived.") }).toEqual({
    code: 1,
    isTold: true,
  });
  expect((await at.house.run("validate")).out).toContain(
    `${path}: Its deltas are not the checked ones: reopen the stage`,
  );
  at.write(path, at.read(path).replace("- FR-001: ", "- "));
  expect((await at.house.run("validate")).out).toContain(`${path}:3: It has no id`);
});

test("reports an id that two branches assigned", async () => {
  using at = shop();
  at.write(REQUIREMENTS, `${DOCUMENT}- FR-001: Again.\n`);
  at.write("sdd/business-rules.md", "- BR-001: When a, then b.\n- BR-001: When c, then d.\n");
  expect(await at.house.run("validate")).toMatchObject({
    code: 3,
    out: [
      "2 problems in 2 items.",
      "",
      "- sdd/requirements.md:9: FR-001 is defined twice: give one of them the next free number.",
      "- sdd/business-rules.md:2: BR-001 is defined twice: give one of them the next free number.",
      "",
    ].join("\n"),
  });
});

test("reports an archived change the second time, and suggests nothing that rewrites history", async () => {
  using at = shop();
  await at.begin("again", "### MODIFIED\n- FR-001: The shop shall sell more.");
  await at.finish("again");
  await at.json("change", "archive", "again");
  const { code, err } = await at.house.run("change", "archive", "again");
  expect([code, err]).toEqual([1, expect.stringContaining("error[flow.archived]")]);
});

test("checks the references of handwritten documents too", async () => {
  using at = shop();
  at.write("sdd/design.md", "## Components\n\n### Till\n\nCarries FR-001, FR-077 and BR-0001.\n");
  const { code, out } = await at.house.run("validate", "--json");
  expect([code, JSON.parse(out)]).toMatchObject([
    3,
    {
      problems: [
        { path: "sdd/design.md", problem: "FR-077 refers to nothing: no requirement has that id.", line: 5 },
        { path: "sdd/design.md", problem: "BR-0001 refers to nothing: no business rule has that id.", line: 5 },
      ],
    },
  ]);
});

test("does not remove a conflict by confirming the spec", async () => {
  using at = shop();
  for (const [name, hours] of [
    ["four", "four"],
    ["five", "five"],
  ] as const) {
    await at.begin(name, `### MODIFIED\n- FR-001: The shop shall sell for ${hours} hours.`);
    await at.finish(name);
  }
  await at.json("change", "archive", "four");
  const before = at.read(REQUIREMENTS);
  expect((await at.house.run("change", "archive", "five")).code).toBe(3);
  await at.json("change", "reopen", "five", "--stage", "spec", "--reason", "Look again");
  for (const stage of ["spec", "tasks", "verify"])
    await at.json("change", "advance", "--keep", ...(stage === "verify" ? ["--no-code", "Only the words change"] : []));
  const { code, out } = await at.house.run("change", "archive", "five", "--json");
  expect([code, JSON.parse(out)]).toMatchObject([3, { passed: false, conflicts: [{ id: "FR-001" }] }]);
  expect(at.read(REQUIREMENTS)).toBe(before);
});

test("reports conflict marks of git once", async () => {
  using at = shop();
  const sides = "<<<<<<< HEAD\n- FR-006: Wrap.\n=======\n- FR-006: Ship.\n>>>>>>> other\n";
  at.write(REQUIREMENTS, `# Requirements\n\n${sides}`);
  expect((await at.house.run("validate")).out).toBe(
    [
      "1 problem in 1 item.",
      "",
      "- sdd/requirements.md:3: A merge left conflict marks here: keep the right text, remove the marks, then check again.",
      "",
    ].join("\n"),
  );
});
