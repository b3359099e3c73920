import { Fault } from "#kernel/model/fault.ts";
import { GITATTRIBUTES_PATH } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { OnboardingEngine } from "../engine.ts";
import {
  appendMissingLines,
  createFoundationSteps,
  listFoundationFiles,
  type WantedFile,
} from "#planning/operations/workspace-foundation.ts";
import { rejectHoofyFolder } from "../import/hoofy-conflict.ts";
import { defineOperation } from "#kernel/operations/operation.ts";

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

export const initWorkspaceOperation = defineOperation({
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
    if (merge_drivers && !(await engine.mergeDrivers.register())) {
      throw new Fault("workspace.no-git", {
        what: "Merge drivers were not set up.",
        why: `${engine.root} is not in a git repository with writable settings.`,
        fix: ["git init", { operation: "workspace.init" }],
      });
    }
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
    title:
      created.length > 0 ? `Tenon is set up in ${root}.` : `Tenon is set up in ${root} already. Nothing was changed.`,
    points: [
      ...created.map((path) => `${path} written`),
      ...kept.map((path) => `${path} kept as it was`),
      merge_drivers
        ? "Git merges requirements, rules, tasks and records by id in this clone. Run this command once in every other clone."
        : "Optional: git can merge requirements, rules, tasks and records by id: `tenon init --merge-drivers`",
    ],
    guide,
    next: [
      { operation: "setup.clients" },
      { operation: "stack.trust" },
      { operation: "change.start", input: { type: "fix", size: "small", description: "…" } },
      ...(merge_drivers ? [] : [{ operation: "workspace.init", input: { merge_drivers: true } }]),
    ],
  }),
});
