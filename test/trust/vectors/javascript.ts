import { all, append, copies, executable, json, put, scripts, type Vector } from "../ground.ts";

const script =
  (...names: readonly string[]): Vector["plant"] =>
  (ground) =>
    scripts(ground, Object.fromEntries(names.map((name) => [name, ground.line])));

const nothing =
  (...names: readonly string[]): Vector["plant"] =>
  (ground) =>
    scripts(ground, Object.fromEntries(names.map((name) => [name, "true"])));

/** What package managers, runners, linters and Node itself would load or run. */
export const JAVASCRIPT: readonly Vector[] = [
  { name: "package.json pretest", plant: all(script("pretest"), nothing("test")), trigger: "npm test" },
  { name: "package.json posttest", plant: all(script("posttest"), nothing("test")), trigger: "npm test" },
  { name: "package.json test", plant: script("test", "coverage"), trigger: "npm test" },
  {
    name: "package.json lint, types and build",
    plant: script("lint", "types", "typecheck", "build", "format"),
    trigger: "npm run build",
  },
  {
    name: "package.json prepare",
    plant: script("prepare", "preinstall", "install", "postinstall", "prepack"),
    trigger: "npm run prepare",
  },
  {
    name: ".npmrc node-options",
    plant: all(copies("js", "options.cjs"), (ground) => {
      append(ground, ".npmrc", "node-options=--require ./options.cjs\n");
      scripts(ground, { version: "node -e 0" });
    }),
    trigger: "npm run version",
  },
  {
    name: ".npmrc script-shell",
    plant(ground) {
      put(ground, "shell.sh", `#!/bin/sh\n${ground.line}\nexec /bin/sh "$@"\n`, 0o755);
      append(ground, ".npmrc", "script-shell=./shell.sh\n");
      scripts(ground, { start: "true" });
    },
    trigger: "npm start",
  },
  { name: ".npmrc git", plant: (ground) => append(ground, ".npmrc", `git=${ground.program}\n`) },
  {
    name: "vitest.config.ts",
    plant: copies("js", "vitest.config.ts", "vite.config.js", "vitest.setup.ts", "vitest.workspace.js"),
    trigger: "node vite.config.js",
  },
  {
    name: "eslint.config.js",
    plant: copies("js", "eslint.config.js", ".eslintrc.cjs"),
    trigger: "node eslint.config.js",
  },
  {
    name: "prettier.config.cjs",
    plant: copies("js", "prettier.config.cjs", ".prettierrc.cjs"),
    trigger: "node prettier.config.cjs",
  },
  {
    name: "jest.config.js",
    plant: copies("js", "jest.config.js", "babel.config.cjs"),
    trigger: "node jest.config.js",
  },
  {
    name: ".pnp.cjs and yarnPath",
    plant: all(copies("js", ".pnp.cjs"), (ground) => put(ground, ".yarnrc.yml", "yarnPath: ./.pnp.cjs\n")),
    trigger: "node --require ./.pnp.cjs -e 0",
  },
  {
    name: "bunfig.toml preload",
    plant: all(copies("js", "preload.ts"), (ground) => put(ground, "bunfig.toml", 'preload = ["./preload.ts"]\n')),
  },
  {
    name: "node_modules/.bin/git",
    plant: executable("node_modules/.bin/git"),
    trigger: "PATH=node_modules/.bin:$PATH git --version",
  },
  {
    name: "node_modules/.bin/node and others",
    plant: executable(...["node", "npx", "npm", "sh", "env", "tenon"].map((name) => `node_modules/.bin/${name}`)),
    trigger: "PATH=node_modules/.bin:$PATH npx x",
  },
  { name: "./git", plant: executable("git", "git.exe", "git.cmd", "vendor/git"), trigger: "PATH=:$PATH git --version" },
  {
    name: "./node and others",
    plant: executable("node", "sh", "env", "true", "false", "cat"),
    trigger: "PATH=.:$PATH node",
  },
  {
    name: "modules of names that Tenon loads",
    plant: (ground) =>
      ["zod", "js-yaml", "smol-toml", "typescript"].forEach((name) => {
        put(ground, `node_modules/${name}/index.js`, ground.js);
        json(ground, `node_modules/${name}/package.json`, { name, main: "index.js" });
      }),
    trigger: "node -e 'require(\"zod\")'",
  },
  { name: ".nvmrc", plant: (ground) => put(ground, ".nvmrc", `$(${ground.line})\n`) },
  {
    name: ".tool-versions and mise.toml",
    plant(ground) {
      put(ground, ".tool-versions", "node path:./node\n");
      put(ground, "mise.toml", `[hooks]\nenter = '${ground.line}'\n[env]\n_.source = "./env.sh"\n`);
      put(ground, "env.sh", `${ground.line}\n`);
    },
    trigger: ". ./env.sh",
  },
];
