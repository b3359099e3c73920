import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { chance, isFull, seed } from "../kit/chance.ts";
import { commitAll, put } from "../kit/repository.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { takePicture } from "../kit/index-picture.ts";
import { fresh, index } from "./ground.ts";

const ROUNDS = isFull ? 60 : 6;
const EDITS = 6;

/** Places whose files mean each other, by paths and by names of manifests. */
const PATHS = [
  "src/auth/session.ts",
  "src/auth/token.ts",
  "src/auth/index.ts",
  "src/billing/invoice.ts",
  "src/billing/index.ts",
  "src/main.ts",
  "lib/shop/cart.py",
  "lib/shop/__init__.py",
  "lib/shop/test_cart.py",
  "cmd/serve/main.go",
  "cmd/serve/serve.go",
  "cmd/serve/serve_test.go",
  "native/src/lib.rs",
  "native/src/wire.rs",
  "dist/bundle.js",
  "test/fixtures/sample.ts",
  "odd names/ein Schlüssel 鍵.ts",
  "docs/guide.md",
  "README.md",
  "package.json",
  "tsconfig.json",
  "go.mod",
  "Cargo.toml",
  "sdd/specs/AUTH-001.yaml",
  "sdd/requirements.md",
  "sdd/business-rules.md",
  "data/table.csv",
] as const;

type Rolls = (below: number) => number;

/** A text for a path that says something else each time, and names others. */
function createText(path: string, roll: Rolls): string {
  const n = roll(4);
  if (path === "package.json")
    return JSON.stringify({ name: "shop", imports: { "#auth/*": [`./src/${["auth", "billing"][n % 2]}/*`] } });
  if (path === "tsconfig.json")
    return `{"compilerOptions":{"baseUrl":".","paths":{"@/*":["${["src", "lib"][n % 2]}/*"]}}}`;
  if (path === "go.mod") return `module example.com/shop${n % 2}\n`;
  if (path === "Cargo.toml") return `[package]\nname = "native${n % 2}"\n`;
  if (path.endsWith(".yaml"))
    return `id: AUTH-001\ntitle: Log in ${n}\nsummary: Members log in.\nacceptance_criteria:\n  - Given ${n}\n`;
  if (path === "sdd/requirements.md")
    return `# Requirements\n\n## Functional\n\n- FR-001: It greets ${n}.\n- FR-00${n + 2}: It ends.\n`;
  if (path === "sdd/business-rules.md") return `# Rules\n\n- BR-00${n + 1}: Nobody pays twice.\n`;
  if (path.endsWith(".md")) return `# Title ${n}\n\nText.\n\n## Install\n\nRun it ${n}.\n\n## Install\n\nAgain.\n`;
  if (path.endsWith(".py"))
    return `"""Shop ${n}."""\nfrom . import cart\nfrom shop.cart import total\n\n\ndef total(items):\n    # @spec AUTH-001.AC-${n}\n    return sum(items) + ${n}\n\n\ndef test_total():\n    assert total([1]) == 1\n`;
  if (path.endsWith(".go"))
    return `package main\n\nimport "example.com/shop${n % 2}/cmd/serve"\n\n// Serve serves ${n}.\nfunc Serve${n}() { serve.Begin() }\n\nfunc helper() { Serve${n}() }\n`;
  if (path.endsWith(".rs"))
    return `mod wire;\nuse crate::wire::send;\n\n/// Sends ${n}.\npub fn send() { helper(${n}) }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn sends() {} // @spec AUTH-001.AC-${n}\n}\n`;
  if (path.endsWith(".csv")) return `a,${n}\n`;
  const tag = n % 2 === 0 ? `// @spec AUTH-001.AC-${n}\n` : "";
  return `import { Session } from "./session.ts";\nimport { invoice } from "../billing";\nimport "#auth/token.ts";\nimport "@/main";\n\n${tag}export function part${n}() {\n  return invoice(new Session(${n}));\n}\nexport class Session {\n  close() { part${n}(); }\n}\n`;
}

/** One of the things that happen to files. */
function happen(root: string, roll: Rolls): void {
  const path = PATHS[roll(PATHS.length)] ?? "README.md";
  const file = join(root, path);
  const isThere = fs.existsSync(file);
  switch (isThere ? roll(8) : 0) {
    case 1:
      return fs.rmSync(file);
    case 2: {
      const to = join(root, PATHS[roll(PATHS.length)] ?? "README.md");
      fs.mkdirSync(dirname(to), { recursive: true });
      return fs.renameSync(file, to);
    }
    case 3:
      return fs.chmodSync(file, 0o600 + roll(64));
    case 4:
      return fs.utimesSync(file, roll(1_000_000), roll(1_000_000));
    case 5:
      // As long as before, and with the time it had: only what the disk itself notes is another.
      return rewrittenInPlace(file, roll);
    case 6:
      try {
        git(root, "checkout", "-q", "--", path);
      } catch {
        // It was never committed.
      }
      return;
    case 7:
      return fs.appendFileSync(file, path.endsWith(".ts") ? "\0\u00ff".repeat(roll(2)) + "}{" : "\n");
    default:
      return put(root, path, createText(path, roll));
  }
}

function rewrittenInPlace(file: string, roll: Rolls): void {
  const { atime, mtime } = fs.statSync(file);
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/[0-9]/g, String(roll(10))));
  fs.utimesSync(file, atime, mtime);
}

test.each([
  ["git", temporaryRepository],
  ["no git", temporaryFolder],
] as const)(
  `with %s, an updated index equals a new one (TENON_SEED=${seed})`,
  { timeout: 600_000 },
  async (kind, made) => {
    using folder = made();
    const root = folder.path;
    fs.mkdirSync(join(root, "sdd"));
    const roll = chance(seed);
    for (const path of PATHS) if (roll(3) > 0) put(root, path, createText(path, roll));
    if (kind === "git") commitAll(root);
    await index(root);
    for (let round = 0; round < ROUNDS; round++) {
      for (let edit = 0; edit < EDITS; edit++) happen(root, roll);
      await index(root);
      expect({ round, ...takePicture(root) }).toEqual({ round, ...(await fresh(root)) });
    }
  },
);
