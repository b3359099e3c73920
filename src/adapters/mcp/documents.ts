import { PROJECT_DOCUMENT_STAGES } from "#domain/project/flow.ts";
import { DOCUMENTS, projectDocument } from "#domain/workspace/path.ts";
import type { Tree } from "#operations/ports/store.ts";

export const DOCUMENT_NAMES: readonly string[] = PROJECT_DOCUMENT_STAGES.map((stage) => DOCUMENTS[stage]);

export const DOCUMENT_TEMPLATE = "sdd://project/{document}";

const uriOf = (name: string): string => `sdd://project/${name}`;

export function listDocuments(tree: Tree) {
  return PROJECT_DOCUMENT_STAGES.filter((stage) => tree.has(projectDocument(stage))).map((stage) => ({
    uri: uriOf(DOCUMENTS[stage]),
    name: DOCUMENTS[stage],
    title: `The project's ${DOCUMENTS[stage].replace("-", " ")}`,
    mimeType: "text/markdown",
  }));
}

export function documentAt(uri: string, tree: Tree): string | undefined {
  const stage = PROJECT_DOCUMENT_STAGES.find((name) => uri === uriOf(DOCUMENTS[name]));
  return stage && tree.text(projectDocument(stage));
}
