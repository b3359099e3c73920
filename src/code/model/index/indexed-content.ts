import { isRemovedPiece, splitDocumentPieces, getPieceText } from "#kernel/model/document/document-pieces.ts";
import { type LocatedNode, findYamlNode, iterateYamlScalars, readYamlText } from "#kernel/model/yaml-tree.ts";
import { getPathName } from "#kernel/model/folder-path.ts";
import { isMinifiedText, findSkipReason } from "../survey/file-selection.ts";
import { isCodeFile } from "../scan/comment-scan.ts";
import { isAliasManifest } from "../imports/import-context.ts";
import { readHandwrittenText } from "../docs/auto-sections.ts";

export type TextSection = Readonly<{ key: string; line: number; title: string; text: string }>;

const MAX_SECTION_TEXT = 1500;
const MAX_SECTION_TITLE = 120;

export const isIndexedDocument = (path: string): boolean =>
  /^(?:[^/]+|docs\/.+|(?:.+\/)?readme)\.(?:md|markdown)$/i.test(path) &&
  !/(?:^|\/)(?:node_modules|vendor)\//.test(path);

/** Sections of a document, and its requirements and rules by id. Skips removed items and what Tenon itself filled in. */
export function extractDocumentSections(path: string, markdown: string, own?: ReadonlySet<string>): TextSection[] {
  const met = new Map<string, number>();
  const text = /<!--\s*AUTO:/i.test(markdown) ? readHandwrittenText(markdown) : markdown;
  // A page that Tenon alone writes is listed, but none of its words are found.
  if (text.trim() === "" && markdown.trim() !== "") return [{ key: path, line: 1, title: getPathName(path), text: "" }];
  return splitDocumentPieces({ path, text }, own)
    .filter((piece) => !isRemovedPiece(piece))
    .map((piece) => {
      const { id, line } = piece;
      const title = removeLinkTargets(piece.title);
      const words = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
      const name = id ?? `${path}#${words.trim().replace(/\s+/g, "-")}`;
      const nth = (met.get(name) ?? 0) + 1;
      met.set(name, nth);
      return {
        key: nth === 1 ? name : `${name}~${nth}`,
        line,
        title: (id === undefined ? title : `${id}: ${getPieceText(piece)}`).slice(0, MAX_SECTION_TITLE),
        text: piece.text.slice(0, MAX_SECTION_TEXT),
      };
    });
}

const removeLinkTargets = (title: string): string =>
  title
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim() || title;

export function createDecisionSection(key: string, markdown: string): TextSection {
  const title = (/^# (.+)$/m.exec(markdown)?.[1] ?? key).slice(0, MAX_SECTION_TITLE);
  return { key, line: 1, title, text: markdown.trim().slice(0, MAX_SECTION_TEXT) };
}

const SPEC_TITLE_FIELDS = ["title", "topic", "name", "question", "feature"];

/** A spec as one text of all its fields. An unreadable spec is indexed as is. */
export function createSpecSection(key: string, yaml: string, tree: LocatedNode | undefined): TextSection {
  const fields = [...(tree ? iterateYamlScalars(tree) : [])].flatMap(({ node, place }) => {
    const text = readYamlText(node);
    return text === undefined ? [] : [`${place.findLast((step) => typeof step === "string") ?? ""}: ${text}`];
  });
  const named = SPEC_TITLE_FIELDS.map((field) => readYamlText(findYamlNode(tree, [field])));
  const title = named.find((text) => text !== undefined) ?? "";
  return {
    key,
    line: 1,
    title: `${key}${title === "" ? "" : `: ${title}`}`.slice(0, MAX_SECTION_TITLE),
    text: (tree ? fields.join("\n") : yaml).slice(0, MAX_SECTION_TEXT * 2),
  };
}

/** `tagged`: built, generated or test data counts only with a tag. `manifest`: only changes are noticed. */
type IndexReadMode = "code" | "tagged" | "manifest";

/** Returns nothing for lock files and for files that are not code. */
export function chooseReadMode(path: string): IndexReadMode | undefined {
  if (isAliasManifest(path)) return "manifest";
  if (!isCodeFile(path)) return undefined;
  const why = findSkipReason(path);
  if (why === undefined || why === "not source") return "code";
  return why === "lock file" ? undefined : "tagged";
}

const SPEC_TAG_HINT = /@spec\b|(?<!\w)AC:/;

export const isOutlineNeeded = (reading: IndexReadMode, text: string): boolean =>
  reading === "code" && !isMinifiedText(text) ? true : reading !== "manifest" && SPEC_TAG_HINT.test(text);
