import type { Stage } from "../stage.ts";

const ID = "BUG-001";
const [CODE, TEST] = ["src/clock.js", "test/clock.test.js"];

interface Advanced {
  readonly passed?: boolean;
  readonly checks?: readonly { readonly check: string; readonly problems?: readonly { readonly problem: string }[] }[];
}

const problemsOf = ({ checks = [] }: Advanced): string[] =>
  checks.flatMap(({ problems = [] }) => problems.map(({ problem }) => problem));

async function advance(stage: Stage, ...words: readonly string[]): Promise<Advanced> {
  return stage.ask("workflow", "advance", ID, ...words);
}

/** From its symptom to a fix whose test was seen to fail. */
export async function bugfix(stage: Stage): Promise<void> {
  await stage.chapter("bugfix");
  await stage.tenon("bugfix", "Five past nine is shown as 9:5", "--id", ID, "--files", `${CODE},${TEST}`);
  stage.write(`sdd/specs/${ID}.yaml`, await stage.text("bug", "spec"));
  const agreed = [await advance(stage, "--approve", "Ada"), await advance(stage, "--approve", "Ada")];
  stage.promises.hold(
    "A cause and a way to mend it are written down and agreed to before the code is touched",
    agreed.map(({ passed }) => passed),
    [true, true],
  );
  await rollback(stage);
  stage.write(CODE, await stage.text("bug", "code"));
  const untested = await advance(stage);
  stage.promises.hold("A fix without a test that shows the bug is refused", untested.passed, false);
  stage.write(TEST, await stage.text("bug", "test"));
  const fixed = await advance(stage);
  const evidence = stage.read(`sdd/receipts/${ID}.jsonl`);
  stage.promises.hold(
    "The test of the bug was seen to fail without the fix, and to pass with it",
    [problemsOf(fixed), /"check":"regression-seen-to-fail","status":"passed"/.test(evidence)],
    [[], true],
  );
  const ended = await advance(stage, "--approve", "Ada");
  await stage.commit(`${ID}: Show every time with two digits`);
  stage.promises.hold("The bugfix ends with its own gates passed", [problemsOf(ended), ended.passed], [[], true]);
}

/** The first fix is wrong; its files go back, and nobody else's. */
async function rollback(stage: Stage): Promise<void> {
  await stage.chapter("rollback");
  const before = [stage.read(CODE), stage.read("src/fares.js")];
  stage.write(CODE, await stage.text("bug", "wrong turn"));
  const refused = await advance(stage);
  stage.note(problemsOf(refused)[0] ?? "");
  const plan = await stage.ask("workflow", "rollback", ID, "specify-fix");
  const done = await stage.ask("workflow", "rollback", ID, "specify-fix", "--confirm", String(plan["token"]));
  const after = [stage.read(CODE), stage.read("src/fares.js")];
  stage.promises.hold(
    "A rollback takes back a workflow's own files, and touches no other",
    [refused.passed, Array.isArray(done["restored"]), after.map((text, i) => text === before[i])],
    [false, true, [true, true]],
  );
  for (const each of ["--approve"]) await advance(stage, each, "Ada");
}
