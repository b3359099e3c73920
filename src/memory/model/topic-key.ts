import { createSlug } from "#kernel/model/slug.ts";

const TOPIC_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  bug: ["bug", "bugfix", "fix", "incident", "hotfix"],
  architecture: ["architecture", "design", "adr", "refactor"],
  decision: ["decision"],
  pattern: ["pattern", "convention", "guideline"],
  config: ["config", "setup", "infra", "infrastructure", "ci"],
  discovery: ["discovery", "investigation", "root_cause", "root-cause"],
  explore: ["explore", "exploration", "context", "discuss"],
  learning: ["learning", "learn"],
  session: ["session_summary"],
};

/** Used where the type is unspecific. The first match wins. */
const FAMILY_WORD_PATTERNS: readonly (readonly [family: string, words: RegExp])[] = [
  ["bug", /\b(?:bugs?|fix(?:e[sd])?|crash(?:e[sd])?|errors?|regressions?|incidents?)\b/i],
  ["architecture", /\b(?:architectures?|designs?|modules?|layers?|refactor(?:ed|ing)?)\b/i],
  ["decision", /\b(?:decided|decisions?|chose|chosen|instead of)\b/i],
  ["pattern", /\b(?:patterns?|conventions?|guidelines?|always|never)\b/i],
  ["config", /\b(?:config(?:uration)?|setup|settings?|environment|deploy(?:ment)?|pipelines?)\b/i],
  ["discovery", /\b(?:discovered|found|root cause|investigat(?:ed|ion)|turned out)\b/i],
  ["learning", /\b(?:learn(?:ed|t|ings?)?|lessons?)\b/i],
];

const UNSPECIFIC_TYPES = new Set(["", "manual", "passive", "note"]);
const MAX_TOPIC_WORDS = 8;
const UNNAMED_TOPIC = "general";
const MAX_TOPIC_NAME = 100;

/** Later texts with the same key replace this one: `bug/login-loops-after-reset`. */
export function suggestTopicKey(said: {
  type?: string | undefined;
  title?: string | undefined;
  content?: string | undefined;
}): string {
  const type = (said.type ?? "").trim().toLowerCase();
  const family = detectTopicFamily(type, `${said.title ?? ""}\n${said.content ?? ""}`);
  const named = said.title?.trim()
    ? said.title
    : (said.content ?? "").trim().split(/\s+/).slice(0, MAX_TOPIC_WORDS).join(" ");
  const slug = named === "" ? UNNAMED_TOPIC : createSlug(named, "topic", MAX_TOPIC_NAME);
  return `${family}/${slug.startsWith(`${family}-`) ? slug.slice(family.length + 1) : slug}`;
}

function detectTopicFamily(type: string, text: string): string {
  const known = Object.entries(TOPIC_FAMILIES).find(([, types]) => types.includes(type))?.[0];
  if (known) return known;
  const spoken = FAMILY_WORD_PATTERNS.find(([, words]) => words.test(text))?.[0];
  if (spoken) return spoken;
  return UNSPECIFIC_TYPES.has(type) ? "topic" : createSlug(type, "topic");
}

export const normalizeTopicKey = (said: string): string => said.trim().toLowerCase().replace(/\s+/g, "-");
