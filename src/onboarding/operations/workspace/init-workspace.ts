import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { CONFIG_PATH, GITATTRIBUTES_PATH, GITIGNORE_PATH, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { OnboardingEngine } from "../engine.ts";
import { rejectHoofyFolder } from "../import/hoofy-conflict.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import type { WorkspaceInitInput, WorkspaceInitOutput } from "./schema.ts";

const IGNORED_FOLDER = ".sdd/";
const MERGE_ATTRIBUTES = [
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

export const initWorkspaceOperation = defineOperation<
  z.infer<typeof WorkspaceInitInput>,
  z.infer<typeof WorkspaceInitOutput>,
  OnboardingEngine
>({
  id: "workspace.init",
  effect: "append",
  mayBegin: true,
  input: async () => (await import("./schema.ts")).WorkspaceInitInput,
  output: async () => (await import("./schema.ts")).WorkspaceInitOutput,
  async run(engine: OnboardingEngine, { merge_drivers = false }) {
    const [template, guide] = await Promise.all([
      engine.assets.text("templates/config"),
      engine.assets.text("guides/connect"),
    ]);
    if (merge_drivers && !(await engine.mergeDrivers.register())) throw createNoGitFault(engine);
    const { created, kept } = await commitStoreWrite(engine, (tree) => {
      rejectHoofyFolder(tree);
      const wanted: readonly WantedFile[] = [
        ...listFoundationFiles(tree, template),
        ...(merge_drivers
          ? [[GITATTRIBUTES_PATH, appendMissingLines(tree.text(GITATTRIBUTES_PATH), MERGE_ATTRIBUTES)] as const]
          : []),
      ];
      const steps = createFoundationSteps(wanted);
      const isWritten = ([, text]: WantedFile): boolean => text !== undefined;
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

function createNoGitFault({ root }: Pick<OnboardingEngine, "root">): Fault {
  return new Fault("workspace.no-git", {
    what: "Merge drivers were not set up.",
    why: `${root} is in no git repository whose settings can be written.`,
    fix: ["git init", { operation: "workspace.init" }],
  });
}

type DocumentWriteStep = Extract<StoreStep, { kind: "document" }>;

type WantedFile = readonly [path: WorkspacePath, text: string | undefined];

const listFoundationFiles = (tree: StoreTree, config: string): readonly WantedFile[] => [
  [GITIGNORE_PATH, updateGitignore(tree)],
  [CONFIG_PATH, tree.has(CONFIG_PATH) ? undefined : config],
];

export const planFoundationSteps = (tree: StoreTree, config: string): DocumentWriteStep[] =>
  createFoundationSteps(listFoundationFiles(tree, config));

function createFoundationSteps(wanted: readonly WantedFile[]): DocumentWriteStep[] {
  return wanted.flatMap(([path, text]): DocumentWriteStep[] =>
    text === undefined ? [] : [{ kind: "document", path, text }],
  );
}

function updateGitignore(tree: StoreTree): string | undefined {
  const ignored = tree.text(GITIGNORE_PATH);
  const isIgnored = ignored?.split(/\r?\n/).some((line) => /^\/?\.sdd\/?$/.test(line.trim())) ?? false;
  return isIgnored ? undefined : appendMissingLines(ignored, [IGNORED_FOLDER]);
}

function appendMissingLines(text: string | undefined, lines: readonly string[]): string | undefined {
  const present = new Set(text?.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return undefined;
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const before = text === undefined || text === "" || text.endsWith("\n") ? (text ?? "") : `${text}${newline}`;
  return `${before}${missing.map((line) => `${line}${newline}`).join("")}`;
}
