/**
 * Bad input, as data. The letters and numbers are those of the corpus that the project follows: ids (A), files (B),
 * YAML (C), JSON (D), Unicode and sizes (H). `CANARY` stands for a path at which a file appears if anything is run.
 */
export const CANARY = "{canary}";

export interface Name {
  readonly name: string;
  readonly text: string;
  /** What it is as the id of a change. */
  readonly asId: "bad" | "invalid" | "unknown";
  /** What it is as a title, a reason or a document: some are fine, and some too long for one and not for another. */
  readonly asText: "fine" | "invalid" | "long";
}

function name(label: string, text: string, asId: Name["asId"], asText: Name["asText"] = "fine"): Name {
  return { name: label, text, asId, asText };
}

export const NAMES: readonly Name[] = [
  name("A1 empty", "", "invalid", "invalid"),
  name("A2 a blank", " ", "invalid", "invalid"),
  name("A2 a no-break space", "\u00a0", "invalid", "invalid"),
  name("A3 a dot", ".", "bad"),
  name("A4 two dots", "..", "bad"),
  name("A5 up and down", "../no-such-folder-of-tenon", "bad"),
  name("A5 far up", "../../../../../../../../etc/passwd", "bad"),
  name("A6 half encoded", "..%2fx", "bad"),
  name("A7 encoded", "%2e%2e%2f", "bad"),
  name("A8 a slash", "a/b", "bad"),
  name("A9 a backslash", "a\\b", "bad"),
  name("A10 absolute", "/etc/passwd", "bad"),
  name("A11 a drive", "C:\\x", "bad"),
  name("A12 short flags", "-rf", "bad"),
  name("A13 a long flag", "--help", "bad"),
  name("A14 a second command", `a;touch ${CANARY}`, "bad"),
  name("A14 a pipe", `a|touch ${CANARY}`, "bad"),
  name("A15 substitution", `$(touch ${CANARY})`, "bad"),
  name("A16 backticks", `\`touch ${CANARY}\``, "bad"),
  name("A17 a line break", "a\nb", "bad"),
  name("A17 a carriage return", "a\r\nb", "bad"),
  name("A18 NUL", "a\0.yaml", "invalid", "invalid"),
  name("A19 __proto__", "__proto__", "bad"),
  name("A19 constructor", "constructor", "unknown"),
  name("A19 toString", "toString", "bad"),
  name("A20 300 characters", "a".repeat(300), "invalid"),
  name("A20 65 characters", "a".repeat(65), "bad"),
  name("A a device", "CON", "bad"),
  name("A a device in lower case", "con", "unknown"),
  name("A a device with an ending", "nul.txt", "bad"),
  name("A .git", ".git", "bad"),
  name("A HEAD", "HEAD", "bad"),
  name("A a lock of git", "refs/heads/x.lock", "bad"),
  name("A a reflog of git", "@{-1}", "bad"),
  name("A a trailing dot", "auth.", "bad"),
  name("A a trailing blank", "auth ", "bad"),
  name("A a leading hyphen", "-auth", "bad"),
  name("A a trailing hyphen", "auth-", "bad"),
  name("A two hyphens", "a--b", "bad"),
  name("A upper case", "Auth", "bad"),
  name("A its lower case", "auth", "unknown"),
  name("A a parameter of a shell", "$HOME", "bad"),
  name("A a home", "~", "bad"),
  name("A a pattern", "*", "bad"),
  name("B33 a component of 256 bytes", "b".repeat(256), "invalid"),
  name("B34 more than 4,096 bytes", "c/".repeat(2100), "invalid", "long"),
  name("B35 .GIT", ".GIT/hooks/x", "bad"),
  name("B36 a short name of Windows", "git~1", "bad"),
  name("B37 .git with a joiner", ".g\u200cit/config", "bad"),
  name("B38 a stream of Windows", "file.yaml:ads", "bad"),
  name("B38 a long path of Windows", "\\\\?\\C:\\", "bad"),
  name("D68 a lone surrogate", "a\ud800b", "invalid", "invalid"),
  name("E83 a terminal's escapes", "\u001b]8;;http://evil\u0007x\u001b[2J\u001b]52;c;eA==\u0007\u009b2J", "bad"),
  name("H123 right to left", "auth\u202egnp.exe", "bad"),
  name("H124 zero width", "au\u200dth\u200b", "bad"),
  name("H125 composed", "caf\u00e9", "bad"),
  name("H125 decomposed", "cafe\u0301", "bad"),
  name("H126 a look-alike", "\u0430uth", "unknown"),
  name("H127 emoji", "👩‍👩‍👧‍👦 Ship it 🏳️‍🌈", "bad"),
  name("H128 a million characters", "x".repeat(1_000_000), "invalid", "invalid"),
];

/** What is no text at all (D74, D75, H132), for any argument that takes one. */
export const NO_TEXTS: readonly unknown[] = [
  null,
  0,
  -0,
  1.5,
  1e308,
  true,
  [],
  ["a"],
  {},
  { toString: "a" },
  [[[[[]]]]],
];

/** What is no count (H132), for any argument that takes one. */
export const NO_COUNTS: readonly unknown[] = [
  -1,
  0,
  0.5,
  501,
  1e9,
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MIN_SAFE_INTEGER,
  "1",
  "",
  "0x10",
  "1e3",
  "१",
  null,
  true,
  [],
  [1],
  {},
];

/** What is no list of ids (D75, H132), for any argument that takes one. */
export const NO_LISTS: readonly unknown[] = [
  null,
  0,
  1,
  true,
  "1",
  "",
  {},
  { 0: 1, length: 1 },
  [0],
  [-1],
  [0.5],
  [1e308],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  ["1"],
  [""],
  [null],
  [undefined],
  [true],
  [[1]],
  [{}],
  [1, "2"],
  Array.from({ length: 201 }, (_, i) => i + 1),
];

/** sdd/config.yaml (C), and whether it may be used: one that says nothing says that all is as usual. */
export const CONFIGS: readonly (readonly [name: string, text: string | Uint8Array, isUsable: boolean])[] = [
  ["C39 empty", "", true],
  ["C39 only a comment", "# nothing\n", true],
  ["C40 null", "null\n", true],
  ["C40 a tilde", "~\n", true],
  ["C41 a word", "hello\n", false],
  ["C41 a number", "42\n", false],
  ["C42 a list", "- version: 1\n", false],
  ["C44 a quote that does not end", 'mcp:\n  toolsets: ["default\n', false],
  ["C45 marks of a merge", "<<<<<<< HEAD\nversion: 1\n=======\nversion: 2\n>>>>>>> theirs\n", false],
  ["C46 a key twice", "version: 1\nversion: 1\n", false],
  ["C47 tabs", "mcp:\n\ttoolsets: [default]\n", false],
  ["C48 a byte order mark", "\ufeffversion: 1\n", true],
  ["C48 UTF-16", new Uint8Array(Buffer.from("\ufeffversion: 1\n", "utf16le")), false],
  ["C49 NUL", "version: 1\0\n", false],
  ["C49 NUL in a word", 'mcp:\n  toolsets: ["def\0ault"]\n', false],
  ["C50 mixed line ends", "version: 1\r\nmcp:\n  toolsets:\r\n    - default\n", true],
  ["C51 a billion laughs", laughs(), false],
  ["C52 20,000 brackets", `mcp: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`, false],
  ["C52 brackets that do not end", "[".repeat(20_000), false],
  ["C53 3,000 maps in each other", deepMaps(3000), false],
  ["C54 100,000 keys", Array.from({ length: 100_000 }, (_, i) => `k${i}: 1\n`).join(""), false],
  ["C54 10,000 keys", Array.from({ length: 10_000 }, (_, i) => `k${i}: 1\n`).join(""), false],
  ["C55 a merge key", "base: &base {version: 1}\n<<: *base\n", false],
  ["C55 merges of merges", merges(), false],
  ["C56 __proto__", "__proto__:\n  version: 1\n", false],
  ["C56 __proto__ by a merge", "<<: {__proto__: {version: 1}}\n", false],
  ["C56 constructor", "constructor: {prototype: {version: 1}}\n", false],
  ["C56 __proto__ below a key", "mcp:\n  __proto__: {toolsets: [all]}\n", false],
  ["C57 a function", "mcp: !!js/function 'function () { process.exit(9) }'\n", false],
  ["C57 a Python object", `mcp: !!python/object/apply:os.system ["touch ${CANARY}"]\n`, false],
  ["C57 a tag of its own", "mcp: !toolsets [default]\n", false],
  ["C58 two documents", "version: 1\n---\nversion: 1\n", false],
  ["C59 a circle", "mcp: &a [*a]\n", false],
  ["C59 an anchor of nothing", "mcp: *nowhere\n", false],
  ["C60 no for a version", "version: no\n", false],
  ["C60 an octal version", "version: 01\n", true],
  ["C60 a text for a version", 'version: "1"\n', false],
  ["C60 words that are not", "mcp:\n  toolsets: [no, on, 012, 1_000, 12:30, 2026-13-45]\n", false],
  ["C an unknown key", "versoin: 1\n", false],
  ["C a key below a key", "mcp:\n  toolset: [default]\n", false],
  ["C a stage that is none", "changes:\n  headings:\n    describes: [A]\n", false],
  ["C headings that are no list", "changes:\n  headings:\n    describe: A\n", false],
  ["C a blank heading", "changes:\n  headings:\n    describe: [' ']\n", false],
  ["C an alias", "version: &one 1\nmcp:\n  toolsets: [*one]\n", false],
  ["C an alias that would fit", "changes:\n  headings: {describe: &a [A], scope: *a}\n", false],
  ["C 300,000 characters", `# ${"x".repeat(300_000)}\nversion: 1\n`, false],
  ["C 9 MB", `# ${"x".repeat(9_000_000)}\n`, false],
];

function laughs(): string {
  const lines = ["a0: &a0 [lol, lol, lol]"];
  for (let i = 1; i <= 40; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}, *a${i - 1}]`);
  return `${lines.join("\n")}\nmcp:\n  toolsets: *a40\n`;
}

function deepMaps(depth: number): string {
  return Array.from({ length: depth }, (_, i) => `${" ".repeat(i)}a:\n`).join("");
}

function merges(): string {
  const lines = ["m0: &m0 {a: 1}"];
  for (let i = 1; i <= 2000; i++) lines.push(`m${i}: &m${i}\n  <<: [*m${i - 1}, *m0]\n  k${i}: 1`);
  return `${lines.join("\n")}\n`;
}

/** A record's text (D) made from a good one, and the fault that reading it is; nothing where it still means the same. */
export const RECORDS: readonly (readonly [
  name: string,
  change: (good: string) => string | Uint8Array,
  code: string | undefined,
])[] = [
  ["D61 a trailing comma", (good) => good.replace(/\n}\s*$/, ",\n}\n"), "record.corrupt"],
  ["D62 two records in one", (good) => good + good, "record.corrupt"],
  ["D63 half a record", (good) => good.slice(0, good.length / 2), "record.corrupt"],
  ["D63 nothing", () => "", "record.corrupt"],
  ["D63 blanks", () => " \n", "record.corrupt"],
  ["D64 100,000 brackets", () => "[".repeat(100_000) + "]".repeat(100_000), "record.corrupt"],
  ["D64 100,000 objects", () => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "record.corrupt"],
  ["D65 __proto__", (good) => good.replace("{", '{"__proto__": {"status": "archived"},'), "record.corrupt"],
  ["D66 a key twice, with another value", (good) => good.replace("{", '{"rev": 7,'), "record.corrupt"],
  ["D67 a revision beyond all numbers", (good) => good.replace(/"rev": \d+/, '"rev": 1e309'), "record.corrupt"],
  [
    "D67 a revision that is too exact",
    (good) => good.replace(/"rev": \d+/, '"rev": 9007199254740993'),
    "record.corrupt",
  ],
  ["D67 minus nothing", (good) => good.replace(/"rev": \d+/, '"rev": -0'), "record.corrupt"],
  ["D68 a lone surrogate", (good) => good.replace("Fix login", "Fix \\ud800"), "record.corrupt"],
  ["D69 bytes that are no text", (good) => new Uint8Array([...Buffer.from(good), 0xff, 0xfe]), "record.corrupt"],
  ["D70 a text of 2 MB", (good) => good.replace("Fix login", "x".repeat(2_000_000)), "record.corrupt"],
  ["D70 a text of 9 MB", (good) => good.replace("Fix login", "x".repeat(9_000_000)), "files.too-large"],
  ["D75 a revision that is a text", (good) => good.replace(/"rev": (\d+)/, '"rev": "$1"'), "record.corrupt"],
  ["D75 a list", (good) => `[${good}]`, "record.corrupt"],
  ["D75 null", () => "null\n", "record.corrupt"],
  ["D a word changed by hand", (good) => good.replace("Fix login", "Fix logout"), "record.corrupt"],
  ["D a checksum left out", (good) => good.replace(/,\s*"checksum": "[^"]*"/, ""), "record.corrupt"],
  ["D marks of a merge", (good) => `<<<<<<< HEAD\n${good}=======\n${good}>>>>>>> theirs\n`, "record.corrupt"],
  ["D UTF-16", (good) => new Uint8Array(Buffer.from(`\ufeff${good}`, "utf16le")), "record.corrupt"],
  ["D other line ends", (good) => good.replaceAll("\n", "\r\n"), undefined],
  ["D no blanks at all", (good) => JSON.stringify(JSON.parse(good)), undefined],
  ["D a byte order mark", (good) => `\ufeff${good}`, undefined],
];

/** What may stand where a file is looked for (B). `secret` lies outside the workspace and is nobody's business here. */
export const FILE_KINDS = [
  "B21 a link to a file outside",
  "B23 a link to nothing",
  "B24 a link to itself",
  "B25 a hard link to a file outside",
  "B26 a link into a sibling with the same prefix",
  "B27 a link to /proc/self/environ",
  "B28 a link to /dev/zero",
  "B29 a pipe",
  "B30 a folder",
  "B31 a socket",
  "B32 a file that nobody may read",
  "B 9 MB",
  "B bytes that are no text",
  "B nothing in it",
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** What may stand where a folder is looked for. */
export const FOLDER_KINDS = [
  "B22 a link to a folder outside",
  "B23 a link to nothing",
  "B24 a link to itself",
  "B26 a link to a sibling with the same prefix",
  "B29 a pipe",
  "B30 a file",
  "B32 a folder that nobody may read",
] as const;
export type FolderKind = (typeof FOLDER_KINDS)[number];

export const FILES: readonly string[] = [
  "sdd/config.yaml",
  "sdd/requirements.md",
  "sdd/adrs/ADR-0001-one.md",
  "sdd/changes/fix-login/change.json",
  "sdd/changes/fix-login/describe.md",
  "sdd/changes/fix-login/context-check.md",
  "sdd/changes/fix-login/adrs/ADR-001.md",
  ".sdd/state.yaml",
  ".gitignore",
];

export const FOLDERS: readonly string[] = [
  "sdd",
  "sdd/adrs",
  "sdd/changes",
  "sdd/history",
  "sdd/changes/fix-login",
  "sdd/changes/fix-login/adrs",
  "sdd/changes/fix-login/superseded",
  ".sdd",
];
