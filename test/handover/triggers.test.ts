import { expect, test } from "vitest";
import { architectSays } from "../roadmap/agents.ts";
import type { OperationId } from "#doors/catalogue.ts";
import { DECISIONS, handoverStand, type HandoverStand, SESSION } from "./stand.ts";

const CUT = { feature: "tide-table", groups: ["A"] };
const PLAN = [{ name: "tide-table", description: "Skippers see the tides" }];
const DESIGN = { feature: "tide-table", description: "Skippers see the tides" };

type Call = readonly [OperationId, Record<string, unknown>];
const ROADMAP: Call = ["roadmap.manage", { action: "create", features: PLAN }];
const BEGUN: readonly Call[] = [
  ["feature.design", DESIGN],
  ["roadmap.next", {}],
];
const DESIGNED: readonly Call[] = [
  ...BEGUN,
  ["roadmap.report", { action: "tide-table/architect/1", report: architectSays(CUT) }],
];
const KEPT = "sdd/handover/sessions/2026-01-31.md";

/** The table of the seed: what is done, which files that writes, and what the log gets. Knowledge has tests of its own. */
const TRIGGERS: readonly (readonly [
  what: string,
  before: readonly Call[],
  trigger: Call,
  files: readonly string[],
  types: readonly string[],
])[] = [
  ["design", [], ["feature.design", DESIGN], [SESSION], []],
  ["an accepted design", BEGUN, DESIGNED[2] as Call, [SESSION], []],
  ["impl", DESIGNED, ["feature.impl", { feature: "tide-table" }], [SESSION], []],
  ["roadmap create", [], ROADMAP, [SESSION], []],
  ["roadmap run", [ROADMAP], ["roadmap.manage", { action: "run" }], [SESSION], []],
  [
    "roadmap stop",
    [ROADMAP, ["roadmap.manage", { action: "run" }]],
    ["roadmap.manage", { action: "stop" }],
    [SESSION],
    [],
  ],
  [
    "roadmap update",
    [ROADMAP],
    [
      "roadmap.manage",
      { action: "update", features: [...PLAN, { name: "log-in", description: "In" }], apply: ["all"] },
    ],
    [DECISIONS, SESSION],
    ["DIRECTION_CHANGE"],
  ],
  [
    "roadmap delete",
    [ROADMAP],
    ["roadmap.manage", { action: "delete", confirm: "RESET" }],
    [DECISIONS, SESSION],
    ["DIRECTION_CHANGE"],
  ],
  [
    "a waived finding",
    DESIGNED,
    ["review.waive", { scope: "tide-table", batch: "B1", finding: "F1", reason: "The port knows" }],
    [DECISIONS, SESSION],
    ["USER_DECISION"],
  ],
  ["steering", [], ["steering.manage", { action: "create" }], [DECISIONS, SESSION], ["STEERING_UPDATE"]],
  [
    "a changed direction",
    [["steering.manage", { action: "create", vision: "Tides" }]],
    ["steering.manage", { action: "update", vision: "Tides for all" }],
    [DECISIONS, SESSION],
    ["DIRECTION_CHANGE"],
  ],
  [
    "a user's decision",
    [],
    ["handover.decide", { summary: "SQLite", reason: "One truth" }],
    [DECISIONS, SESSION],
    ["USER_DECISION"],
  ],
  [
    "handover",
    [["feature.design", DESIGN]],
    ["handover.write", { accomplished: "Begun" }],
    [DECISIONS, SESSION, KEPT],
    ["SESSION_END"],
  ],
  ["an assignment", [["feature.design", DESIGN]], ["roadmap.next", {}], [], []],
  ["reading the roadmap", [ROADMAP], ["roadmap.manage", {}], [], []],
  ["the questions of a handover", [ROADMAP], ["handover.write", {}], [], []],
  ["the brief to resume by", [ROADMAP], ["handover.write", { resume: true }], [], []],
];

async function play(stand: HandoverStand, calls: readonly Call[]): Promise<void> {
  for (const [id, input] of calls) await stand.run(id, input);
}

test.each(TRIGGERS)("%s writes exactly the files in the table", async (_, before, trigger, files, types) => {
  using stand = await handoverStand();
  await play(stand, before);
  const [was, known] = [stand.files(), stand.decisions().length];
  await play(stand, [trigger]);
  const is = stand.files();
  expect(Object.keys(is).filter((path) => is[path] !== was[path])).toEqual(files);
  expect(
    stand
      .decisions()
      .slice(known)
      .map(({ type }) => type),
  ).toEqual(types);
  // A draft says so; what somebody handed over does not.
  const isDraft = stand.has(SESSION) && stand.session().isDraft;
  expect(isDraft).toBe(stand.has(SESSION) && !files.includes(KEPT));
});

test.each(TRIGGERS.filter(([what]) => !what.startsWith("handover")))(
  "%s reaches the next session once",
  async (_, before, trigger) => {
    using stand = await handoverStand();
    await play(stand, [...before, trigger]);
    const isKept = Object.keys(stand.files()).length > 0;
    for (let i = 0; i < 2; i++) await stand.begin("monday");
    const starts = stand.decisions().filter(({ type }) => type === "SESSION_START");
    expect(starts.map(({ summary }) => summary)).toEqual(isKept ? ["Session monday started"] : []);
  },
);

test("writes nothing without a handover and a roadmap", async () => {
  using stand = await handoverStand();
  await stand.run("change.start", { type: "fix", size: "small", description: "Fix it" });
  await stand.begin("monday");
  expect(stand.files()).toEqual({});
});

test("starts a session with the earlier decisions", async () => {
  using stand = await handoverStand();
  await stand.run("handover.decide", { summary: "SQLite", reason: "One truth" });
  expect(stand.session()).toMatchObject({ continuing: [], added: ["1. SQLite: One truth (D1)"] });
  await stand.begin("monday");
  expect(stand.session()).toMatchObject({ continuing: ["1. SQLite: One truth (D1)"], added: [] });
  await stand.run("handover.decide", { summary: "No SQL", reason: "Slow" });
  expect(stand.session()).toMatchObject({
    continuing: ["1. SQLite: One truth (D1)"],
    added: ["1. No SQL: Slow (D3)"],
  });
});
