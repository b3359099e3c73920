import fs from "node:fs/promises";
import { Language, Parser, type Tree } from "web-tree-sitter";

/** Which grammar reads a file, by how its name ends. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: "sh bash",
  c: "c h",
  cpp: "cc cpp cxx hpp hh hxx",
  csharp: "cs",
  css: "css",
  go: "go",
  java: "java",
  javascript: "js mjs cjs jsx",
  php: "php",
  python: "py pyi",
  ruby: "rb",
  rust: "rs",
  tsx: "tsx",
  typescript: "ts mts cts",
};

const BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([grammar, endings]) => endings.split(" ").map((end) => [end, grammar] as const)),
);

export function grammarOf(path: string, text: string): string | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return ending === "h" && CPP_WORDS.test(text) ? "cpp" : BY_ENDING.get(ending);
}

/** What a header of C++ holds and one of C never does, where a line begins. */
const CPP_WORDS = /^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:)/m;

/** What a header of C says to a compiler of C++ alone, such as `extern "C" {`, is nothing to C; the rest keeps its place. */
const withoutCpp = (text: string): string =>
  text.replace(
    /^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined\b[ \t(]*)__cplusplus\b[^#]*?^[ \t]*#[ \t]*endif\b/gm,
    (part) => part.replace(/[^\n]/g, " "),
  );

/** The grammars in a folder, each loaded when it is first asked for. One parser reads for all of them. */
export class Grammars {
  readonly #folder: URL;
  readonly #languages = new Map<string, Promise<Language>>();
  #parser: Promise<Parser> | undefined;
  #isSpent = false;

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Whether the parser broke down in a way that it may not recover from; another thread has another one. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Calls back with the tree, which is gone afterwards. Nothing when it takes too long, or more memory than there is. */
  async withTree<T>(grammar: string, text: string, deadline: number, use: (tree: Tree) => T): Promise<T | undefined> {
    const parser = await (this.#parser ??= this.#load());
    const language = await this.#language(grammar);
    // From here on nothing waits, so nobody else sets another language meanwhile.
    let tree: Tree | null = null;
    try {
      parser.setLanguage(language);
      tree = parser.parse(grammar === "c" ? withoutCpp(text) : text, null, {
        progressCallback: () => performance.now() > deadline,
      });
      if (tree !== null) return use(tree);
      parser.reset();
    } catch (error) {
      // The parser gave up half way; whoever asks next gets another.
      this.#isSpent ||= error instanceof Error && error.name === "RuntimeError";
      this.#parser = undefined;
    } finally {
      tree?.delete();
    }
    return undefined;
  }

  async #load(): Promise<Parser> {
    // The name under which the runtime asks for its own binary is nobody's; it is handed over.
    await Parser.init({ wasmBinary: await fs.readFile(new URL("tree-sitter.wasm", this.#folder)) });
    return new Parser();
  }

  async #language(grammar: string): Promise<Language> {
    const known = this.#languages.get(grammar);
    if (known !== undefined) return known;
    const loading = fs.readFile(new URL(`${grammar}.wasm`, this.#folder)).then((binary) => Language.load(binary));
    this.#languages.set(grammar, loading);
    return loading;
  }
}
