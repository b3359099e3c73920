import { PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import { STAGE_DOCUMENTS, getProjectDocumentPath } from "#domain/workspace/path.ts";
import type { StoreTree } from "#operations/ports/store.ts";

export const PROJECT_DOCUMENT_NAMES: readonly string[] = PROJECT_DOCUMENT_STAGES.map((stage) => STAGE_DOCUMENTS[stage]);

export const PROJECT_DOCUMENT_TEMPLATE = "sdd://project/{document}";

const formatDocumentUri = (name: string): string => `sdd://project/${name}`;

export function listProjectDocuments(tree: StoreTree) {
  return PROJECT_DOCUMENT_STAGES.filter((stage) => tree.has(getProjectDocumentPath(stage))).map((stage) => ({
    uri: formatDocumentUri(STAGE_DOCUMENTS[stage]),
    name: STAGE_DOCUMENTS[stage],
    title: `The project's ${STAGE_DOCUMENTS[stage].replace("-", " ")}`,
    mimeType: "text/markdown",
  }));
}

export function readProjectDocument(uri: string, tree: StoreTree): string | undefined {
  const stage = PROJECT_DOCUMENT_STAGES.find((name) => uri === formatDocumentUri(STAGE_DOCUMENTS[name]));
  return stage && tree.text(getProjectDocumentPath(stage));
}
