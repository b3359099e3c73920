import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { getManifestPath, getReleasePath } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { planRecordedAnswer } from "#planning/operations/approval/approval-log-files.ts";
import {
  type ApprovalRequest,
  askApproval,
  formatQuestionPoints,
  keepOpenQuestion,
  suggestQuestionSteps,
  viewOpenQuestion,
} from "#planning/operations/approval/ask-approval.ts";
import { APPROVAL_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { type Lead } from "#roadmap/model/lead/lead-state.ts";
import { getLeadView } from "#roadmap/model/lead/lead-view.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { testCleanCheckout } from "#roadmap/operations/lead/feature-tests.ts";
import {
  MANIFEST_NAMES,
  readManifestVersion,
  setCargoLockVersion,
  setManifestVersion,
} from "../../model/release/manifest-version.ts";
import { getNextVersion, isVersion } from "../../model/release/next-version.ts";
import { formatReleaseNotes } from "../../model/release/release-notes.ts";
import type { OnboardingEngine } from "../engine.ts";
import { listReleaseNotes } from "./list-release-notes.ts";
import type { CreateReleaseInputSchema, CreateReleaseOutputSchema } from "./schema.ts";

type CreateReleaseInput = z.infer<typeof CreateReleaseInputSchema>;
type CreateReleaseOutput = z.infer<typeof CreateReleaseOutputSchema>;

const CHOICES = ["release", "stop"];
/** The release itself commits these. */
const OWN_FOLDERS = /^sdd\/(?:approvals|handover)\//;

/** Shows the plan first. Commits the notes and sets a local tag once the user approves; pushes nothing. */
export const createRelease = defineOperation<CreateReleaseInput, CreateReleaseOutput, OnboardingEngine>({
  id: "release.create",
  effect: "append",
  isLong: true,
  input: async () => (await import("./schema.ts")).CreateReleaseInputSchema,
  output: async () => (await import("./schema.ts")).CreateReleaseOutputSchema,
  async run(engine: OnboardingEngine, { version: wanted, approve }) {
    const { plan, problems } = await planRelease(engine, wanted);
    const head = problems.length === 0 ? await engine.source.head() : undefined;
    if (head === undefined) return { released: false, ...plan, problems };
    const request = await createReleaseRequest(engine, plan, head);
    const known = await engine.store.read((tree) => tree.kept(APPROVAL_SPACE).get(request.id));
    // The question of this tree was asked only after its tests had passed.
    const isShown = known?.text === request.text;
    const failures = isShown ? [] : await listTestProblems(engine);
    if (failures.length > 0) return { released: false, ...plan, problems: failures };
    // The user approves a plan that was shown.
    const given = approve === undefined || !isShown ? undefined : { by: approve, choice: "release" };
    const asked = await askApproval(engine, request, { session: engine.session, given });
    await keepOpenQuestion(engine, asked);
    const question = viewOpenQuestion(asked);
    if (question) return { released: false, ...plan, problems: [], user_question: question };
    if (asked.answer?.choice !== "release")
      return { released: false, ...plan, problems: [{ problem: "The user answered stop, so nothing is released." }] };
    const text = `# ${plan.tag}\n\n${plan.notes}\n`;
    await engine.store.write((tree) => {
      const recorded = planRecordedAnswer(tree, "release", asked);
      const manifests = planManifestSteps(tree, plan);
      return {
        steps: [...manifests, { kind: "document", path: getReleasePath(plan.tag), text }, ...(recorded.steps ?? [])],
        keeps: recorded.keeps ?? [],
        occurrences: [{ kind: "release.created", subject: plan.tag, data: { version: plan.version } }],
        result: undefined,
      };
    });
    const manifests = plan.manifests.map(({ path }) => path);
    const done = await engine.snapshots.commitOwnFiles(`Release ${plan.version}`, manifests);
    const why = done && "why" in done ? done.why : undefined;
    const commit = done && "hash" in done ? done.hash : head;
    const broken = why === undefined && manifests.length > 0 ? await listTestProblems(engine) : [];
    if (broken.length > 0) {
      const undo = `No tag is set. Undo the commit: git reset --soft ${head.slice(0, 12)}`;
      return { released: false, ...plan, problems: [...broken, { problem: undo }] };
    }
    const failed = why ?? (await engine.snapshots.createTag(plan.tag, text, commit));
    if (failed !== undefined) return { released: false, ...plan, problems: [{ problem: failed }] };
    return { released: true, ...plan, problems: [], commit };
  },
  page: formatReleasePage,
  asks: ({ user_question: question }) => question,
  isRefusal: ({ problems }) => problems.length > 0,
});

async function planRelease(engine: OnboardingEngine, wanted: string | undefined) {
  const { snapshots } = engine;
  const isGit = (await snapshots.isPossible()) && (await engine.source.head()) !== undefined;
  const tags = isGit ? (await snapshots.tags()).filter(isVersion) : [];
  const [since] = tags;
  const found = await listReleaseNotes.run(engine, since === undefined ? {} : { since });
  const version = (wanted ?? getNextVersion(since, found.notes)).replace(/^v(?=\d)/, "");
  const tag = since === undefined || since.startsWith("v") ? `v${version}` : version;
  const changed = isGit ? (await snapshots.uncommitted()).filter((path) => !OWN_FOLDERS.test(path)) : [];
  const problems: Problem[] = [
    ...(isGit ? [] : ["There is no commit to release. Commit first: git add -A && git commit"]),
    ...(isVersion(version) ? [] : [`${version} is not a version. Write it as 1.2.0.`]),
    ...(tags.includes(tag) ? [`The tag ${tag} exists. Choose a higher version: tenon release ${version}.1`] : []),
    ...listOpenWaves(await readLead(engine)),
    ...(changed.length > 0
      ? [`The files are not committed: ${changed.slice(0, 5).join(", ")}. Commit them, or stash them: git stash -u`]
      : []),
    ...found.damaged.map(({ path, why }) => `${path} cannot be read: ${why}`),
  ].map((problem) => ({ problem }));
  const notes = formatReleaseNotes(found.notes) || "No finished work is recorded.";
  const manifests = problems.length === 0 ? await listManifests(engine, version) : [];
  return { plan: { version, tag, ...(since === undefined ? {} : { since }), notes, manifests }, problems };
}

/** An open wave has code that its gate has not seen. Designs alone are no code. */
function listOpenWaves(lead: Lead): string[] {
  const { openWave, byWave } = getLeadView(lead);
  const begun = (byWave.get(openWave) ?? []).filter(
    ({ phase, implementation }) => phase !== "blocked" && implementation.groups.some(({ status }) => status === "done"),
  );
  if (begun.length === 0) return [];
  const names = begun.map(({ feature_name: name }) => name).join(", ");
  return [`Wave ${openWave} is open: ${names}. Finish it first: tenon roadmap`];
}

const CARGO_LOCK = "Cargo.lock";

/** Manifests in the folder of the workspace that have another version. */
async function listManifests({ source }: OnboardingEngine, version: string) {
  const found: { path: string; from: string }[] = [];
  for (const path of MANIFEST_NAMES) {
    const from = readManifestVersion(path, (await source.text(path)) ?? "");
    if (from !== undefined && from !== version) found.push({ path, from });
  }
  const cargo = found.find(({ path }) => path === "Cargo.toml");
  const lock = cargo && (await source.text(CARGO_LOCK));
  const isLocked =
    lock !== undefined && setCargoLockVersion((await source.text("Cargo.toml")) ?? "", lock, version) !== undefined;
  return cargo && isLocked ? [...found, { path: CARGO_LOCK, from: cargo.from }] : found;
}

function planManifestSteps(tree: StoreTree, { manifests, version }: ReleasePlan): StoreStep[] {
  return manifests.flatMap(({ path: name }) => {
    const path = getManifestPath(name);
    const before = tree.text(path) ?? "";
    const text =
      name === CARGO_LOCK
        ? setCargoLockVersion(tree.text(getManifestPath("Cargo.toml")) ?? "", before, version)
        : setManifestVersion(name, before, version);
    return text === undefined || text === before ? [] : [{ kind: "document", path, text }];
  });
}

type ReleasePlan = Awaited<ReturnType<typeof planRelease>>["plan"];

async function createReleaseRequest(
  engine: OnboardingEngine,
  plan: ReleasePlan,
  head: string,
): Promise<ApprovalRequest> {
  const tree = await engine.snapshots.sourceTreeOf(head);
  return {
    id: `release/${plan.tag}`,
    area: "roadmap",
    stage: "release",
    question: `Release ${plan.tag} from ${head.slice(0, 12)}? ${formatManifests(plan)}Tenon commits its notes and tags that commit. It pushes nothing. Choose release or stop.`,
    choices: CHOICES,
    text: engine.digest(JSON.stringify([plan, tree])),
    mustChoose: true,
  };
}

const formatManifests = ({ manifests, version }: Pick<ReleasePlan, "manifests" | "version">): string =>
  manifests.length === 0
    ? ""
    : `Tenon sets ${version} in ${manifests.map(({ path, from }) => `${path} (${from})`).join(", ")}. `;

/** Unknown is not passed: a release needs its tests, or the user's waiver in the settings. */
async function listTestProblems(engine: OnboardingEngine): Promise<Problem[]> {
  engine.progress.tell("running the tests in a clean checkout");
  const files = (await engine.source.files()).map(({ path }) => path);
  const run = await testCleanCheckout(engine, files, { paths: [], unfinished: [] });
  if (!run || run.status === "passed" || run.status === "waived") return [];
  const what = run.status === "failed" ? "The tests fail" : "The tests were not judged";
  return [{ problem: `${what} in a clean checkout of this commit.` }, ...run.problems];
}

function formatReleasePage({ released, tag, since, notes, problems, commit, ...rest }: CreateReleaseOutput): Page {
  const { user_question: question } = rest;
  const again = { operation: "release.create", input: { version: rest.version } };
  const title = released
    ? `Released ${tag}.`
    : `${problems.length > 0 ? `${tag} cannot be released` : `The plan to release ${tag}`}${since ? `, after ${since}` : ""}.`;
  return {
    title,
    ...(commit === undefined ? {} : { facts: [["commit", commit.slice(0, 12)]] }),
    points: [
      ...problems.map(({ problem }) => problem),
      ...(question ? formatQuestionPoints(question) : []),
      ...(released ? [`Nothing is pushed. To publish it: git push --follow-tags`] : []),
    ],
    guide: notes,
    next: question ? suggestQuestionSteps(question, again) : [],
  };
}
