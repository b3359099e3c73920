import type { SeenRed } from "#domain/gate/evidence.ts";
import type { Why } from "#domain/report/why.ts";
import type { Engine } from "../../engine.ts";
import type { WorkflowDraft } from "../../workflow/running/draft.ts";
import { EVIDENCE_SPACE } from "../../workflow/spaces.ts";
import type { CaseText } from "./seeing.ts";

/** `text` is the hash of the test's text: a changed text is a new test. */
export interface RecordedRed {
  readonly file: string;
  readonly name: string;
  readonly text: string;
  readonly why: Why["reason"];
  readonly at: string;
}

export async function seenRecently(
  { store, digest }: Pick<Engine, "store" | "digest">,
  workflow: string,
  cases: readonly CaseText[],
): Promise<SeenRed[]> {
  const known = await store.read((tree) => tree.kept(EVIDENCE_SPACE).get(workflow) ?? []);
  return cases.flatMap(({ file, name, text }) => {
    const hash = digest(text);
    const found = known.find((each) => each.file === file && each.name === name && each.text === hash);
    return found ? [{ file, name, why: found.why }] : [];
  });
}

export function keepSeen(
  draft: WorkflowDraft,
  { digest }: Pick<Engine, "digest">,
  workflow: string,
  cases: readonly CaseText[],
  red: readonly SeenRed[],
  before: readonly RecordedRed[],
): void {
  const now = cases.flatMap(({ file, name, text }): RecordedRed[] => {
    const hash = digest(text);
    const seen = red.find((each) => each.file === file && each.name === name);
    const known = before.find((each) => each.file === file && each.name === name && each.text === hash);
    return seen ? [{ file, name, text: hash, why: seen.why, at: draft.at }] : known ? [known] : [];
  });
  draft.keep({ space: EVIDENCE_SPACE.name, key: workflow, value: now });
}
