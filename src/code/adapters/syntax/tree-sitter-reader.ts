import fs from "node:fs/promises";
import { Language, Parser, type Tree } from "web-tree-sitter";
import type { CodeOutline } from "../../model/index/code-outline.ts";
import type { CodeScan } from "../../model/scan/code-scan.ts";
import { findSpecTags } from "../../model/scan/spec-tags.ts";
import { scanPlainComments } from "../../model/scan/comment-scan.ts";
import type { MutationSite } from "../../model/mutation-site.ts";
import { findMutationSites } from "./mutation-sites.ts";
import { type ParsedCode, readParsedCode } from "./parsed-code.ts";
import { scanParsedCode } from "./code-scan.ts";
import tables from "../languages/language-tables.json" with { type: "json" };
import { outlineParsedCode } from "../outline/file-outline.ts";

const GRAMMAR_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(tables.extensions).flatMap(([grammar, endings]) =>
    endings.split(" ").map((end) => [end, grammar] as const),
  ),
);

export function detectGrammar(path: string, text: string): string | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return ending === "h" && CPP_HEADER_LINE.test(text) ? "cpp" : GRAMMAR_BY_EXTENSION.get(ending);
}

const CPP_HEADER_LINE = /^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:)/m;

/** Blanks what only a C++ compiler reads, such as `extern "C" {`. All positions stay the same. */
const blankCppOnlyParts = (text: string): string =>
  text.replace(
    /^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined\b[ \t(]*)__cplusplus\b[^#]*?^[ \t]*#[ \t]*endif\b/gm,
    (part) => part.replace(/[^\n]/g, " "),
  );

/** The grammars in a folder, each loaded on first use. All of them share one parser. */
export class TreeSitterGrammars {
  readonly #folder: URL;
  readonly #languages = new Map<string, Promise<Language>>();
  #parser: Promise<Parser> | undefined;
  /** Whether the parser crashed in a way that it may not recover from. Another thread has its own parser. */
  isSpent = false;

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Deletes the tree after `use`. Undefined when parsing exceeds the budget or runs out of memory. */
  async withTree<T>(
    grammar: string,
    text: string,
    exceedsBudget: () => boolean,
    use: (tree: Tree) => T,
  ): Promise<T | undefined> {
    // Passed in, because no file here has the name that the runtime looks for.
    this.#parser ??= fs
      .readFile(new URL("tree-sitter.wasm", this.#folder))
      .then((wasmBinary) => Parser.init({ wasmBinary }))
      .then(() => new Parser());
    const parser = await this.#parser;
    const loading =
      this.#languages.get(grammar) ??
      fs.readFile(new URL(`${grammar}.wasm`, this.#folder)).then((binary) => Language.load(binary));
    this.#languages.set(grammar, loading);
    const language = await loading;
    // No await from here on, so no other call can change the language in between.
    let tree: Tree | null = null;
    try {
      parser.setLanguage(language);
      const source = grammar === "c" ? blankCppOnlyParts(text) : text;
      tree = parser.parse(source, null, { progressCallback: exceedsBudget });
      if (tree !== null) return use(tree);
      parser.reset();
    } catch (error) {
      this.isSpent ||= error instanceof Error && error.name === "RuntimeError";
      this.#parser = undefined;
    } finally {
      tree?.delete();
    }
    return undefined;
  }
}

const LARGEST_PARSED_FILE = 1024 * 1024;
const STEPS_PER_REPORT = 1_000;

/** Reads files through their syntax trees, or through their comments alone when a tree takes too much work. */
export class TreeSitterReader {
  readonly #grammars: TreeSitterGrammars;
  readonly #maxSteps: number;
  readonly #report: (() => void) | undefined;

  constructor(grammars: TreeSitterGrammars, maxSteps: number, report?: () => void) {
    this.#grammars = grammars;
    this.#maxSteps = maxSteps;
    this.#report = report;
  }

  async look(path: string, text: string): Promise<CodeScan | undefined> {
    return (await this.#made(path, text, scanParsedCode))?.look ?? scanCommentsOnly(path, text);
  }

  async outline(path: string, text: string): Promise<CodeOutline | undefined> {
    return (await this.#made(path, text, outlineParsedCode)) ?? outlineCommentsOnly(path, text);
  }

  async sites(path: string, text: string): Promise<MutationSite[]> {
    return (await this.#made(path, text, (_, code) => findMutationSites(code))) ?? [];
  }

  async #made<T>(
    path: string,
    text: string,
    make: (grammar: string, code: ParsedCode, path: string) => T,
  ): Promise<T | undefined> {
    const grammar = detectGrammar(path, text);
    if (grammar === undefined || text.length > LARGEST_PARSED_FILE) return undefined;
    // Limits parsing by work instead of time, so that the result does not depend on the load of the machine.
    let steps = 0;
    const exceedsBudget = (): boolean => {
      if (++steps % STEPS_PER_REPORT === 0) this.#report?.();
      return steps > this.#maxSteps;
    };
    return this.#grammars.withTree(grammar, text, exceedsBudget, (tree) => {
      const code = readParsedCode(tree, text, exceedsBudget);
      return code && make(grammar, code, path);
    });
  }
}

function scanCommentsOnly(path: string, text: string): CodeScan | undefined {
  if (text.length > LARGEST_PARSED_FILE) return undefined;
  const plain = scanPlainComments(path, text);
  const grammar = detectGrammar(path, text);
  return plain === undefined || grammar === undefined ? plain : { ...plain, language: grammar, isWhole: false };
}

export function outlineCommentsOnly(path: string, text: string): CodeOutline | undefined {
  const look = scanCommentsOnly(path, text);
  if (look === undefined) return undefined;
  const { language, by, isWhole } = look;
  const lines = text.split("\n").length;
  return { language, by, isWhole, lines, doc: "", components: [], imports: [], tags: findSpecTags(look), tests: [] };
}
