import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import {
  getFeatureDesignPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  getSteeringFilePath,
  STEERING_FOLDER,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { LedgerEntry, LedgerSpace, StoreTree } from "#store/operations/ports/store.ts";
import { PathSet } from "../../model/feature/claimed-path.ts";
import { checkDesign, checkResearchDocument } from "../../model/feature/design-check.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import * as heldContent from "../../model/feature/held-content.ts";
import type { DesignFacts, Lead } from "../../model/lead/lead-state.ts";
import { getFeatureGoal } from "../../model/lead/lead-view.ts";
import { mapFileOwnership } from "../../model/file-ownership.ts";
import type { RoadmapEngine } from "../engine.ts";

type Digest = RoadmapEngine["digest"];

export const hashDocument = (digest: Digest, text: string): string => digest(heldContent.normalizeDocumentText(text));

/** Hashes of the steering files. Tenon writes into product.md itself, so of that only the user's intent counts. */
function hashSteeringFiles(tree: StoreTree, digest: Digest): Record<string, string> {
  const names = tree.names(STEERING_FOLDER).filter((name) => name.endsWith(".md"));
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = tree.text(getSteeringFilePath(name));
      return text === undefined ? [] : [[name, hashSteeringText(digest, name, text)] as const];
    }),
  );
}

export function hashSteeringText(digest: Digest, name: string, text: string): string {
  const sections = ["Vision", "Anti-Goals"].map((heading) => extractSectionText(text, heading) ?? "");
  return hashDocument(digest, name === "product.md" ? sections.join("\n\n") : text);
}

const createMissingProblem = (path: string) => ({ problem: `${path} is not there.` });

/** The design of a feature as it is in the files, with everything that an acceptance stores. */
export function readDesignFacts(tree: StoreTree, digest: Digest, feature: FeatureName): DesignFacts {
  const [path, researchPath] = [getFeatureDesignPath(feature), getFeatureResearchPath(feature)];
  const [text, notes] = [tree.text(path), tree.text(researchPath)];
  // Problems without a file name belong to the design.
  const unsound = notes === undefined ? [] : checkResearchDocument(notes).problems;
  const behind = unsound.map(({ problem, line }) => ({
    problem: `${researchPath}${line === undefined ? "" : `:${line}`}: ${problem}`,
  }));
  if (notes === undefined) behind.push(createMissingProblem(researchPath));
  if (text === undefined) return { hash: "", files: [], problems: [createMissingProblem(path), ...behind] };
  const checked = checkDesign(text);
  const parts = [...heldContent.splitDesignParts(text, checked)].map(([name, part]) => [name, digest(part)] as const);
  return {
    hash: hashDocument(digest, text),
    files: checked.files,
    ...(notes === undefined ? {} : { research: hashDocument(digest, notes) }),
    steering: hashSteeringFiles(tree, digest),
    offers: digest(heldContent.describeOfferedParts(text, checked)),
    parts: Object.fromEntries(parts),
    problems: [...checked.problems, ...behind],
    components: checked.components.map(({ name, files }) => ({ name, files })),
  };
}

/** Documents that differ from their accepted version. Records of earlier releases hold hashes of the exact text. */
export function findDocumentEdits(tree: StoreTree, digest: Digest, records: Iterable<FeatureRecord>) {
  const edits = new Map<FeatureName, heldContent.FeatureEdits>();
  let steering: Record<string, string> | undefined;
  for (const { feature_name: name, design, implementation } of records) {
    if (!design) continue;
    const isEdited = (path: WorkspacePath, held: string | undefined, normalize = heldContent.normalizeDocumentText) => {
      const text = held === undefined ? undefined : tree.text(path);
      return text !== undefined && digest(normalize(text)) !== held && digest(text) !== held;
    };
    const now = design.steering ? (steering ??= hashSteeringFiles(tree, digest)) : {};
    const files = Object.keys(design.steering ?? {}).filter((file) => now[file] !== design.steering?.[file]);
    const found: heldContent.FeatureEdits = {
      ...(isEdited(getFeatureDesignPath(name), design.hash) ? { design: true } : {}),
      ...(isEdited(getFeatureResearchPath(name), design.research) ? { research: true } : {}),
      ...(isEdited(getFeatureTasksPath(name), implementation.plan_text, heldContent.normalizePlanText)
        ? { tasks: true }
        : {}),
      ...(files.length > 0 ? { steering: files } : {}),
    };
    if (Object.keys(found).length > 0) edits.set(name, found);
  }
  return edits;
}

export type CodeEdits = ReadonlyMap<FeatureName, readonly string[]>;

/** Not files that another feature writes too, which the wave's gate tests, and not those of finished waves. */
export async function findCodeEdits({ source, digest }: RoadmapEngine, lead: Lead): Promise<CodeEdits> {
  const edits = new Map<FeatureName, readonly string[]>();
  const held = [...lead.features.values()].filter((record) => isCodeHeld(lead, record));
  if (held.length === 0) return edits;
  for (const record of held) {
    const others = [...lead.features.values()].filter((other) => other !== record);
    const shared = new PathSet([...mapFileOwnership(others).files.values()].map(({ path }) => path));
    const changed: string[] = [];
    for (const [path, hash] of Object.entries(record.implementation.file_hashes ?? {})) {
      if (shared.has(path)) continue;
      const stamp = await source.stamped(path);
      if (stamp.kind === "missing" || (stamp.kind === "text" && hashSource(digest, path, stamp.text) !== hash))
        changed.push(path);
    }
    if (changed.length > 0) edits.set(record.feature_name, changed);
  }
  return edits;
}

const isCodeHeld = (lead: Lead, record: FeatureRecord): boolean =>
  record.phase === "implementation-complete" &&
  record.implementation.hash !== null &&
  getFeatureGoal(lead, record) !== null &&
  lead.waves.get(record.roadmap?.wave ?? 0)?.step !== "done";

export const hashSource = (digest: Digest, path: string, text: string): string =>
  digest(heldContent.normalizeSourceText(path, text));

export function joinEdits(documents: ReturnType<typeof findDocumentEdits>, code: CodeEdits) {
  const edits = new Map(documents);
  for (const [name, files] of code) edits.set(name, { ...edits.get(name), code: files });
  return edits;
}

/** The accepted texts, to show what changed since. By checkout and path. */
const ACCEPTED_TEXT_SPACE: LedgerSpace<string> = { name: "roadmap-accepted" };
const MAX_SHOWN_DIFF = 1_500;
const MAX_ACCEPTED_TEXT = 100_000;

export function planAcceptedTexts(tree: StoreTree, checkout: string, before: Lead, after: Lead): LedgerEntry[] {
  const isNew = (record: FeatureRecord): boolean => {
    const was = before.features.get(record.feature_name);
    return (
      record.design !== null &&
      (was?.design?.hash !== record.design.hash ||
        was.design.research !== record.design.research ||
        was.implementation.plan_text !== record.implementation.plan_text)
    );
  };
  const fresh = [...after.features.values()].filter(isNew);
  const built = [...after.features.values()].flatMap(({ feature_name, implementation: { file_hashes } }) =>
    file_hashes === before.features.get(feature_name)?.implementation.file_hashes ? [] : Object.keys(file_hashes ?? {}),
  );
  if (fresh.length + built.length === 0) return [];
  const paths = [
    ...built.map(getSourcePath),
    ...fresh.flatMap(({ feature_name: name }) => [
      getFeatureDesignPath(name),
      getFeatureResearchPath(name),
      getFeatureTasksPath(name),
    ]),
    ...(fresh.length === 0 ? [] : tree.names(STEERING_FOLDER).map(getSteeringFilePath)),
  ];
  return paths.flatMap((path) => {
    const text = readShortText(tree, path);
    const key = `${checkout} ${path}`;
    return text === undefined || tree.kept(ACCEPTED_TEXT_SPACE).get(key) === text
      ? []
      : [{ space: ACCEPTED_TEXT_SPACE.name, key, value: text }];
  });
}

export function describeEdits(tree: StoreTree, checkout: string, name: FeatureName, edits: heldContent.FeatureEdits) {
  const paths = [
    ...(edits.design ? [getFeatureDesignPath(name)] : []),
    ...(edits.research ? [getFeatureResearchPath(name)] : []),
    ...(edits.tasks ? [getFeatureTasksPath(name)] : []),
    ...(edits.steering ?? []).map(getSteeringFilePath),
  ];
  const code = (edits.code ?? []).map(getSourcePath);
  return [...paths, ...code].map((path) => {
    const before = tree.kept(ACCEPTED_TEXT_SPACE).get(`${checkout} ${path}`);
    const diff = before === undefined ? "" : formatLineDiff(before, readShortText(tree, path) ?? "");
    const lines = diff.split("\n").filter((line) => /^[-+]/.test(line));
    const room = MAX_SHOWN_DIFF / Math.max(1, code.length);
    return { path: String(path), lines: sanitizeText(lines.join(" ⏎ "), room) };
  });
}

/** Files of groups were checked to be paths inside the workspace. */
const getSourcePath = (path: string): WorkspacePath => path as WorkspacePath;

/** Undefined for a file that is missing, no text or long. Of such a file only the name is shown. */
function readShortText(tree: StoreTree, path: WorkspacePath): string | undefined {
  const text = createTolerantTree(tree, () => undefined).text(path);
  return text !== undefined && text.length <= MAX_ACCEPTED_TEXT ? text : undefined;
}

/** One line for the Lead and the user, with the command that accepts the edit. */
export function formatEditNote(tree: StoreTree, checkout: string, name: FeatureName, edits: heldContent.FeatureEdits) {
  const said = describeEdits(tree, checkout, name, edits).map(({ path, lines }) =>
    lines === "" ? path : `${path} (${lines})`,
  );
  const next = edits.design || edits.research || edits.steering ? "The design is reviewed again." : "";
  const gate = edits.code ? "The code passes its gate and its review again." : "";
  const plan = edits.tasks ? "The edited plan counts from now on." : "";
  const accept = edits.tasks && Object.keys(edits).length === 1 ? "" : ACCEPT_HINT.replace("{name}", name);
  return [`Changed since ${name} was accepted: ${said.join(", ")}.`, next, gate, plan, accept]
    .filter((part) => part !== "")
    .join(" ");
}

const ACCEPT_HINT = 'To keep the review, the user types: tenon roadmap accept {name} --reason "…"';
