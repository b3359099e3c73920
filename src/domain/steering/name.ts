import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { createSlug } from "../slug.ts";
import { type WorkspacePath, getSteeringFilePath } from "../workspace/path.ts";

export const CORE_FILES = ["product", "tech", "structure"] as const;
export type CoreFile = (typeof CORE_FILES)[number];

export const TOPICS = [
  "api-standards",
  "authentication",
  "database",
  "deployment",
  "error-handling",
  "security",
  "testing",
  "ui",
] as const;
export type Topic = (typeof TOPICS)[number];

declare const brand: unique symbol;
export type SteeringName = string & { readonly [brand]: "SteeringName" };

const SAID = /^(?:\.\/)?(?:(?:sdd\/)?steering\/)?([^/\\]+?)(?:\.md)?$/;

/** Accepts `tech`, `tech.md` and `sdd/steering/tech.md`. Undefined for a path outside the folder. */
export function steeringName(said: string): SteeringName | undefined {
  const name = SAID.exec(said.trim())?.[1]?.toLowerCase();
  return name !== undefined && createSlug(name, "topic") === name ? (name as SteeringName) : undefined;
}

export function parseSteeringName(said: string): SteeringName {
  const name = steeringName(said);
  if (name !== undefined) return name;
  throw new Fault("steering.bad-name", {
    what: `${quote(said, 60)} is no steering file.`,
    why: "One stands in sdd/steering and is named in lower case with hyphens, as tech or api-standards.",
    fix: { operation: "steering.manage", input: { action: "show" } },
  });
}

export const pathOf = (name: SteeringName): WorkspacePath => getSteeringFilePath(`${name}.md`);
export const coreFile = (name: CoreFile): SteeringName => name as string as SteeringName;
export const isCore = (name: string): boolean => CORE_FILES.some((core) => core === name);
export const topicOf = (name: string): Topic | undefined => TOPICS.find((topic) => topic === name);

const TITLES: ReadonlyMap<string, string> = new Map<CoreFile, string>([
  ["product", "Product"],
  ["tech", "Technology"],
  ["structure", "Structure"],
]);

export function titleOf(name: SteeringName): string {
  const words = name.replaceAll("-", " ");
  return TITLES.get(name) ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
