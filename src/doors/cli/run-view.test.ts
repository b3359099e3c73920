import { expect, test } from "vitest";
import type { RunNotice } from "#running/operations/run-context.ts";
import { createRunView } from "./run-view.ts";

const STARTED = { role: "builder", about: "build group A: tide", agent: "claude" } as const;
const NOTICES: readonly RunNotice[] = [
  { event: "run", run: "run-1", branch: "main" },
  { event: "wave", wave: 1, features: 3, finished: 1 },
  { event: "started", action: "tide/build-A/1", ...STARTED },
  { event: "progress", action: "tide/build-A/1", tool: "Edit", tools: 2, tokens: 12_000, usd: 0.4 },
  { event: "question", action: "wave-1/gate", detail: "Go on?", choices: ["continue", "stop"] },
];

function show(notices: readonly RunNotice[], width: number | undefined, isJson = false) {
  let [out, err, now] = ["", "", 0];
  let interrupt: () => void = () => undefined;
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    errorWidth: width,
    onInterrupt: (act: () => void) => {
      interrupt = act;
      return () => undefined;
    },
  };
  const view = createRunView(io, isJson, () => now);
  for (const notice of notices) {
    now += 61_000;
    view.notice(notice);
  }
  return { interrupt: () => interrupt(), read: () => ({ out, err }), view };
}

/** The end of the screen. Each clearing removes the lines that were drawn before. */
const readScreen = (err: string, lines: number): string[] =>
  (err.split("\u001b[0J").at(-1) ?? "").trimEnd().split("\n").slice(-lines);

test("shows a line for each agent, the wave and open questions on a terminal", () => {
  const { read, view } = show(NOTICES, 120);
  expect(readScreen(read().err, 3)).toEqual([
    "claude  builder  build group A: tide  2 min  Edit  12,000 tokens $0.40",
    "wave 1: 1 of 3 features finished",
    "question: tenon approve wave-1/gate --answer continue|stop",
  ]);
  view.notice({ event: "ended", action: "tide/build-A/1", tokens: 12_000, usd: 0.4 });
  view.notice({ event: "done", action: "wave-1/gate", about: "gate", notes: [] });
  expect(readScreen(read().err, 2)).toEqual(["done: wave-1/gate (gate).", "wave 1: 1 of 3 features finished"]);
  view.end();
});

test("shows time, tool and costs of every agent in 80 columns, however long its feature is called", () => {
  const action = "wave-2/impl/B1/quality";
  const about = "review the quality of the implementation of transactions-export-for-accountants";
  const { read, view } = show(
    [
      { event: "started", action, role: "inspector-quality", about, agent: "claude" },
      {
        event: "progress",
        action,
        tool: "mcp__tenon__sdd_code_and_more_words",
        tools: 3,
        tokens: 1_234_567,
        usd: 12.5,
      },
    ],
    80,
  );
  expect(readScreen(read().err, 1)).toEqual([
    "claude  inspector-quality  review the…  1 min  sdd_code_an…  1.2M tokens $12.50",
  ]);
  view.end();
});

test("prints a line for each event without a terminal, and JSON on request", () => {
  const { read, view } = show(NOTICES, undefined);
  expect(read().err.trimEnd().split("\n")).toEqual([
    "run-1 lands on main.",
    "wave 1: 1 of 3 features finished",
    "started: tide/build-A/1 (claude), 1 agent at work",
    "question: tenon approve wave-1/gate --answer continue|stop Go on?",
  ]);
  view.end();
  const json = show(NOTICES, 120, true);
  expect([
    json.read().err,
    json
      .read()
      .out.trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ]).toEqual(["", NOTICES]);
});

test("an attached view shows how long agents have worked, and Ctrl-C leaves them at work", () => {
  const { read, view, interrupt } = show(
    [
      { event: "attached", run: "run-1" },
      { event: "started", action: "tide/build-A/1", ...STARTED, age_s: 600 },
    ],
    120,
  );
  expect(readScreen(read().err, 1)).toEqual(["claude  builder  build group A: tide  10 min  0 tokens"]);
  interrupt();
  expect([read().err.includes("Detaching. The run goes on."), read().err.includes("Stopping")]).toEqual([true, false]);
  expect(view.cancelled.aborted).toBe(true);
  view.end();
});
