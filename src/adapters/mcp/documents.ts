import { PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import { STAGE_DOCUMENTS, getProjectDocumentPath } from "#domain/workspace/path.ts";
import type { StoreTree } from "#operations/ports/store.ts";

export const DOCUMENT_NAMES: readonly string[] = PROJECT_DOCUMENT_STAGES.map((stage) => STAGE_DOCUMENTS[stage]);

export const DOCUMENT_TEMPLATE = "sdd://project/{document}";

const uriOf = (name: string): string => `sdd://project/${name}`;

export function listDocuments(tree: StoreTree) {
  return PROJECT_DOCUMENT_STAGES.filter((stage) => tree.has(getProjectDocumentPath(stage))).map((stage) => ({
    uri: uriOf(STAGE_DOCUMENTS[stage]),
    name: STAGE_DOCUMENTS[stage],
    title: `The project's ${STAGE_DOCUMENTS[stage].replace("-", " ")}`,
    mimeType: "text/markdown",
  }));
}

export function documentAt(uri: string, tree: StoreTree): string | undefined {
  const stage = PROJECT_DOCUMENT_STAGES.find((name) => uri === uriOf(STAGE_DOCUMENTS[name]));
  return stage && tree.text(getProjectDocumentPath(stage));
}
