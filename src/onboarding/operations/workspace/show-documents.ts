import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { SourceContent } from "#git/operations/ports/git-files.ts";
import type { OnboardingEngine } from "../engine.ts";
import type { DocumentsInput as DocumentsInputSchema } from "./schema.ts";

type DocumentsInput = z.infer<typeof DocumentsInputSchema>;

const DOCUMENT_PATHS = /^sdd\/.+\.(?:md|ya?ml|json|jsonl)$/;
const MAX_DOCUMENT_BYTES = 1024 * 1024;

const MAX_VERSIONS = 20;

/** Shows only files that git would commit, so that a path cannot lead anywhere else. */
export const showDocumentsOperation = defineOperation({
  id: "workspace.documents",
  effect: "read",
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).DocumentsInput,
  output: async () => (await import("./schema.ts")).DocumentsOutput,
  async run(engine: OnboardingEngine, { path, history: isWithHistory = false }: DocumentsInput) {
    const view = await engine.source.at();
    const paths = view?.paths ?? [];
    if (path === undefined) return { documents: paths.filter((each) => DOCUMENT_PATHS.test(each)) };
    const content = paths.includes(path) ? (await view?.read([path], MAX_DOCUMENT_BYTES))?.get(path) : undefined;
    if (content?.kind !== "text") throw createUnknownDocumentFault(path, content?.kind);
    const history = isWithHistory ? { history: await loadHistory(engine, path) } : {};
    // Documents were masked when they were written; code is the user's.
    const text = DOCUMENT_PATHS.test(path) ? content.text : (await engine.secrets.mask(content.text)).text;
    return { documents: [], document: { path, text, ...history } };
  },
  page: ({ documents, document }) =>
    document
      ? {
          title: document.path,
          quotes: [
            { label: "Text", text: document.text, isVerbatim: true },
            ...(document.history ?? []).map(({ commit, at, text }) => ({
              label: `Text of ${at}, commit ${commit.slice(0, 10)}`,
              text,
              isVerbatim: true,
            })),
          ],
        }
      : {
          title: `${formatCount(documents.length, "document")}.`,
          points: [...documents],
          next: documents.slice(0, 1).map((path) => ({ operation: "workspace.documents", input: { path } })),
        },
});

async function loadHistory({ source, secrets }: OnboardingEngine, path: string) {
  const versions = await source.past(path, MAX_VERSIONS);
  return Promise.all(
    versions.map(async ({ commit, path: then, text }) => ({
      commit,
      at: (await source.committedAt(commit)) ?? "",
      path: then,
      text: (await secrets.mask(text)).text,
    })),
  );
}

const createUnknownDocumentFault = (path: string, kind: SourceContent["kind"] = "missing"): Fault =>
  new Fault("documents.unknown", {
    what: `${quote(path, 200)} was not shown.`,
    why: kind === "missing" ? "Git has no such file." : `It is ${kind === "link" ? "a link" : kind}.`,
    fix: { operation: "workspace.documents" },
  });
