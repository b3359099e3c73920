import { expect, test } from "vitest";
import { appendJournalLines } from "#planning/adapters/journal-files.ts";
import { auditorSays, cutsOf, doWork } from "./agents.ts";
import { before, drive, type Otherwise } from "./roadmap-driver.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"], beta: ["A"] });
const PRODUCT = "# Product\n\n## User Intent\n\n### Vision\n\nA small shop.\n\n## Decision Log\n\nNone.\n";
const STEERING = { "sdd/steering/product.md": PRODUCT, "sdd/steering/tech.md": "# Technology\n\n- Node 24.\n" };
const PAIR = [{ name: "alpha" }, { name: "beta", dependencies: ["alpha"] }];

test.each([
  ["no", "Rejected for tech.md: Everything is logged"],
  ["yes please", "Approved for tech.md: Everything is logged"],
])("records the answer %s to a proposal as meant", async (answer, said) => {
  using stand = await roadmapStand(STEERING);
  await stand.roadmap(PAIR);
  await drive(stand, CUTS, (given) => {
    if (given.id.includes("/steering/")) return { stop: true };
    if (given.id !== "alpha/design/B1/auditor") return undefined;
    return { report: auditorSays("GO", given, [], "STEERING:\nPROPOSE|tech.md|Everything is logged") };
  });
  const { outcome } = await stand.report("alpha/steering/B1-1", { answer, said: "We have talked about it" });
  expect(outcome).toBe("applied");
  for (const path of ["sdd/handover/decisions.md", "sdd/steering/product.md", "sdd/handover/session.md"])
    expect([path, stand.read(path).includes(said)]).toEqual([path, true]);
});

test("closes a finding that the user rejected, and no brief requests it again", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(PAIR, { gate: true });
  const briefs = new Map<string, string>();
  await drive(stand, CUTS, (given) => {
    if (given.id === "alpha/structure/1") return { stop: true };
    if (given.id !== "alpha/design/B1/auditor") return undefined;
    return { report: auditorSays("NO-GO", given, ["C|spec-structure|Spec 1|Cut alpha into three features"]) };
  });
  await stand.report("alpha/structure/1", { answer: "reject", said: "One feature is fine" });
  expect(stand.read("sdd/features/alpha/reviews/B1.yaml")).toContain("waived");
  // The design is edited and reviewed again, so that its inspectors and auditor get their briefs after the answer.
  await drive(stand, CUTS, before("alpha/tasks"));
  const design = "sdd/features/alpha/design.md";
  stand.write(design, stand.read(design).replace("answers with its own name", "answers with another name"));
  for (let reviewed = false; !reviewed;) {
    for (const given of (await stand.next({ limit: 20 })).actions) {
      briefs.set(given.id, given.kind === "spawn" ? await stand.brief(given.id) : "");
      await stand.report(given.id, doWork(stand, CUTS, given));
      reviewed ||= given.id === "alpha/design/B2/auditor";
    }
  }
  expect([...briefs.keys()].filter((id) => /^alpha\/(architect|structure)/.test(id))).toEqual([]);
  // Later reviewers see the finding with the user's reason only.
  const waived =
    /C\|spec-structure\|Spec 1\|Cut alpha into three features\nWaived: The user rejects it: One feature is fine/g;
  expect(briefs.get("alpha/design/B2/auditor")).toMatch(waived);
  const asking = [...briefs].filter(([, text]) => text.replace(waived, "").includes("Cut alpha"));
  expect(asking.map(([id]) => id)).toEqual([]);
});

test("asks with the finding, its location, earlier tries and the effect of each answer", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(PAIR);
  await drive(stand, CUTS, (given) => {
    if (given.id.startsWith("alpha/escalation")) return { stop: true };
    if (!/alpha\/design\/B\d\/auditor/.test(given.id)) return undefined;
    return { report: auditorSays("NO-GO", given, ["C|missing-spec|Spec 1.AC1|Nobody says what happens at midnight"]) };
  });
  const { actions } = await stand.next();
  const [question] = actions as readonly { detail?: string }[];
  expect(question?.detail).toMatch(
    /Spec 1\.AC1: Nobody says what happens at midnight.*Tried: .*fix: .*skip: .*abort: /,
  );
  const asked = await stand.report("alpha/escalation/1", { answer: "hm, what would you do?" });
  expect([asked.outcome, asked.problems[0]?.problem]).toEqual([
    "refused",
    expect.stringContaining("fix or skip or abort"),
  ]);
  expect((await stand.report("alpha/escalation/1", { answer: "try again, please" })).outcome).toBe("applied");
});

test("neither charges a Builder for the user's changes during a run nor commits them", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(PAIR);
  await drive(stand, CUTS, before("alpha/build"));
  const given = await stand.given("alpha/build");
  stand.write("notes.txt", "mine\n");
  stand.write("src/add.mjs", `${stand.read("src/add.mjs")}// mine\n`);
  // A test run left this.
  stand.write("coverage/lcov.info", "TN:\n");
  const { outcome, notes } = await stand.report(given.id, doWork(stand, CUTS, given));
  expect([outcome, notes.join()]).toEqual([
    "applied",
    expect.stringContaining("notes.txt, src/add.mjs. Leave them alone."),
  ]);
});

test("accepts a number in the answer to a question about the cap", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(PAIR, { cap_tokens: 1_000 });
  const [question] = (await stand.next()).actions;
  expect((await stand.report(question?.id ?? "", { answer: "raise 5000000" })).outcome).toBe("applied");
});

test("offers actions of an ended session to the next one in the same call", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }]);
  const first = await stand.next({ session: "s1" });
  expect(first.actions.map(({ id }) => id)).toEqual(["alpha/architect/1", "beta/architect/1"]);
  expect((await stand.next({ session: "s2" })).actions).toEqual([]);
  const at = stand.engine.clock.now();
  for (const [i, event] of (["SessionStart", "SessionEnd"] as const).entries())
    appendJournalLines(stand.root, { id: String(i), event, session: "s1", at, steady: i, boot: "b", ms: 1 });
  const next = await stand.next({ session: "s2" });
  expect(next.actions.map(({ id }) => id)).toEqual(["alpha/architect/2", "beta/architect/2"]);
  expect(next.notes.join()).toContain("Session s1 ended.");
});

/** Drives on as `otherwise` says, and keeps each brief. */
async function readBriefs(stand: RoadmapStand, otherwise: Otherwise): Promise<ReadonlyMap<string, string>> {
  const briefs = new Map<string, string>();
  await drive(stand, CUTS, (given) => {
    if (given.brief) briefs.set(given.id, stand.read(given.brief));
    return otherwise(given);
  });
  return briefs;
}

test("gives the user's words to the next agents of the feature, and of no other", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(PAIR);
  const row = "C|missing-spec|Spec 1.AC1|Nobody says what happens at midnight";
  const fails: Otherwise = (given) =>
    /alpha\/design\/B[1-4]\/auditor/.test(given.id) ? { report: auditorSays("NO-GO", given, [row]) } : undefined;
  await drive(stand, CUTS, (given) => (given.id.startsWith("alpha/escalation") ? { stop: true } : fails(given)));
  await stand.report("alpha/escalation/1", { answer: "fix", said: "Count the days in UTC" });
  const briefs = await readBriefs(stand, before("beta/build"));
  const ids = [...briefs].filter(([, text]) => text.includes("### What the user decided about this feature"));
  expect(ids.map(([id]) => id)).toEqual(["alpha/architect/5", "alpha/tasks/1", "alpha/build-A/1"]);
  for (const [, text] of ids)
    expect(text).toMatch(/D\d+: ESCALATION_RESOLVED \| alpha: fix\n.*\n- Reason: Count the days in UTC/);
  expect(briefs.has("beta/tasks/1")).toBe(true);
});

test("gives an Architect the change that the user wants, and the name of the design that changed below", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(PAIR);
  await drive(stand, CUTS, before("beta/tasks"));
  const change = { feature: "alpha", description: "Answer in UTC", confirm: true };
  expect(await stand.run("feature.design", change)).toMatchObject({ passed: true, mode: "again" });
  const briefs = await readBriefs(stand, (given) => {
    if (given.id !== "alpha/architect/2") return undefined;
    const said = doWork(stand, CUTS, given);
    const path = "sdd/features/alpha/design.md";
    stand.write(path, stand.read(path).replace("its own name", "its own name in UTC"));
    return said;
  });
  expect(briefs.get("alpha/architect/2")).toContain("### What the user wants changed\n\n```text\nAnswer in UTC");
  expect(briefs.get("beta/architect/2")).toContain(
    "### Why it is designed again\n\n```text\nThe design of alpha changed since this one was made.",
  );
  expect(briefs.get("beta/architect/2")).toMatch(
    /design\.md\n[^`]*- 1\. .*its own name\.\n\+ 1\. .*its own name in UTC\./,
  );
});
