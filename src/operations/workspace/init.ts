import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { CONFIG, GITATTRIBUTES, GITIGNORE, type Path } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../engine.ts";
import { refuseToMix } from "../importing/in-the-way.ts";
import { operation } from "../operation.ts";
import type { Step, Tree } from "../ports/store.ts";
import type { Init, WorkspaceInit } from "./schema.ts";

const IGNORED = ".sdd/";
const MERGED = [
  "sdd/requirements.md",
  "sdd/business-rules.md",
  "sdd/tasks.md",
  "sdd/changes/*/tasks.md",
  "sdd/sdd.json",
  "sdd/changes/*/change.json",
  "sdd/history/*/change.json",
  "sdd/features/*/spec.yaml",
  "sdd/waves/*.yaml",
  "sdd/roadmap.md",
  "sdd/trace/*.json",
  "sdd/handover/decisions.md",
  "sdd/handover/buffer.md",
  "sdd/knowledge/index.md",
  "sdd/handover/session.md",
].map((pattern) => `${pattern} merge=tenon`);

export const init = operation<z.infer<typeof Init>, z.infer<typeof WorkspaceInit>>({
  id: "workspace.init",
  effect: "append",
  mayBegin: true,
  input: async () => (await import("./schema.ts")).Init,
  output: async () => (await import("./schema.ts")).WorkspaceInit,
  async run(engine, { merge_drivers = false }) {
    const [template, guide] = await Promise.all([
      engine.assets.text("templates/config"),
      engine.assets.text("guides/connect"),
    ]);
    if (merge_drivers && !(await engine.mergeDrivers.register())) throw noGit(engine);
    const { created, kept } = await commit(engine, (tree) => {
      refuseToMix(tree);
      const wanted: readonly Wanted[] = [
        ...foundation(tree, template),
        ...(merge_drivers ? [[GITATTRIBUTES, withLines(tree.text(GITATTRIBUTES), MERGED)] as const] : []),
      ];
      const steps = stepsFor(wanted);
      const isWritten = ([, text]: Wanted): boolean => text !== undefined;
      return {
        steps,
        occurrences: steps.length > 0 ? [{ kind: "workspace.initialised", subject: engine.root }] : [],
        result: {
          created: wanted.filter(isWritten).map(([path]) => path),
          kept: wanted.filter((each) => !isWritten(each)).map(([path]) => path),
        },
      };
    });
    return { root: engine.root, created, kept, merge_drivers, guide: guide.trimEnd() };
  },
  page: ({ root, created, kept, merge_drivers, guide }) => ({
    title: created.length > 0 ? `${root} is a workspace.` : `${root} is a workspace already; nothing was changed.`,
    points: [
      ...created.map((path) => `${path} written`),
      ...kept.map((path) => `${path} kept as it was`),
      merge_drivers
        ? "Git merges requirements, rules, tasks and records by id in this clone; every other clone asks for it once too."
        : "Git can merge requirements, rules, tasks and records by id, if you want it to.",
    ],
    guide,
    next: [
      { operation: "change.start", input: { type: "fix", size: "small", description: "…" } },
      { operation: "workflow.feature", input: { title: "…" } },
      ...(merge_drivers ? [] : [{ operation: "workspace.init", input: { merge_drivers: true } }]),
    ],
  }),
});

function noGit({ root }: Pick<Engine, "root">): Fault {
  return new Fault("workspace.no-git", {
    what: "Merge drivers were not set up.",
    why: `${root} is in no git repository whose settings can be written.`,
    fix: ["git init", { operation: "workspace.init" }],
  });
}

type DocumentStep = Extract<Step, { kind: "document" }>;

type Wanted = readonly [path: Path, text: string | undefined];

const foundation = (tree: Tree, config: string): readonly Wanted[] => [
  [GITIGNORE, ignoring(tree)],
  [CONFIG, tree.has(CONFIG) ? undefined : config],
];

export const foundationSteps = (tree: Tree, config: string): DocumentStep[] => stepsFor(foundation(tree, config));

function stepsFor(wanted: readonly Wanted[]): DocumentStep[] {
  return wanted.flatMap(([path, text]): DocumentStep[] =>
    text === undefined ? [] : [{ kind: "document", path, text }],
  );
}

function ignoring(tree: Tree): string | undefined {
  const ignored = tree.text(GITIGNORE);
  const isIgnored = ignored?.split(/\r?\n/).some((line) => /^\/?\.sdd\/?$/.test(line.trim())) ?? false;
  return isIgnored ? undefined : withLines(ignored, [IGNORED]);
}

function withLines(text: string | undefined, lines: readonly string[]): string | undefined {
  const present = new Set(text?.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return undefined;
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const before = text === undefined || text === "" || text.endsWith("\n") ? (text ?? "") : `${text}${newline}`;
  return `${before}${missing.map((line) => `${line}${newline}`).join("")}`;
}
