import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { createSlug } from "#kernel/model/slug.ts";
import { type WorkspacePath, getSteeringFilePath } from "#kernel/model/workspace-paths.ts";

export const CORE_STEERING_NAMES = ["product", "tech", "structure"] as const;
export type CoreSteeringFile = (typeof CORE_STEERING_NAMES)[number];

export const STEERING_TOPICS = [
  "api-standards",
  "authentication",
  "database",
  "deployment",
  "error-handling",
  "security",
  "testing",
  "ui",
] as const;

declare const steeringNameBrand: unique symbol;
export type SteeringName = CoreSteeringFile | (string & { readonly [steeringNameBrand]: "SteeringName" });

const STEERING_PATH_PATTERN = /^(?:\.\/)?(?:(?:sdd\/)?steering\/)?([^/\\]+?)(?:\.md)?$/;

/** Accepts `tech`, `tech.md` and `sdd/steering/tech.md`. Undefined for a path outside the folder. */
export function matchSteeringName(said: string): SteeringName | undefined {
  const name = STEERING_PATH_PATTERN.exec(said.trim())?.[1]?.toLowerCase();
  return name !== undefined && createSlug(name, "topic") === name ? (name as SteeringName) : undefined;
}

export function parseSteeringName(said: string): SteeringName {
  const name = matchSteeringName(said);
  if (name !== undefined) return name;
  throw new Fault("steering.bad-name", {
    what: `${quote(said, 60)} is not a steering file.`,
    why: "Names are lower case with hyphens, such as tech or api-standards.",
    fix: { operation: "steering.manage", input: { action: "show" } },
  });
}

export const resolveSteeringPath = (name: SteeringName): WorkspacePath => getSteeringFilePath(`${name}.md`);
export const findSteeringTopic = (name: string) => STEERING_TOPICS.find((topic) => topic === name);
export const isCoreSteeringFile = (name: string): boolean => CORE_STEERING_NAMES.some((core) => core === name);

export function formatSteeringTitle(name: SteeringName): string {
  const words = name === "tech" ? "technology" : name.replaceAll("-", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
