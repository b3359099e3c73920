import { expect, test } from "vitest";
import { runStand } from "./run-stand.ts";

const WHAT = "Add a function that halves a number";
const CODE = "export const half = (n) => n / 2;\n";
const tests = (expected: number): string =>
  `import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), ${expected}));\n`;

test("--cap-usd stops at what agents really cost, also over several runs, and a new cap continues", async () => {
  using stand = await runStand({
    groups: {},
    cost: 0.6,
    work: [{ "src/half.mjs": CODE, "tests/half.mjs": tests(3) }, { "tests/half.mjs": tests(2) }],
  });
  const capped = "The cap is reached; all agents were stopped.";
  const first = await stand.start({ work: WHAT, cap_usd: 1 });
  expect([first.ended.startsWith(capped), first.landed, stand.countStarts()]).toEqual([true, 0, 2]);
  // Without a new cap the old one holds, with all that was used under it.
  const second = await stand.start({ work: WHAT });
  expect([second.ended.startsWith(capped), second.landed, stand.countStarts()]).toEqual([true, 0, 2]);
  const { notices: _, ...third } = await stand.start({ work: WHAT, cap_usd: 5 });
  expect(third).toMatchObject({ complete: true, landed: 1 });
  expect(stand.countStarts()).toBe(2);
});

test("a rate limit parks one kind of agent with its reason, and others go on", async () => {
  const acts = [
    { action: "architect", client: "claude", start: 1, act: "limit", text: "429 rate limit, retry after 2 seconds" },
  ];
  using stand = await runStand({ groups: { "tide-model": ["A"] }, acts });
  const { notices, ...output } = await stand.start({ agent: "claude=1", until: "wave" });
  expect(output).toMatchObject({ complete: true, failed: [], waiting: [] });
  expect(notices.filter(({ event }) => event === "parked")).toEqual([
    { event: "parked", agent: "claude", seconds: expect.any(Number), why: "429 rate limit, retry after 2 seconds" },
  ]);
});
