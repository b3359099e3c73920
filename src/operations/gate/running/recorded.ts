import type { FailedNewTest } from "#domain/gate/evidence.ts";
import type { FailureReason } from "#domain/report/why.ts";
import type { Engine } from "../../engine.ts";
import type { WorkflowDraft } from "../../workflow/running/draft.ts";
import { EVIDENCE_SPACE } from "../../workflow/spaces.ts";
import type { NewTestText } from "./seeing.ts";

/** `text` is the hash of the test's text: a changed text is a new test. */
export interface RecordedFailure {
  readonly file: string;
  readonly name: string;
  readonly text: string;
  readonly why: FailureReason["reason"];
  readonly at: string;
}

export async function loadRecordedFailures(
  { store, digest }: Pick<Engine, "store" | "digest">,
  workflow: string,
  cases: readonly NewTestText[],
): Promise<FailedNewTest[]> {
  const known = await store.read((tree) => tree.kept(EVIDENCE_SPACE).get(workflow) ?? []);
  return cases.flatMap(({ file, name, text }) => {
    const hash = digest(text);
    const found = known.find((each) => each.file === file && each.name === name && each.text === hash);
    return found ? [{ file, name, why: found.why }] : [];
  });
}

export function recordTestFailures(
  draft: WorkflowDraft,
  { digest }: Pick<Engine, "digest">,
  workflow: string,
  cases: readonly NewTestText[],
  red: readonly FailedNewTest[],
  before: readonly RecordedFailure[],
): void {
  const now = cases.flatMap(({ file, name, text }): RecordedFailure[] => {
    const hash = digest(text);
    const seen = red.find((each) => each.file === file && each.name === name);
    const known = before.find((each) => each.file === file && each.name === name && each.text === hash);
    return seen ? [{ file, name, text: hash, why: seen.why, at: draft.at }] : known ? [known] : [];
  });
  draft.keep({ space: EVIDENCE_SPACE.name, key: workflow, value: now });
}
