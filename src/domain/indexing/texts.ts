import { isRemovedPiece, type DocumentPiece, splitDocumentPieces, getPieceText } from "../context/piece.ts";
import { type LocatedNode, findYamlNode, iterateYamlScalars, readYamlText } from "../spec/yaml/located.ts";

export interface Section {
  readonly key: string;
  readonly line: number;
  readonly title: string;
  readonly text: string;
}

const LONGEST = 1500;
const LONGEST_TITLE = 120;

export const isDocument = (path: string): boolean =>
  /^(?:[^/]+|docs\/.+|(?:.+\/)?readme)\.(?:md|markdown)$/i.test(path) &&
  !/(?:^|\/)(?:node_modules|vendor)\//.test(path);

/** Sections of a document, and its requirements and rules by id. Skips removed items. */
export function sectionsOf(path: string, markdown: string, own?: ReadonlySet<string>): Section[] {
  const met = new Map<string, number>();
  return splitDocumentPieces({ path, text: markdown }, own)
    .filter((piece) => !isRemovedPiece(piece))
    .map((piece) => {
      const name = piece.id ?? `${path}#${slug(piece.title)}`;
      const nth = (met.get(name) ?? 0) + 1;
      met.set(name, nth);
      return {
        key: nth === 1 ? name : `${name}~${nth}`,
        line: piece.line,
        title: titleOf(piece),
        text: piece.text.slice(0, LONGEST),
      };
    });
}

const titleOf = (piece: DocumentPiece): string =>
  (piece.id === undefined ? piece.title : `${piece.id}: ${getPieceText(piece)}`).slice(0, LONGEST_TITLE);

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");

export function decisionOf(id: string, markdown: string): Section {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? id;
  return { key: id, line: 1, title: title.slice(0, LONGEST_TITLE), text: markdown.trim().slice(0, LONGEST) };
}

const TITLES = ["title", "topic", "name", "question", "feature"];

/** A spec as one text of all its fields. An unreadable spec is indexed as is. */
export function specText(id: string, yaml: string, tree: LocatedNode | undefined): Section {
  const said = tree ? saidIn(tree).join("\n") : yaml;
  const title =
    TITLES.map((field) => readYamlText(findYamlNode(tree, [field]))).find((text) => text !== undefined) ?? "";
  return {
    key: id,
    line: 1,
    title: `${id}${title === "" ? "" : `: ${title}`}`.slice(0, LONGEST_TITLE),
    text: said.slice(0, LONGEST * 2),
  };
}

const saidIn = (tree: LocatedNode): string[] =>
  [...iterateYamlScalars(tree)].flatMap(({ node, place }) => {
    const text = readYamlText(node);
    return text === undefined ? [] : [`${place.findLast((step) => typeof step === "string") ?? ""}: ${text}`];
  });
