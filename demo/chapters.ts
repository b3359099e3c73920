import type { ScriptedAgents } from "./agents.ts";
import type { DemoStage } from "./stage.ts";

export async function playRepositoryChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("repository");
  await stage.git("init", "--quiet");
  // Tenon commits records under the user's name, which a new machine does not have yet.
  await stage.git("config", "user.name", "Demo");
  await stage.git("config", "user.email", "demo@example.com");
  await stage.tenon("init");
  for (const [path, text] of await stage.texts("repository")) stage.write(path, text);
  await stage.commit("Begin");
  const shown = await stage.ask("trust");
  const trusted = await stage.ask("trust", "--confirm", String(shown["hash"]));
  stage.promises.hold(
    "Tenon runs no command of a repository before the user has seen and trusted it",
    [shown["state"], JSON.stringify(shown["commands"]).includes("node --test"), trusted["state"]],
    ["untrusted", true, "recorded"],
  );
}

export async function playRoadmapChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("roadmap");
  await stage.tenon("steering", "create", "--vision", "Nobody queues for a ticket");
  await stage.tenon("roadmap", "create", "--input", "roadmap.json");
  await stage.tenon("roadmap", "run");
  const waves = ["fares", "tickets"].map((name) => stage.value(`sdd/features/${name}/spec.yaml`, "roadmap", "wave"));
  stage.promises.hold("Dependencies between features decide the waves", waves, [1, 2]);
}

/** Tenon names a gap in a design. Inspectors with five views and an auditor review the complete one. */
export async function playDesignChapter(stage: DemoStage, agents: ScriptedAgents): Promise<void> {
  await stage.chapter("design");
  const given = await agents.playUntil(/^fares\/architect\//);
  const whole = await stage.text("fares", "design");
  stage.write("sdd/features/fares/design.md", whole.replace("## Overview", "## Summary"));
  stage.write("sdd/features/fares/research.md", await stage.text("fares", "research"));
  const said = { report: await agents.says("architect", { feature: "fares" }) };
  const { outcome, problems } = await agents.tell(given, said);
  stage.promises.hold(
    "Tenon reads a design itself and names the missing section",
    [outcome, problems.some(({ problem }) => problem.includes('"## Overview" is missing'))],
    ["refused", true],
  );
  stage.write("sdd/features/fares/design.md", whole);
  const again = await agents.tell(given, said);
  await agents.playUntil(/^fares\/tasks\//);
  const review = "sdd/features/fares/reviews/B1.yaml";
  const inspectors = stage.value(review, "inspectors");
  stage.promises.hold(
    "Inspectors review the design from five views before any code, and their findings decide the verdict",
    [again.outcome, Array.isArray(inspectors) && inspectors.length, stage.value(review, "verdict")],
    ["applied", 5, "GO"],
  );
}

const FARES_RECORD = "sdd/features/fares/spec.yaml";

/** The Builder claims files that do not exist, then passing tests that fail. */
export async function playLiarChapter(stage: DemoStage, agents: ScriptedAgents): Promise<void> {
  await stage.chapter("liar");
  const given = await agents.playUntil(/^fares\/build-/);
  const said = { report: await agents.says("builder", { feature: "fares" }) };
  const before = stage.read(FARES_RECORD);
  const nothing = await agents.tell(given, said);
  await agents.build("fares", "wrong code");
  const failing = await agents.tell(given, said);
  stage.promises.hold(
    "Tenon rejects a Builder's claim if its files are missing or its tests fail",
    [nothing.outcome, failing.outcome, failing.problems.some(({ problem }) => problem.includes("a child pays half"))],
    ["refused", "refused", true],
  );
  stage.promises.hold("A rejected report changes no record", stage.read(FARES_RECORD) === before, true);
  await agents.build("fares");
  const honest = await agents.tell(given, said);
  const gate = await agents.playUntil(/^fares\/gate\//);
  const { receipt } = await agents.finish(gate);
  const kept = stage.read("sdd/features/fares/receipts.jsonl");
  stage.promises.hold(
    "Tenon accepts the true report; the gate runs the tests and writes a receipt with the criteria",
    [honest.outcome, receipt, ["fares.S1.AC1", "fares.S1.AC2"].every((criterion) => kept.includes(criterion))],
    ["applied", "fares.R-1", true],
  );
  await agents.playUntil(/^tickets\/tasks\//);
}

export async function playCrashChapter(stage: DemoStage, agents: ScriptedAgents): Promise<void> {
  await stage.chapter("crash");
  const given = await agents.playUntil(/^tickets\/build-/);
  await agents.build("tickets");
  const said = { report: await agents.says("builder", { feature: "tickets" }) };
  const underWay = Promise.withResolvers<void>();
  const cut = agents.report(given, said, underWay.resolve).then(
    ({ outcome }) => outcome,
    () => "cut off",
  );
  await Promise.race([underWay.promise, cut]);
  await stage.kill();
  agents.forget();
  stage.note(`> ${given.id}: ${await cut}`);
  const healthy = await stage.tenon("doctor");
  const again = await agents.next();
  stage.note(`> ${again?.id ?? "nothing"} is assigned again`);
  stage.promises.hold(
    "After kill -9 nothing is lost, and the agent gets the same action again",
    [await cut, healthy.code, again?.id, again?.again],
    ["cut off", 0, given.id, true],
  );
  const taken = await agents.report(given, said);
  const repeated = await agents.report(given, said);
  stage.promises.hold(
    "Tenon applies a report once, however often an agent sends it",
    [taken.outcome, repeated.outcome],
    ["applied", "repeated"],
  );
}

/** A Critical of an inspector sends the work back to the Builder that owns the file. */
export async function playReviewChapter(stage: DemoStage, agents: ScriptedAgents): Promise<void> {
  await stage.chapter("review");
  const finding = (await stage.text("tickets", "finding")).trim();
  const inspector = await agents.playUntil(/^tickets\/impl\/B\d+\/(?!auditor)/);
  await agents.finish(inspector, { report: await agents.inspects(inspector, finding) });
  stage.note(`> ${inspector.id}: ${finding}`);
  const auditor = await agents.playUntil(/^tickets\/impl\/B\d+\/auditor/);
  const verdict = await agents.says("auditor", { feature: "tickets", finding, verdict: "NO-GO" });
  await agents.finish(auditor, { report: verdict });
  const mending = await agents.playUntil(/^tickets\/(?!impl)/);
  const batch = `sdd/features/tickets/reviews/${/B\d+/.exec(auditor.id)?.[0]}.yaml`;
  const found = stage.value(batch, "verdict");
  await agents.build("tickets", "mended code", "mended test");
  await agents.finish(mending, { report: await agents.says("builder", { feature: "tickets" }) });
  await agents.playUntil(/^wave-2\//);
  stage.promises.hold(
    "A Critical finding is a NO-GO, its file's Builder fixes it, and the next review says GO",
    [found, mending.id, stage.value("sdd/features/tickets/spec.yaml", "reviews", "implementation", "verdict")],
    ["NO-GO", "tickets/build-A/2", "GO"],
  );
  await agents.playAll();
}

const BUG_ID = "BUG-001";
const BUG_SPEC = `sdd/specs/${BUG_ID}.yaml`;
const [CODE, TEST, OTHERS] = ["src/clock.js", "test/clock.test.js", "README.md"];

interface AdvanceResult {
  readonly passed?: boolean;
  readonly checks?: readonly { readonly problems?: readonly { readonly problem: string }[] }[];
}

async function advanceBugfix(
  stage: DemoStage,
  ...words: readonly string[]
): Promise<{ passed: unknown; problems: string[] }> {
  const { passed, checks = [] } = (await stage.ask("workflow", "advance", BUG_ID, ...words)) as AdvanceResult;
  const problems = checks.flatMap(({ problems: own = [] }) => own.map(({ problem }) => problem));
  // A failed test is easier to follow than a missing item.
  const told = problems.find((problem) => problem.startsWith("test/")) ?? problems[0];
  stage.note(told === undefined ? "  The gate passed." : `  Rejected. ${told}`);
  return { passed, problems };
}

export async function playBugfixChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("bugfix");
  stage.write(OTHERS, `${stage.read(OTHERS)}\nThe last ferry leaves at 23:10.\n`);
  await stage.tenon("bugfix", "Five past nine is shown as 9:5", "--id", BUG_ID, "--files", `${CODE},${TEST}`);
  stage.write(BUG_SPEC, await stage.text("bug", "spec"));
  const silent = await advanceBugfix(stage);
  const agreed = [await advanceBugfix(stage, "--approve", "Ada"), await advanceBugfix(stage, "--approve", "Ada")];
  stage.promises.hold(
    "The user approves the cause and the plan of a fix before code changes",
    [silent.passed, ...agreed.map(({ passed }) => passed)],
    [false, true, true],
  );
}

/** The first fix is wrong. Only its own files are restored. */
export async function playRollbackChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("rollback");
  const before = [CODE, OTHERS].map((path) => stage.read(path));
  stage.write(CODE, await stage.text("bug", "wrong turn"));
  const refused = await advanceBugfix(stage);
  const to = ["workflow", "rollback", BUG_ID, "specify-fix"];
  const plan = await stage.ask(...to);
  await stage.ask(...to, "--confirm", String(plan["token"]));
  stage.promises.hold(
    "A rollback restores the workflow's own files and no others",
    [refused.passed, plan["restored"], ...[CODE, OTHERS].map((path, i) => stage.read(path) === before[i])],
    [false, [BUG_SPEC, CODE], true, true],
  );
}

export async function playFixChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("fix");
  await advanceBugfix(stage, "--approve", "Ada");
  stage.write(CODE, await stage.text("bug", "code"));
  const untested = await advanceBugfix(stage);
  stage.promises.hold("Tenon rejects a fix without a test that shows the bug", untested.passed, false);
  stage.write(TEST, await stage.text("bug", "test"));
  const fixed = await advanceBugfix(stage);
  const seen = /"check":"regression-seen-to-fail","status":"passed"/.test(stage.read(`sdd/receipts/${BUG_ID}.jsonl`));
  stage.promises.hold("The bug's test fails without the fix and passes with it", [fixed.problems, seen], [[], true]);
  const ended = await advanceBugfix(stage, "--approve", "Ada");
  await stage.commit(`${BUG_ID}: Show every time with two digits`);
  stage.promises.hold("The bugfix ends after all its gates pass", [ended.problems, ended.passed], [[], true]);
}

const BUG_RECEIPTS = "sdd/receipts/BUG-001.jsonl";

export async function playProofChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("proof");
  const messages = (await stage.git("log", "--format=%s")).split("\n");
  stage.promises.hold(
    "Finished work ends in commits with clear messages",
    messages.map((message) => message.split(":")[0]),
    ["Record wave 2", "Wave 2", "BUG-001", "Record wave 1", "Wave 1", "Begin"],
  );
  const whole = await stage.tenon("verify");
  const kept = stage.read(BUG_RECEIPTS);
  stage.write(BUG_RECEIPTS, kept.replace('"passed":true', '"passed":false'));
  const edited = await stage.tenon("verify");
  stage.write(BUG_RECEIPTS, kept);
  stage.promises.hold("Tenon verifies every receipt and finds an edited one", [whole.code, edited.code], [0, 3]);
  const ci = await stage.tenon("ci");
  stage.promises.hold("Specs, receipts, code and tests agree, as a build would check", ci.code, 0);
}

export async function playHandoverChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("handover");
  const before = await stage.tool("sdd_handover", {});
  const { data: decided } = await stage.tool("sdd_decide", {
    summary: "Tickets are plain text",
    reason: "Every printer takes it",
  });
  stage.note(`> sdd_decide: ${String(decided["decision"])}, Tickets are plain text`);
  const said = { accomplished: "Fares and tickets are built", next: "Ask the crew which printer they have" };
  const { data: written } = await stage.tool("sdd_handover", said);
  stage.note(`> sdd_handover: ${said.accomplished}. ${said.next}.`);
  await stage.commit("Hand over");
  await stage.kill();
  const { text } = await stage.tool("sdd_handover", { resume: true });
  stage.note("> sdd_handover, the next morning, in a new session");
  stage.promises.hold(
    "Tenon drafts the handover, and a person or an agent adds the rest",
    [before.data["state"], written["state"]],
    ["draft", "polished"],
  );
  stage.promises.hold(
    "The next session learns what was done, what was decided and where to start",
    [said.accomplished, said.next, "Tickets are plain text"].map((line) => text.includes(line)),
    [true, true, true],
  );
}
