import { build, finish, next, playUntil, report, says } from "../agents.ts";
import type { Stage } from "../stage.ts";

const RECORD = "sdd/features/fares/spec.yaml";

/** Says that its tests pass while they fail; then that it wrote what is not there. */
export async function liar(stage: Stage): Promise<void> {
  await stage.chapter("liar");
  const given = await playUntil(stage, /^fares\/build-/);
  const said = { report: await says(stage, "builder", { feature: "fares" }) };
  const before = stage.read(RECORD);
  const nothing = await report(stage, given, said);
  stage.note(`> ${given.id}: ${nothing.outcome}. ${nothing.problems[0]?.problem ?? ""}`);
  await build(stage, "fares", "wrong code");
  const failing = await report(stage, given, said);
  stage.note(`> ${given.id}: ${failing.outcome}. ${failing.problems[0]?.problem ?? ""}`);
  stage.promises.hold(
    "A Builder that says two of two tests pass is not believed when files are missing, or tests fail",
    [nothing.outcome, failing.outcome, failing.problems.some(({ problem }) => problem.includes("a child pays half"))],
    ["refused", "refused", true],
  );
  stage.promises.hold("What is refused changes no record", stage.read(RECORD) === before, true);
  await build(stage, "fares");
  const honest = await report(stage, given, said);
  stage.promises.hold("The truth is taken from the same one", honest.outcome, "applied");
  const gate = await playUntil(stage, /^fares\/gate\//);
  const { receipt = "" } = await finish(stage, gate);
  const kept = stage.read("sdd/features/fares/receipts.jsonl");
  stage.promises.hold(
    "A gate ran the tests itself, and its receipt names the criteria that they show",
    [receipt, ["fares.S1.AC1", "fares.S1.AC2"].every((criterion) => kept.includes(criterion))],
    ["fares.R-1", true],
  );
}

/** Killed while the tests of a report run. */
export async function crash(stage: Stage): Promise<void> {
  await stage.chapter("crash");
  const given = await playUntil(stage, /^tickets\/build-/);
  await build(stage, "tickets");
  const said = { report: await says(stage, "builder", { feature: "tickets" }) };
  const underWay = Promise.withResolvers<void>();
  const cut = report(stage, given, said, underWay.resolve).then(
    ({ outcome }) => outcome,
    () => "cut off",
  );
  await Promise.race([underWay.promise, cut]);
  await stage.kill();
  stage.note(`> ${given.id}: ${await cut}`);
  const healthy = await stage.tenon("doctor");
  const again = await next(stage);
  stage.note(`> ${again?.id ?? "nothing"}, once more`);
  stage.promises.hold(
    "After kill -9 everything is whole, and who was at work is given the same again",
    [await cut, healthy.code, again?.id, again?.again],
    ["cut off", 0, given.id, true],
  );
  const taken = await report(stage, given, said);
  const repeated = await report(stage, given, said);
  stage.promises.hold(
    "A report is taken once, however often it is sent",
    [taken.outcome, repeated.outcome],
    ["applied", "repeated"],
  );
}

/** A Critical of an inspector sends the work back to the Builder whose file it is. */
export async function review(stage: Stage): Promise<void> {
  await stage.chapter("review");
  const finding = (await stage.text("tickets", "finding")).trim();
  const inspector = await playUntil(stage, /^tickets\/impl\/B\d+\//);
  await finish(stage, inspector, { report: await says(stage, "inspector", { feature: "tickets", finding }) });
  const auditor = await playUntil(stage, /^tickets\/impl\/B\d+\/audit/);
  // It would rather be done: the verdict is computed all the same.
  await finish(stage, auditor, {
    report: await says(stage, "auditor", { feature: "tickets", finding, verdict: "NO-GO" }),
  });
  const fix = await playUntil(stage, /^tickets\/build-/);
  const batch = /B\d+/.exec(auditor.id)?.[0] ?? "";
  const stored = (): string => stage.read(`sdd/features/tickets/reviews/${batch}.yaml`);
  const verdict = /verdict: (\S+)/.exec(stored())?.[1];
  await build(stage, "tickets", "mended code", "mended test");
  await finish(stage, fix, { report: await says(stage, "builder", { feature: "tickets" }) });
  await playUntil(stage, /^wave-2\/|^tickets\/done/).catch(() => undefined);
  stage.promises.hold(
    "A Critical is a NO-GO by code, its Builder mends it, and the next review says GO",
    [
      verdict,
      fix.id.startsWith("tickets/build-A/"),
      /reviews:[\s\S]*verdict: (\S+)/.exec(stage.read("sdd/features/tickets/spec.yaml"))?.[1],
    ],
    ["NO-GO", true, "GO"],
  );
}
