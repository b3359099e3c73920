import { targetsIn } from "#domain/bite/traced.ts";
import type { NewCase, SeenRed } from "#domain/gate/evidence.ts";
import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import { findTestCheck } from "#domain/stack/check.ts";
import type { GateCheckResult, WorkflowRecord } from "#domain/workflow/record.ts";
import type { CommandCheck } from "#domain/workspace/config.ts";
import type { Engine } from "../../engine.ts";
import type { ChangedFile } from "./changed.ts";
import { seenRecently } from "./recorded.ts";
import type { Ruling } from "./rules.ts";
import { type CaseText, newCases, type Seen, seeRed } from "./seeing.ts";
import { isGreen, type Tried } from "./trying.ts";

interface Looking {
  readonly check: CommandCheck;
  readonly record: WorkflowRecord;
  readonly ruling: Ruling;
  readonly files: readonly ChangedFile[];
  readonly tried: readonly Tried[];
}

export interface ShownRed {
  readonly cases: readonly CaseText[];
  readonly red: readonly SeenRed[];
}

interface Shown {
  readonly result: GateCheckResult;
  readonly receipts?: readonly CheckReceipt[];
  readonly seen?: ShownRed;
}

/** New tests must fail without the work and pass with it. For a bugfix one such test that names the bug is enough. */
export async function seenToFail(engine: Engine, { check, record, ruling, files, tried }: Looking): Promise<Shown> {
  const { rules, refused = "" } = ruling;
  const base = record.base_commit;
  const unknown = (reason: string): Shown => ({ result: { check, status: "unknown", problems: [], reason } });
  if (!rules || base === undefined) return unknown(rules ? "There is no commit that the work began at." : refused);
  const isBug = record.kind === "bugfix";
  const all = newCases(files);
  const isTold = rules.definitions.stacks.some((stack) => findTestCheck(stack) !== undefined);
  if (all.length === 0 && !isTold) return unknown("No tests here leave a report, so none can be seen to fail.");
  const cases = isBug ? all.filter((each) => isTagged(files, each, record.id)) : all;
  const known = await seenRecently(engine, record.id, cases);
  const isSeen = (red: readonly SeenRed[], { file, name }: NewCase): boolean =>
    red.some((each) => each.file === file && each.name === name);
  const isEnough = isBug
    ? cases.some((each) => isSeen(known, each))
    : known.length > 0 && cases.every((each) => each.allowed !== undefined || isSeen(known, each));
  // Earlier evidence for the same text is still valid.
  const now = isEnough ? undefined : await seeRed(engine, { base, rules, files });
  if (now && now.unseen.length > 0) return unknown(now.unseen.join(" "));
  const red = [...known, ...(now?.red ?? [])];
  const problems = [
    ...(isBug ? bugProblems(cases, red, isSeen, now, record.id) : featureProblems(cases, red, isSeen, now)),
    ...greenProblems(
      cases.filter((each) => isSeen(red, each)),
      tried,
    ),
  ];
  const status = problems.length === 0 ? "passed" : "failed";
  return {
    result: { check, status, problems },
    receipts: (now?.receipts ?? []).map((each) => ({ ...each, check, status, on: base })),
    ...(now ? { seen: { cases: all, red: now.red } } : {}),
  };
}

type IsSeen = (red: readonly SeenRed[], each: NewCase) => boolean;

function bugProblems(
  cases: readonly NewCase[],
  red: readonly SeenRed[],
  isSeen: IsSeen,
  now: Seen | undefined,
  id: string,
): Problem[] {
  if (cases.length === 0)
    return [{ problem: `No new test names the bug: write one that shows it, with @spec ${id} in a comment.` }];
  if (cases.some((each) => isSeen(red, each))) return [];
  return now && now.problems.length > 0 ? [...now.problems] : cases.map(notSeen);
}

function featureProblems(
  cases: readonly NewCase[],
  red: readonly SeenRed[],
  isSeen: IsSeen,
  now: Seen | undefined,
): Problem[] {
  if (cases.length === 0)
    return [{ problem: "No new test was found in the changed code: what is new has to be tested." }];
  const inline = (now?.inline ?? []).filter((each) => each.allowed === undefined && !isSeen(red, each));
  const problems = [...(now?.problems ?? []), ...inline.map(notSeen)];
  return problems.length > 0 || red.length > 0 ? problems : [{ problem: ALL_ALLOWED }];
}

const ALL_ALLOWED = "No new test fails without the work: each is allowed to pass, so none tests what is new.";

const notSeen = ({ file, name, line }: NewCase): Problem => ({
  problem: `${file}: ${sanitizeText(name, 200)} was never seen to fail: run sdd_evidence before the code is there.`,
  line,
});

/** The tag may be in the test, directly above it, or apply to the whole file. */
function isTagged(files: readonly ChangedFile[], { file, name }: NewCase, spec: string): boolean {
  const found = files.find(({ path }) => path === file);
  if (!found?.look) return false;
  const targets = targetsIn(file, found.look, { spec }, found.isTest);
  return targets.some((target) => target.name === undefined || target.name === name);
}

function greenProblems(cases: readonly Pick<SeenRed, "file" | "name">[], tried: readonly Tried[]): Problem[] {
  if (tried.every(({ report }) => report === undefined)) return [];
  return cases
    .filter((each) => !isGreen(tried, each))
    .map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} does not pass with the work either.` }));
}
