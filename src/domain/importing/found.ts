import type { AdrStatus } from "../adr/adr.ts";
import type { LoggedDecision } from "../handover/decisions.ts";
import type { WrittenStage } from "../project/flow.ts";

/** The tools whose files are read. Kiro's layout is that of cc-sdd too. */
export const LAYOUTS = ["hoofy", "spec-drive", "sync-sdd", "spec-kit", "openspec", "kiro"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Whether a file was taken as something of ours, carried over as a document, left, in the way or taken before. */
export const OUTCOMES = ["taken", "carried", "left", "collision", "before"] as const;

/** A file of a layout. */
export interface SourceText {
  /** Below the folder that the tool would be started in, with forward slashes: `.kiro/specs/login/design.md`. */
  readonly path: string;
  readonly text: string;
  /** What a YAML file says; nothing where it cannot be read. */
  readonly data?: unknown;
}

/** What somebody must be able to see, as its author wrote it. */
export interface FoundCriterion {
  readonly given?: string;
  readonly when?: string;
  readonly outcome?: string;
  /** Which of the stories it belongs to, counted from 1. */
  readonly story?: number;
  /** What was said besides: its number, its name, or the sentence before it was taken apart. */
  readonly notes?: string;
}

/** What must be true before something is built, from a document that is no spec of ours yet. */
export interface FoundSpec {
  readonly kind: "spec";
  readonly from: string;
  readonly title: string;
  /** Empty where the document says none. */
  readonly summary: string;
  /** As sentences. */
  readonly stories: readonly string[];
  readonly criteria: readonly FoundCriterion[];
  readonly success?: readonly string[];
  /** What of the document stands nowhere else in the spec. */
  readonly rest?: string;
  /** The whole document, in case the spec does not hold. */
  readonly text: string;
}

/** A spec that has an id and is YAML already. */
export interface FoundSpecFile {
  readonly kind: "spec-file";
  readonly from: string;
  readonly id: string;
  readonly text: string;
}

/** A document of a feature; it is taken as ours only where it holds as ours. */
export interface FoundPart {
  readonly from: string;
  readonly as: "design" | "research" | "tasks";
  readonly text: string;
}

export interface FoundFeature {
  readonly kind: "feature";
  /** The file that says most of it. */
  readonly from: string;
  /** As the source calls it. */
  readonly name: string;
  readonly description: string;
  readonly language?: string;
  /** Nothing where it has no place in a roadmap. */
  readonly dependencies?: readonly string[];
  readonly parts: readonly FoundPart[];
}

export interface FoundSteering {
  readonly kind: "steering";
  readonly from: string;
  readonly name: string;
  readonly text: string;
}

export interface FoundAdr {
  readonly kind: "adr";
  readonly from: string;
  readonly title: string;
  readonly status: AdrStatus;
  readonly date?: string;
  /** From the first section on, to the byte. */
  readonly body: string;
}

export interface FoundDecisions {
  readonly kind: "decisions";
  readonly from: string;
  readonly entries: readonly LoggedDecision[];
}

export interface FoundKnowledge {
  readonly kind: "knowledge";
  readonly from: string;
  /** As `pattern-api-retries.md`. */
  readonly name: string;
  readonly text: string;
}

/** What a session left behind, by its day: `2026-02-01-2.md`. */
export interface FoundSession {
  readonly kind: "session";
  readonly from: string;
  readonly name: string;
  readonly text: string;
}

/** A document of the whole project. */
export interface FoundProjectDocument {
  readonly kind: "project";
  readonly from: string;
  readonly stage: WrittenStage;
  readonly text: string;
}

/** Carried over as it is, for people to read. */
export interface FoundDocument {
  readonly kind: "document";
  readonly from: string;
  readonly text: string;
  /** Why it is nothing more. */
  readonly why: string;
  /** Under what title it is worth remembering; nothing where it is not. */
  readonly remember?: string;
}

export type FoundItem =
  | FoundSpec
  | FoundSpecFile
  | FoundFeature
  | FoundSteering
  | FoundAdr
  | FoundDecisions
  | FoundKnowledge
  | FoundSession
  | FoundProjectDocument
  | FoundDocument;

/** What is not taken, and why. */
export interface Left {
  /** A file, or a folder with a slash at its end. */
  readonly path: string;
  readonly why: string;
  /** How many files a folder stands for. */
  readonly files?: number;
}

/** Work that was under way in the source, and how it is begun here. */
export interface FoundWork {
  readonly from: string;
  readonly description: string;
  readonly type?: string;
  readonly size?: string;
}

export interface Found {
  readonly items: readonly FoundItem[];
  readonly left: readonly Left[];
  readonly work: readonly FoundWork[];
}

/** How the files of one tool are found and read. Paths begin at the folder that the tool would be started in. */
export interface LayoutReader {
  readonly layout: Layout;
  /** Where its files may lie. */
  readonly folders: readonly string[];
  /** The files that tell whether the tool is at work, if their names alone do not. */
  isMarker?(path: string): boolean;
  /** Whether the tool is at work, by its own files alone. */
  isThere(paths: readonly string[]): boolean;
  /** Where that takes a look into the markers: the folders in which it is. */
  rootsIn?(markers: ReadonlyMap<string, string>): readonly string[];
  /** As which of its folders a folder by itself may be read that holds these paths. */
  selfIn(paths: readonly string[]): string | undefined;
  /** Whether a file belongs to the tool: what does not is nobody's business. */
  isOwn(path: string): boolean;
  read(files: readonly SourceText[]): Found;
}
