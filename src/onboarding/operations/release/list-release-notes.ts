import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { ReleaseNote } from "../../model/release/release-notes.ts";
import { isFinishedSince, formatReleaseNotes, parseReleaseDate } from "../../model/release/release-notes.ts";
import { HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import { loadDecisionViews } from "#planning/operations/adr/decision-files.ts";
import { loadChangeRecords } from "#planning/operations/change/change-records.ts";
import type { OnboardingEngine } from "../engine.ts";
import { loadFeatureRecords } from "#roadmap/operations/feature/feature-records.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { listSpecFiles, type ListedSpec } from "#planning/operations/spec/list-specs.ts";

export const listReleaseNotes = defineOperation({
  id: "release.notes",
  effect: "read",
  input: async () => (await import("./schema.ts")).ReleaseNotesInputSchema,
  output: async () => (await import("./schema.ts")).ReleaseNotesOutputSchema,
  async run(engine: OnboardingEngine, { since: said }) {
    const at = said === undefined ? undefined : (parseReleaseDate(said) ?? (await findCommitTime(engine, said)));
    const { found, specs, damaged } = await engine.store.read(collectFinishedWork);
    const all = [...found, ...(await createSpecNotes(engine, specs))];
    return {
      ...(said === undefined || at === undefined ? {} : { since: { said, at } }),
      notes: at === undefined ? all : all.filter((note) => isFinishedSince(note, at)),
      damaged,
    };
  },
  page: ({ since, notes: all, damaged }) => ({
    title: since === undefined ? "# Finished work" : `# Finished work since ${since.said}`,
    // The output is a Markdown file that can be saved as it is.
    isGuideVerbatim: true,
    guide: [
      all.length === 0 ? "Nothing." : formatReleaseNotes(all),
      ...damaged.map(({ path, why }) => `<!-- ${path} cannot be read: ${why.replaceAll("--", "- -")} -->`),
    ].join("\n\n"),
  }),
});

async function findCommitTime({ source }: OnboardingEngine, said: string): Promise<string> {
  const at = await source.committedAt(said);
  if (at !== undefined) return at;
  throw new Fault("release.unknown-since", {
    what: "Nothing was finished since then.",
    why: `${quote(said, 60)} is not a date, and git has no commit or tag with that name.`,
    fix: { operation: "release.notes", input: { since: "2026-01-31" } },
  });
}

function collectFinishedWork(tree: StoreTree) {
  const changes = loadChangeRecords(tree, [HISTORY_FOLDER]);
  const features = loadFeatureRecords(tree);
  const adrs = loadDecisionViews(tree);
  const found: ReleaseNote[] = [];
  for (const { feature_name: id, description: title, version, phase, changelog } of features.found.values()) {
    const at = changelog.findLast(({ action }) => action === "implementation")?.at;
    if (phase === "implementation-complete" && at !== undefined)
      found.push({ kind: "feature", id, title, at, more: version });
  }
  for (const { record } of changes.changes) {
    const { id, description: title, updated_at: at, type, abandoned } = record;
    if (abandoned === undefined) found.push({ kind: "change", id, title, at, more: type });
  }
  for (const { ref: id, title, status, date: at, supersedes } of adrs.adrs)
    if (at !== undefined && status === "accepted")
      found.push({ kind: "decision", id, title, at, more: supersedes && `replaces ${supersedes}` });
  const damaged = [...changes.damaged, ...features.damaged, ...adrs.damaged];
  return { found, specs: listSpecFiles(tree).specs, damaged };
}

const UNKNOWN_COMPLETION_DAY = "0000-01-01";

/** Notes from specs with status done. In a clone they are the only trace of workflows. */
async function createSpecNotes(engine: OnboardingEngine, specs: readonly ListedSpec[]): Promise<ReleaseNote[]> {
  if (specs.length === 0) return [];
  const { parseListedSpec } = await import("#planning/operations/spec/spec-files.ts");
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  return readings.flatMap(({ id, kind, document }): ReleaseNote[] => {
    const spec = document?.spec;
    // Research ends in a decision, which has its own note.
    if (spec?.status !== "done" || !("title" in spec)) return [];
    const at = spec.metadata.resolved ?? UNKNOWN_COMPLETION_DAY;
    return [{ kind: kind === "bug" ? "bugfix" : "feature", id, title: spec.title, at }];
  });
}
