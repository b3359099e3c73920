import type { DemoStage } from "../stage.ts";

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
  stage.note(told === undefined ? "  Its gate has passed." : `  Refused. ${told}`);
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
    "The cause of a bug and the way to mend it are agreed to by the user before the code is touched",
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
    "A rollback takes back a workflow's own files, and touches no other",
    [refused.passed, plan["restored"], ...[CODE, OTHERS].map((path, i) => stage.read(path) === before[i])],
    [false, [BUG_SPEC, CODE], true, true],
  );
}

export async function playFixChapter(stage: DemoStage): Promise<void> {
  await stage.chapter("fix");
  await advanceBugfix(stage, "--approve", "Ada");
  stage.write(CODE, await stage.text("bug", "code"));
  const untested = await advanceBugfix(stage);
  stage.promises.hold("A fix without a test that shows the bug is refused", untested.passed, false);
  stage.write(TEST, await stage.text("bug", "test"));
  const fixed = await advanceBugfix(stage);
  const seen = /"check":"regression-seen-to-fail","status":"passed"/.test(stage.read(`sdd/receipts/${BUG_ID}.jsonl`));
  stage.promises.hold(
    "The test of a bug is seen to fail without the fix, and to pass with it",
    [fixed.problems, seen],
    [[], true],
  );
  const ended = await advanceBugfix(stage, "--approve", "Ada");
  await stage.commit(`${BUG_ID}: Show every time with two digits`);
  stage.promises.hold("A bugfix ends with the gates of its own passed", [ended.problems, ended.passed], [[], true]);
}
