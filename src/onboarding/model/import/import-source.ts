import type { DecisionStatus } from "#planning/model/adr/decision-record.ts";
import type { LoggedDecision } from "#roadmap/model/handover/decision-log.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";

/** The tools whose files Tenon reads. cc-sdd shares Kiro's layout. */
export const IMPORT_LAYOUTS = ["hoofy", "spec-drive", "sync-sdd", "spec-kit", "openspec", "kiro"] as const;
export type ImportLayout = (typeof IMPORT_LAYOUTS)[number];

/**
 * Outcome of a source file: taken as a record of ours, carried over as a document, left out, blocked by an existing
 * file, or taken before.
 */
export const IMPORT_OUTCOMES = ["taken", "carried", "left", "collision", "before"] as const;

export interface LayoutFile {
  /** Path from the folder that the tool runs in, with forward slashes: `.kiro/specs/login/design.md`. */
  readonly path: string;
  readonly text: string;
  readonly data?: unknown;
}

export interface ForeignCriterion {
  readonly given?: string;
  readonly when?: string;
  readonly outcome?: string;
  readonly story?: number;
  /** Extra text: its number, its name, or the sentence before it was split. */
  readonly notes?: string;
}

export interface ForeignSpec {
  readonly kind: "spec";
  readonly from: string;
  readonly title: string;
  readonly summary: string;
  readonly stories: readonly string[];
  readonly criteria: readonly ForeignCriterion[];
  readonly success?: readonly string[];
  /** The parts of the document that no other field holds. */
  readonly rest?: string;
  /** The whole document, kept in case it is not valid as a spec. */
  readonly text: string;
}

/** A spec that is already YAML with an id. */
export interface ForeignSpecFile {
  readonly kind: "spec-file";
  readonly from: string;
  readonly id: string;
  readonly text: string;
}

/** A document of a feature. It becomes ours only if it is valid in our form. */
export interface ForeignFeaturePart {
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

export interface ForeignSteering {
  readonly kind: "steering";
  readonly from: string;
  readonly name: string;
  readonly text: string;
}

export interface ForeignAdr {
  readonly kind: "adr";
  readonly from: string;
  readonly title: string;
  readonly status: DecisionStatus;
  readonly date?: string;
  /** From the first section on, unchanged. */
  readonly body: string;
}

export interface ForeignDecisions {
  readonly kind: "decisions";
  readonly from: string;
  readonly entries: readonly LoggedDecision[];
}

export interface ForeignKnowledge {
  readonly kind: "knowledge";
  readonly from: string;
  /** As `pattern-api-retries.md`. */
  readonly name: string;
  readonly text: string;
}

/** A session summary, named by its day: `2026-02-01-2.md`. */
export interface ForeignSession {
  readonly kind: "session";
  readonly from: string;
  readonly name: string;
  readonly text: string;
}

export interface ForeignProjectDocument {
  readonly kind: "project";
  readonly from: string;
  readonly stage: ProjectDocumentStage;
  readonly text: string;
}

/** Carried over unchanged, for people to read. */
export interface ForeignDocument {
  readonly kind: "document";
  readonly from: string;
  readonly text: string;
  readonly why: string;
  /** Title for memory; undefined when it is not worth remembering. */
  readonly remember?: string;
}

export type ForeignItem =
  | ForeignSpec
  | ForeignSpecFile
  | ForeignFeature
  | ForeignSteering
  | ForeignAdr
  | ForeignDecisions
  | ForeignKnowledge
  | ForeignSession
  | ForeignProjectDocument
  | ForeignDocument;

export interface LeftOutFile {
  /** A file, or a folder with a slash at its end. */
  readonly path: string;
  readonly why: string;
  readonly files?: number;
}

export interface ForeignWork {
  readonly from: string;
  readonly description: string;
  readonly type?: string;
  readonly size?: string;
}

export interface LayoutContents {
  readonly items: readonly ForeignItem[];
  readonly left: readonly LeftOutFile[];
  readonly work: readonly ForeignWork[];
}

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
  read(files: readonly LayoutFile[]): LayoutContents;
}

/** Collects the items of a layout. Each file is taken once; the rest is carried over. */
export class LayoutSorter {
  readonly #files: ReadonlyMap<string, LayoutFile>;
  readonly #seen = new Set<string>();
  readonly #items: ForeignItem[] = [];
  readonly #left: LeftOutFile[] = [];
  readonly #work: ForeignWork[] = [];

  constructor(files: readonly LayoutFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  text(path: string): string | undefined {
    return this.#files.get(path)?.text;
  }

  matching(pattern: RegExp): (LayoutFile & { readonly match: RegExpExecArray })[] {
    return [...this.#files.values()].flatMap((file) => {
      const match = this.#seen.has(file.path) ? null : pattern.exec(file.path);
      return match ? [{ ...file, match }] : [];
    });
  }

  take(item: ForeignItem): void {
    this.#seen.add(item.from);
    if (item.kind === "feature") for (const { from } of item.parts) this.#seen.add(from);
    this.#items.push(item);
  }

  leave(path: string, why: string): void {
    this.#seen.add(path);
    this.#left.push({ path, why });
  }

  leaveFolder(folder: string, why: string): void {
    const inside = this.paths.filter((path) => path.startsWith(`${folder}/`) && !this.#seen.has(path));
    for (const path of inside) this.#seen.add(path);
    if (inside.length > 0) this.#left.push({ path: `${folder}/`, why, files: inside.length });
  }

  begin(work: ForeignWork): void {
    this.#work.push(work);
  }

  /** Carries over all remaining files with the given reason. */
  found(why: string): LayoutContents {
    const others = [...this.#files.values()].filter(({ path }) => !this.#seen.has(path));
    for (const { path, text } of others) {
      if (text.trim() === "") this.leave(path, "it is empty");
      else this.take({ kind: "document", from: path, text, why });
    }
    return { items: this.#items, left: this.#left, work: this.#work };
  }
}
