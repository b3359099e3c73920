import { createSlug } from "#kernel/model/slug.ts";
import families from "./topic-families.json" with { type: "json" };

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
  const known = Object.entries(families.types).find(([, types]) => types.includes(type))?.[0];
  if (known) return known;
  // Used where the type is unspecific. The first match wins.
  const patterns = Object.entries(families.words);
  const spoken = patterns.find(([, words]) => new RegExp(`\\b(?:${words})\\b`, "i").test(text))?.[0];
  if (spoken) return spoken;
  return UNSPECIFIC_TYPES.has(type) ? "topic" : createSlug(type, "topic");
}

export const normalizeTopicKey = (said: string): string => said.trim().toLowerCase().replace(/\s+/g, "-");
