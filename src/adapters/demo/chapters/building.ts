import type { ScriptedAgents } from "../agents.ts";
import type { DemoStage } from "../stage.ts";

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
    "A Builder that says all tests pass is not believed when its files are missing, or its tests fail",
    [nothing.outcome, failing.outcome, failing.problems.some(({ problem }) => problem.includes("a child pays half"))],
    ["refused", "refused", true],
  );
  stage.promises.hold("What is refused changes no record", stage.read(FARES_RECORD) === before, true);
  await agents.build("fares");
  const honest = await agents.tell(given, said);
  const gate = await agents.playUntil(/^fares\/gate\//);
  const { receipt } = await agents.finish(gate);
  const kept = stage.read("sdd/features/fares/receipts.jsonl");
  stage.promises.hold(
    "The truth is taken; a gate runs the tests itself, and leaves a receipt with the criteria that they show",
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
  stage.note(`> ${again?.id ?? "nothing"} is handed out once more`);
  stage.promises.hold(
    "After kill -9 everything is whole, and who was at work is given the same again",
    [await cut, healthy.code, again?.id, again?.again],
    ["cut off", 0, given.id, true],
  );
  const taken = await agents.report(given, said);
  const repeated = await agents.report(given, said);
  stage.promises.hold(
    "A report is taken once, however often it is sent",
    [taken.outcome, repeated.outcome],
    ["applied", "repeated"],
  );
}

/** A Critical of an inspector sends the work back to the Builder that owns the file. */
export async function playReviewChapter(stage: DemoStage, agents: ScriptedAgents): Promise<void> {
  await stage.chapter("review");
  const finding = (await stage.text("tickets", "finding")).trim();
  const inspector = await agents.playUntil(/^tickets\/impl\/B\d+\/(?!auditor)/);
  await agents.finish(inspector, { report: await agents.says("inspector", { feature: "tickets", finding }) });
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
    "A Critical is a NO-GO by code, goes to the Builder whose file it is, and the next review says GO",
    [found, mending.id, stage.value("sdd/features/tickets/spec.yaml", "reviews", "implementation", "verdict")],
    ["NO-GO", "tickets/build-A/2", "GO"],
  );
  await agents.playAll();
}
