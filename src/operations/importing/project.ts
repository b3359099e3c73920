import type { ForeignProjectDocument } from "#domain/importing/found.ts";
import { parseDecisionFileName } from "#domain/adr/adr.ts";
import { type DocumentReferences, findReferenceProblems } from "#domain/project/document.ts";
import type { ProjectDocumentStage } from "#domain/project/flow.ts";
import { sanitizeText } from "#domain/quote.ts";
import { ADR_FOLDER, PROJECT_RECORD_PATH, getProjectDocumentPath } from "#domain/workspace/path.ts";
import { loadDocumentReferences } from "../project/shelf.ts";
import type { ImportDraft } from "./draft.ts";
import type { DetectedLayout } from "./looking.ts";

interface ProjectCandidate {
  readonly seen: DetectedLayout;
  readonly document: ForeignProjectDocument;
}

/** Places project documents where ours are missing, if their references resolve. */
export function placeProjectDocuments(draft: ImportDraft, found: readonly ProjectCandidate[]): void {
  const given = new Set<ProjectDocumentStage>();
  const open = found.filter(({ seen, document }) => {
    const { from, stage, text } = document;
    const path = getProjectDocumentPath(stage);
    if (draft.isKnown(seen, from)) return false;
    if (draft.tree.has(PROJECT_RECORD_PATH))
      draft.carry(seen, from, text, "this workspace has a project pipeline of its own");
    else if (!draft.isFree(path)) draft.collide(seen, from, path);
    else if (given.has(stage)) draft.carry(seen, from, text, `another file is taken as ${path}`);
    else return given.add(stage);
    return false;
  });
  for (const { candidate, problem } of checkProjectCandidates(draft, open)) {
    const { seen, document } = candidate;
    const path = getProjectDocumentPath(document.stage);
    if (problem !== undefined) {
      draft.carry(seen, document.from, document.text, `it does not hold as ${path}: ${sanitizeText(problem, 200)}`);
      continue;
    }
    draft.write(path, document.text);
    draft.taken(seen, document.from, { as: "document of the project", to: [path] });
  }
}

/** A document that is only carried over can break references of others, so the checks repeat until nothing changes. */
function checkProjectCandidates(
  draft: ImportDraft,
  open: readonly ProjectCandidate[],
): { readonly candidate: ProjectCandidate; readonly problem: string | undefined }[] {
  const problems = new Map<ProjectCandidate, string>();
  for (let before = -1; before !== problems.size;) {
    before = problems.size;
    const kept = open.filter((candidate) => !problems.has(candidate));
    const around = collectImportNeighbours(draft, kept);
    for (const candidate of kept) {
      const { stage, text } = candidate.document;
      const [first] = findReferenceProblems(stage, text, around);
      if (first) problems.set(candidate, first.problem);
    }
  }
  return open.map((candidate) => ({ candidate, problem: problems.get(candidate) }));
}

function collectImportNeighbours(draft: ImportDraft, kept: readonly ProjectCandidate[]): DocumentReferences {
  const there = loadDocumentReferences(draft.tree);
  const textOf = (stage: ProjectDocumentStage): string | undefined =>
    kept.find(({ document }) => document.stage === stage)?.document.text;
  const fresh = draft.steps.flatMap((step) =>
    "path" in step && step.path.startsWith(`${ADR_FOLDER}/`)
      ? (parseDecisionFileName(step.path.slice(ADR_FOLDER.length + 1))?.id ?? [])
      : [],
  );
  return {
    requirements: there.requirements ?? textOf("specify"),
    rules: there.rules ?? textOf("business-rules"),
    tasks: there.tasks ?? textOf("tasks"),
    adrs: [...there.adrs, ...fresh],
  };
}
