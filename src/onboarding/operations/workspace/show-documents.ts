import { Fault } from "#kernel/model/fault.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { SourceContent } from "#git/operations/ports/git-files.ts";
import type { OnboardingEngine } from "../engine.ts";

const DOCUMENT_PATHS = /^sdd\/.+\.(?:md|ya?ml|json|jsonl)$/;
const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** Lists only files that git would commit, so that a path cannot lead anywhere else. */
export const showDocumentsOperation = defineOperation({
  id: "workspace.documents",
  effect: "read",
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).DocumentsInput,
  output: async () => (await import("./schema.ts")).DocumentsOutput,
  async run(engine: OnboardingEngine, { path }: { readonly path?: string | undefined }) {
    const view = await engine.source.at();
    const paths = (view?.paths ?? []).filter((each) => DOCUMENT_PATHS.test(each));
    if (path === undefined) return { documents: paths };
    const content = paths.includes(path) ? (await view?.read([path], MAX_DOCUMENT_BYTES))?.get(path) : undefined;
    if (content?.kind !== "text") throw createUnknownDocumentFault(path, content?.kind);
    return { documents: [], document: { path, text: content.text } };
  },
  page: ({ documents, document }) =>
    document
      ? { title: document.path, quotes: [{ label: "Text", text: document.text, isVerbatim: true }] }
      : {
          title: `${formatCount(documents.length, "document")}.`,
          points: [...documents],
          next: documents.slice(0, 1).map((path) => ({ operation: "workspace.documents", input: { path } })),
        },
});

const createUnknownDocumentFault = (path: string, kind: SourceContent["kind"] = "missing"): Fault =>
  new Fault("documents.unknown", {
    what: `${quote(path, 200)} was not shown.`,
    why: kind === "missing" ? "It is not a document under sdd/." : `It is ${kind === "link" ? "a link" : kind}.`,
    fix: { operation: "workspace.documents" },
  });
