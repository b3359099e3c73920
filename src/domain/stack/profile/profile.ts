import type { Check, CheckKind } from "../check.ts";
import type { Conditions } from "./condition.ts";

/** A check of a profile: it runs where its condition holds. */
export interface ProfileCheck extends Check {
  readonly when: Conditions;
  /** Whether it stands back where another of its kind runs. */
  readonly otherwise: boolean;
}

/** What makes a folder look like the stack, and by how much. */
export interface Indicator {
  readonly when: Conditions;
  readonly score: number;
  readonly says: string;
}

export interface Detecting {
  /** Manifests: a folder with one of them may be such a stack. */
  readonly at: readonly string[];
  readonly indicators: readonly Indicator[];
  /** When a folder below another of the same stack is one by itself, and not a part of that. */
  readonly alone: Conditions;
}

/** Files that decide what a check does. */
export interface ControlPattern {
  /** A name with stars, looked for in the folder and above it; with `**` and a slash before it, below it too. */
  readonly file: string;
  /** Keys of a manifest that count, where not all of it does. */
  readonly parts?: readonly string[];
}

export interface Example {
  readonly name: string;
  readonly code: string;
}

/** A stack: what is run to judge it, and how code in it is written. */
export interface Profile {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly test_framework: string;
  readonly detection?: Detecting;
  readonly checks: readonly ProfileCheck[];
  readonly instead: Readonly<Partial<Record<CheckKind, CheckKind>>>;
  readonly test_files: readonly string[];
  readonly source_files: readonly string[];
  readonly borrowed: readonly string[];
  readonly control: readonly ControlPattern[];
  /** Where things stand: `component` and a glob. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly conventions: readonly string[];
  readonly enforcement: readonly string[];
  readonly docs: readonly string[];
  readonly examples: readonly Example[];
}

/** A profile as one file says it: what it does not say, it has from the one that it extends. */
export interface ProfileText extends Partial<Omit<Profile, "id">> {
  readonly id: string;
  readonly extends?: string;
  /** Inherited checks that it does without: a kind, or a kind and a tool as `lint/pylint`. */
  readonly off?: readonly string[];
}

export const BUILT_IN = ["typescript-react", "typescript-node", "python-fastapi", "go", "rust", "generic"] as const;

/** Names that other systems gave to stacks, and the nearest profile there is. */
const ALIASES: ReadonlyMap<string, string> = new Map([
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

/** The profile that a name means, among those that there are. */
export function meantProfile(name: string, profiles: readonly Profile[]): Profile | undefined {
  const called = (id: string | undefined): Profile | undefined => profiles.find((profile) => profile.id === id);
  return called(name) ?? called(ALIASES.get(name.toLowerCase()));
}

export const PROFILE_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
