import type { Tree } from "#operations/store.ts";
import type { Path } from "#domain/workspace/path.ts";

/** What the project pipeline writes, in its order. */
export const DOCUMENTS = [
  "proposal",
  "requirements",
  "business-rules",
  "clarifications",
  "design",
  "tasks",
  "validation",
] as const;

export const DOCUMENT_TEMPLATE = "sdd://project/{document}";

/** Made from the names above alone. */
const pathOf = (document: (typeof DOCUMENTS)[number]): Path => `sdd/${document}.md` as Path;

export function listDocuments(tree: Tree) {
  return DOCUMENTS.filter((document) => tree.has(pathOf(document))).map((document) => ({
    uri: `sdd://project/${document}`,
    name: document,
    title: `The project's ${document.replace("-", " ")}`,
    mimeType: "text/markdown",
  }));
}

/** The text behind an address; nothing when the address is of another kind or nothing has been written yet. */
export function documentAt(uri: string, tree: Tree): string | undefined {
  const document = DOCUMENTS.find((name) => uri === `sdd://project/${name}`);
  return document && tree.text(pathOf(document));
}
