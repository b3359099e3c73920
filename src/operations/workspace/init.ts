import type * as z from "zod";
import { CONFIG, GITIGNORE } from "#domain/workspace/path.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Step, Tree } from "../store.ts";
import type { WorkspaceInit } from "./schema.ts";

const IGNORED = ".sdd/";

export const init = operation<Record<string, never>, z.infer<typeof WorkspaceInit>>({
  id: "workspace.init",
  effect: "append",
  mayBegin: true,
  output: async () => (await import("./schema.ts")).WorkspaceInit,
  async run(engine) {
    const [template, guide] = await Promise.all([
      engine.assets.text("templates/config"),
      engine.assets.text("guides/connect"),
    ]);
    const { created, kept } = await commit(engine, (tree) => {
      const steps = foundation(tree, template);
      const written = steps.flatMap((step) => (step.kind === "document" ? [step.path] : []));
      return {
        steps,
        occurrences: steps.length > 0 ? [{ kind: "workspace.initialised", subject: engine.root }] : [],
        result: { created: written, kept: [GITIGNORE, CONFIG].filter((path) => !written.includes(path)) },
      };
    });
    return { root: engine.root, created, kept, guide: guide.trimEnd() };
  },
  page: ({ root, created, kept, guide }) => ({
    title: created.length > 0 ? `${root} is a workspace.` : `${root} is a workspace already; nothing was changed.`,
    points: [...created.map((path) => `${path} written`), ...kept.map((path) => `${path} kept as it was`)],
    guide,
    next: [{ operation: "change.start", input: { type: "fix", size: "small", description: "…" } }],
  }),
});

/** What a folder lacks to be a workspace. */
export function foundation(tree: Tree, config: string): Step[] {
  const ignored = tree.text(GITIGNORE);
  const isIgnored = ignored?.split(/\r?\n/).some((line) => /^\/?\.sdd\/?$/.test(line.trim())) ?? false;
  return [
    ...(isIgnored ? [] : [{ kind: "document", path: GITIGNORE, text: withLine(ignored) } as const]),
    ...(tree.has(CONFIG) ? [] : [{ kind: "document", path: CONFIG, text: config } as const]),
  ];
}

function withLine(text: string | undefined): string {
  if (text === undefined || text === "") return `${IGNORED}\n`;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text}${text.endsWith("\n") ? "" : newline}${IGNORED}${newline}`;
}
