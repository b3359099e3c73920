import type { DecisionStatus } from "#planning/model/adr/decision-record.ts";
import type { LoggedDecision } from "#roadmap/model/handover/decision-log.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import type { RequirementPriority } from "#planning/model/living-spec/delta-vocabulary.ts";
import type { OpenspecDelta } from "./openspec-documents.ts";
import type { NamedRequirement } from "./requirement-text.ts";

/** The tools whose files Tenon reads. cc-sdd shares Kiro's layout. */
export const IMPORT_LAYOUTS = ["hoofy", "spec-drive", "sync-sdd", "spec-kit", "openspec", "kiro"] as const;
export type ImportLayout = (typeof IMPORT_LAYOUTS)[number];

/** A record of ours, a document carried over, left out, blocked by an existing file, or imported before. */
export const IMPORT_OUTCOMES = ["taken", "carried", "left", "collision", "before"] as const;

export interface LayoutFile {
  /** Path from the folder that the tool runs in, with forward slashes: `.kiro/specs/login/design.md`. */
  readonly path: string;
  readonly text: string;
  readonly data?: unknown;
}

interface ForeignText<Kind extends string> {
  readonly kind: Kind;
  readonly from: string;
  readonly text: string;
}

export interface ForeignRequirement extends NamedRequirement {
  readonly label?: string;
  readonly priority?: RequirementPriority;
  readonly isQuality?: boolean;
}

/** The requirements of one capability. Its `text` is the whole document. */
export interface ForeignRequirements extends ForeignText<"requirements"> {
  readonly capability: string;
  readonly purpose: string;
  readonly requirements: readonly ForeignRequirement[];
  /** Whether the document has more than these fields hold. */
  readonly hasRest: boolean;
}

export interface ForeignDelta extends OpenspecDelta {
  readonly capability: string;
}

/** A change that was open, or archived. Each of its files is a part. */
export interface ForeignChange {
  readonly kind: "change";
  readonly from: string;
  readonly name: string;
  /** The day of its archive; empty if it has none. Absent for an open change. */
  readonly archived?: string;
  readonly proposal: ForeignProposal;
  readonly deltas: readonly ForeignDelta[];
  /** The purposes of new capabilities. */
  readonly purposes: Readonly<Record<string, string>>;
  /** The capability whose requirements it builds. They need no delta. */
  readonly builds?: string;
  readonly design?: string;
  readonly tasks?: string;
  readonly parts: readonly ForeignChangePart[];
}

interface ForeignChangePart {
  readonly from: string;
  readonly text: string;
  readonly path: string;
  readonly as: "opening" | "spec" | "design" | "tasks";
  readonly hasRest?: boolean;
}

export interface ForeignProposal {
  readonly why: string;
  readonly what: string;
  readonly outOfScope: string;
  readonly rest: string;
  readonly text: string;
}

/** A document of a feature. It becomes ours only if it is valid in our form. */
interface ForeignFeaturePart {
  readonly from: string;
  readonly as: "design" | "research" | "tasks";
  readonly text: string;
}

export interface ForeignFeature {
  readonly kind: "feature";
  readonly from: string;
  readonly name: string;
  readonly description: string;
  readonly language?: string;
  /** Undefined for a feature outside a roadmap. */
  readonly dependencies?: readonly string[];
  readonly parts: readonly ForeignFeaturePart[];
}

/** Its `text` begins with the first section. */
export interface ForeignAdr extends ForeignText<"adr"> {
  readonly title: string;
  readonly status: DecisionStatus;
  readonly date?: string;
}

export interface ForeignDecisions {
  readonly kind: "decisions";
  readonly from: string;
  readonly entries: readonly LoggedDecision[];
}

export type ForeignSpecFile = ForeignText<"spec-file"> & { readonly id: string };
/** Named as `product`, as `pattern-api-retries.md`, or by a session's day: `2026-02-01-2.md`. */
type ForeignNamedText = ForeignText<"steering" | "knowledge" | "session"> & { readonly name: string };
export type ForeignProjectDocument = ForeignText<"project"> & { readonly stage: ProjectDocumentStage };
/** Carried over unchanged, for people to read. `remember` is a title for memory. */
export type ForeignDocument = ForeignText<"document"> & { readonly why: string; readonly remember?: string };

export type ForeignItem =
  | ForeignRequirements
  | ForeignChange
  | ForeignSpecFile
  | ForeignFeature
  | ForeignAdr
  | ForeignDecisions
  | ForeignNamedText
  | ForeignProjectDocument
  | ForeignDocument;

export interface LeftOutFile {
  /** A file, or a folder with a slash at its end. */
  readonly path: string;
  readonly why: string;
  readonly files?: number;
}

type ForeignWork = Readonly<Record<"from" | "description", string>> & {
  readonly type?: string;
  readonly size?: string;
};

export type LayoutContents = LayoutSorter["contents"];

export type MatchedFile = LayoutFile & { readonly match: RegExpExecArray };

/** An item, a reason to carry the file over unchanged, or a reason to leave it; undefined lets later rows decide. */
export type FileOutcome = ForeignItem | string | { readonly leave: string } | undefined;

type RowOutcome = FileOutcome | ((file: MatchedFile, sorter: LayoutSorter) => FileOutcome);

/** What becomes of the files whose path matches, or of a whole folder. */
type LayoutRow = readonly [path: RegExp, outcome: RowOutcome] | { readonly folder: string; readonly why: string };

export const leaveToolFolders = (root: string, ...names: readonly string[]): LayoutRow[] =>
  names.map((name) => ({ folder: `${root}/${name}`, why: "it belongs to the tool, not to the project" }));

/** Finds and reads the files of one tool. Paths begin at the folder that the tool runs in. */
export interface LayoutReader {
  readonly layout: ImportLayout;
  readonly folders: readonly string[];
  /** Whether a file's content decides if the tool is in use, where names alone do not. */
  isMarker?(path: string): boolean;
  /** Whether the tool is in use, by its own files only. */
  isThere(paths: readonly string[]): boolean;
  /** The tool's folders, according to the content of the markers. */
  rootsIn?(markers: ReadonlyMap<string, string>): readonly string[];
  /** Which of its folders a bare folder with these paths could be. */
  selfIn(paths: readonly string[]): string | undefined;
  isOwn(path: string): boolean;
  /** In the order in which files are read. */
  readonly rows: readonly LayoutRow[];
  /** Why all other files are carried over. */
  readonly rest: string;
}

/** Sorts the files of a layout by its rows. Each file is taken once; the rest is carried over. */
export function readLayout(reader: LayoutReader, files: readonly LayoutFile[]): LayoutContents {
  const sorter = new LayoutSorter(files);
  for (const file of sorter.matching(/(?:^|\/)\.git(?:keep|ignore|attributes)$/))
    sorter.settle(file, { leave: "it is there for git" });
  for (const row of reader.rows) {
    if ("folder" in row) sorter.leaveFolder(row.folder, row.why);
    else for (const file of sorter.matching(row[0])) sorter.settle(file, row[1]);
  }
  for (const file of sorter.matching(/(?:)/))
    sorter.settle(file, file.text.trim() === "" ? { leave: "it is empty" } : reader.rest);
  return sorter.contents;
}

export class LayoutSorter {
  readonly #files: ReadonlyMap<string, LayoutFile>;
  readonly #seen = new Set<string>();
  readonly contents = { items: [] as ForeignItem[], left: [] as LeftOutFile[], work: [] as ForeignWork[] };

  constructor(files: readonly LayoutFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  text(path: string): string | undefined {
    return this.#files.get(path)?.text;
  }

  /** The files that no row has settled yet. */
  matching(pattern: RegExp): MatchedFile[] {
    return [...this.#files.values()].flatMap((file) => {
      const match = this.#seen.has(file.path) ? null : pattern.exec(file.path);
      return match ? [{ ...file, match }] : [];
    });
  }

  /** The documents of a feature. The pattern finds its folder and the name of the part. */
  listParts(pattern: RegExp, folder: string): ForeignFeaturePart[] {
    return this.matching(pattern).flatMap(({ path: from, text, match: [, inside, name = ""] }) => {
      const as = FEATURE_PARTS[name.replace(/\..*$/, "")];
      return as && inside === folder ? [{ from, as, text }] : [];
    });
  }

  settle(file: MatchedFile, given: RowOutcome): void {
    const { path, text } = file;
    // An earlier file of the same row may have included this one.
    if (this.#seen.has(path)) return;
    const outcome = typeof given === "function" ? given(file, this) : given;
    if (typeof outcome === "string") this.take({ kind: "document", from: path, text, why: outcome });
    else if (outcome && "leave" in outcome) this.leaveFile(path, outcome.leave);
    else if (outcome) this.take(outcome);
  }

  leaveFile(path: string, why: string): void {
    this.#seen.add(path);
    this.contents.left.push({ path, why });
  }

  take(item: ForeignItem): void {
    this.#seen.add(item.from);
    if (item.kind === "feature" || item.kind === "change") for (const { from } of item.parts) this.#seen.add(from);
    this.contents.items.push(item);
  }

  leaveFolder(folder: string, why: string): void {
    const inside = [...this.#files.keys()].filter((path) => path.startsWith(`${folder}/`) && !this.#seen.has(path));
    for (const path of inside) this.#seen.add(path);
    if (inside.length > 0) this.contents.left.push({ path: `${folder}/`, why, files: inside.length });
  }
}

const FEATURE_PARTS: Readonly<Partial<Record<string, ForeignFeaturePart["as"]>>> = {
  plan: "design",
  design: "design",
  research: "research",
  tasks: "tasks",
};

export const createSteeringItem = ({ path, text, match }: MatchedFile, name = match[1] ?? ""): ForeignItem => ({
  kind: "steering",
  from: path,
  name,
  text,
});

/** A document without requirements stays a document. */
export const takeRequirements = (found: ForeignRequirements, otherwise: string): FileOutcome =>
  found.requirements.length > 0 ? found : otherwise;
