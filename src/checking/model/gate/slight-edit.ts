import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { getPathName } from "#kernel/model/folder-path.ts";
import words from "./slight-edit-words.json" with { type: "json" };

export const DOCUMENT_PATTERN = /\.(?:md|mdx|markdown|txt|rst|adoc)$/i;
/** Settings of git and editors. */
const HOUSEKEEPING = /^\.(?:git(?:ignore|attributes|keep)|editorconfig|mailmap|npmignore|dockerignore)$/;
/** Layout is part of the meaning. */
const INDENTED_LANGUAGE = /\.(?:py|pyi|ya?ml|haml|slim|pug|coffee|fs|nim|mk)$|(?:^|\/)Makefile$/i;

export interface SlightEdit {
  readonly kind: "blank" | "housekeeping" | "document" | "comment" | "layout" | "settings" | "text" | "code";
  readonly path: string;
  /** Words of changed lines; only settings need them. */
  readonly changed: ReadonlySet<string>;
}

interface FileText {
  readonly text: string;
  /** Undefined if the file does not exist, or no grammar reads it. */
  readonly look: CodeScan | undefined;
}

export function classifySlightEdit(path: string, before: FileText, after: FileText): SlightEdit {
  const changed = listChangedWords(before.text, after.text);
  const [was, now] = [dropBlankLines(before.text), dropBlankLines(after.text)];
  const create = (kind: SlightEdit["kind"]): SlightEdit => ({ kind, path, changed });
  if (was === now) return create("blank");
  if (HOUSEKEEPING.test(getPathName(path))) return create("housekeeping");
  if (DOCUMENT_PATTERN.test(path)) return create("document");
  const look = after.look ?? before.look;
  if (look?.by !== "grammar") return create("settings");
  const [bare, then] = [dropComments(after), dropComments(before)];
  // Comments that tools read are settings.
  if (bare === then) return create("comment");
  const isLayout = !INDENTED_LANGUAGE.test(path) && bare.replace(/\s+/g, "") === then.replace(/\s+/g, "");
  if (isLayout) return create("layout");
  return create(dropTexts(bare) === dropTexts(then) && then !== "" ? "text" : "code");
}

const dropBlankLines = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");

function dropComments({ text, look }: FileText): string {
  const bare = (look?.comments ?? []).reduceRight(
    (rest, { start, end }) => rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, "") + rest.slice(end),
    text,
  );
  return dropBlankLines(bare);
}

/** Texts without parts that are computed. */
const dropTexts = (code: string): string =>
  code.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\$])*`/g, '""');

const listWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}]{4,}|\d+/gu) ?? [];

function listChangedWords(before: string, after: string): ReadonlySet<string> {
  const [was, now] = [before.split("\n"), after.split("\n")];
  const [old, fresh] = [new Set(was), new Set(now)];
  const lines = [...now.filter((line) => !old.has(line)), ...was.filter((line) => !fresh.has(line))];
  return new Set(lines.flatMap(listWords));
}

const KIND_WORDS: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(words).map(([kind, list]) => [kind, new RegExp(`(?<![\\p{L}])(?:${list.join("|")})`, "iu")]),
);

/** Whether the words of a change announce such an edit, by the file's name or by what kind of edit it is. */
export function isMentionedWork(text: string, { kind, path, changed }: SlightEdit): boolean {
  const name = getPathName(path);
  const stem = name.replace(/^\.+/, "").replace(/\.[^.]*$/, "");
  const said = new Set(listWords(text));
  if (KIND_WORDS[kind === "text" ? "document" : kind]?.test(text)) return true;
  // Naming a file does not announce an edit of its comments.
  if (kind === "comment" || kind === "layout" || kind === "text") return false;
  if (text.includes(name) || (stem.length >= 4 && said.has(stem.toLowerCase()))) return true;
  return kind === "settings" && [...changed].some((word) => said.has(word));
}
