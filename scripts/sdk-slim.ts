import fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

/**
 * Lets the bundler drop MCP SDK schemas that a server never uses. The SDK builds all of them on import and keeps them
 * in a registry, which is most of its start time. Behaviour does not change. If a new SDK lacks one of these patterns,
 * the build fails (docs/adr/0004).
 */
export const sdkSlimPlugin: Plugin = {
  name: "sdk-slim",
  setup(build) {
    const seen = new Set<string>();
    // Messages are English, and the other languages are a third of the bundle.
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes("/zod/")
        ? { path: join(dirname(importer), "../locales/en.js"), sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /@modelcontextprotocol\/core\/dist\/(?:schemas|auth)-[^/]*\.mjs$/ }, ({ path }) => {
      seen.add("core");
      return { contents: markSchemasPure(fs.readFileSync(path, "utf8")), loader: "js" };
    });
    build.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/src-[^/]*\.mjs$/ }, ({ path }) => {
      seen.add("server");
      return { contents: buildSchemasLate(dropSchemaRegistry(fs.readFileSync(path, "utf8"))), loader: "js" };
    });
    build.onEnd(() => {
      if (seen.size !== 2) throw new Error("The MCP SDK is laid out differently: fix scripts/sdk-slim.ts.");
    });
  },
};

/**
 * Gives `zod/mini` its own copy of zod's core. The MCP SDK uses most of that core, and with one copy every command
 * would load all of it at start.
 */
export const zodMiniPlugin: Plugin = {
  name: "zod-mini",
  setup(build) {
    const entry = import.meta.resolve("zod/mini");
    const ownCopy = (path: string) => ({ path, namespace: "zod-mini", sideEffects: false });
    build.onResolve({ filter: /^zod\/mini$/ }, () => ownCopy(fileURLToPath(entry)));
    build.onResolve({ filter: /^\./, namespace: "zod-mini" }, ({ path, importer }) =>
      // Messages are English, and the other languages are a third of the bundle.
      ownCopy(join(dirname(importer), path).replace(/locales\/index\.js$/, "locales/en.js")),
    );
    build.onLoad({ filter: /.*/, namespace: "zod-mini" }, ({ path }) => ({ contents: fs.readFileSync(path, "utf8") }));
  },
};

/** Building a schema has no side effect, so unused ones can be dropped. */
function markSchemasPure(code: string): string {
  return replaceSdkPattern(
    code,
    /^const (\w+Schema) = ([\s\S]*?);\n(?=[\w/]|\n)/gm,
    "const $1 = /* @__PURE__ */ (() => $2)();\n",
    10,
  );
}

/** `specTypeSchemas` and `isSpecType` check messages by name, which this server does not do. */
function dropSchemaRegistry(code: string): string {
  const withoutSpec = replaceSdkPattern(code, /^for \(const key of SPEC_SCHEMA_KEYS\) register\(.*\);\n/m, "", 1);
  return replaceSdkPattern(
    withoutSpec,
    /^for \(const \[key, schema\] of Object\.entries\(authSchemas\)\) register\(.*\);\n/m,
    "",
    1,
  );
}

/**
 * Builds each schema of the protocol when a message first needs it. The SDK builds all schemas of a revision at the
 * first message, which is a tenth of the time to the first answer.
 */
function buildSchemasLate(code: string): string {
  const late = replaceSdkPattern(code, /^function build(?:\$1)?\(\) \{\n[\s\S]*?\n\}\n/gm, wrapSchemas, 2);
  const maps = replaceSdkPattern(late, /^\t\t\t("?[\w/]+"?): (s\.\w+),?$/gm, "\t\t\tget $1() { return $2; },", 40);
  return `${maps}\nfunction buildOnce(build) { let built; return () => (built ??= build()); }\n`;
}

/** A declaration ends on its first line, or on the line that closes it at the same depth. */
const SCHEMA_DECLARATION = /^\tconst ([\w$]+) = (.*[^;\n](?:\n\t\t.*)+\n\t[^\t].*|.*);$/gm;

function wrapSchemas(builder: string): string {
  const names = [...builder.matchAll(SCHEMA_DECLARATION)].map(([, name = ""]) => name.replaceAll("$", "\\$"));
  return builder
    .replace(SCHEMA_DECLARATION, "\tconst $1 = buildOnce(() => ($2));")
    .replace(new RegExp(`(?<![\\w$.])(${names.join("|")})(?![\\w$]| = |:)`, "g"), "$1()")
    .replace(/^\t\t(\w+): ([\w$]+\(\)),?$/gm, "\t\tget $1() { return $2; },")
    .replace(/^\t\t(\w+)\(\),?$/gm, "\t\tget $1() { return $1(); },");
}

function replaceSdkPattern(
  code: string,
  pattern: RegExp,
  replacement: string | ((found: string) => string),
  atLeast: number,
): string {
  const found = code.match(pattern)?.length ?? 0;
  if (found < atLeast) throw new Error(`The MCP SDK no longer has ${pattern}: fix scripts/sdk-slim.ts.`);
  return typeof replacement === "string" ? code.replace(pattern, replacement) : code.replace(pattern, replacement);
}
