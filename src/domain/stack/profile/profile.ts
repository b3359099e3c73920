import type { StackCheck, CheckKind } from "../check.ts";
import type { FolderConditions } from "./condition.ts";

export interface ProfileCheck extends StackCheck {
  readonly when: FolderConditions;
  /** Whether it runs only if no other check of its kind does. */
  readonly otherwise: boolean;
}

export interface StackIndicator {
  readonly when: FolderConditions;
  readonly score: number;
  readonly says: string;
}

export interface DetectionRules {
  /** Manifest names: a folder with one of them may be such a stack. */
  readonly at: readonly string[];
  readonly indicators: readonly StackIndicator[];
  /** When a folder below another of the same stack counts as a separate stack. */
  readonly alone: FolderConditions;
}

export interface ControlPattern {
  /** A name with stars, in the folder and above it; with `**` and a slash before it, also below. */
  readonly file: string;
  /** The relevant keys of a manifest, if not the whole file counts. */
  readonly parts?: readonly string[];
}

export interface ProfileExample {
  readonly name: string;
  readonly code: string;
}

export interface StackProfile {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly test_framework: string;
  readonly detection?: DetectionRules;
  readonly checks: readonly ProfileCheck[];
  readonly instead: Readonly<Partial<Record<CheckKind, CheckKind>>>;
  readonly test_files: readonly string[];
  readonly source_files: readonly string[];
  readonly borrowed: readonly string[];
  readonly control: readonly ControlPattern[];
  /** Globs by role, such as `component`. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly conventions: readonly string[];
  readonly enforcement: readonly string[];
  readonly docs: readonly string[];
  readonly examples: readonly ProfileExample[];
}

/** A profile as written in one file. Missing fields come from the profile that it extends. */
export interface ProfileSource extends Partial<Omit<StackProfile, "id">> {
  readonly id: string;
  readonly extends?: string;
  /** Inherited checks to drop: a kind, or a kind and a tool as in `lint/pylint`. */
  readonly off?: readonly string[];
}

export const BUILT_IN_PROFILES = [
  "typescript-react",
  "typescript-node",
  "python-fastapi",
  "go",
  "rust",
  "generic",
] as const;

const PROFILE_ALIASES: ReadonlyMap<string, string> = new Map([
  ["go-gin", "go"],
  ["go-standard", "go"],
  ["golang", "go"],
  ["javascript-react", "typescript-react"],
  ["node", "typescript-node"],
  ["nodejs", "typescript-node"],
  ["javascript-node", "typescript-node"],
  ["react", "typescript-react"],
  ["typescript", "typescript-react"],
  ["typescript-nextjs", "typescript-react"],
  ["nextjs", "typescript-react"],
  ["python", "python-fastapi"],
  ["python-django", "python-fastapi"],
  ["python-flask", "python-fastapi"],
  ["fastapi", "python-fastapi"],
  ["rust-actix", "rust"],
  ["rust-cargo", "rust"],
]);

export function findNamedProfile(name: string, profiles: readonly StackProfile[]): StackProfile | undefined {
  const called = (id: string | undefined): StackProfile | undefined => profiles.find((profile) => profile.id === id);
  return called(name) ?? called(PROFILE_ALIASES.get(name.toLowerCase()));
}

export const PROFILE_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
