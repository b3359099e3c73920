import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { commitAll, put } from "../kit/repository.ts";

const FILES: Readonly<Record<string, string>> = {
  "src/shop/__init__.py": "from .bar import progress\n",
  "src/shop/bar.py": 'def progress(total):\n    """Shows how far it is."""\n    return total\n',
  "tests/test_bar.py": `import shop

def test_progress_length():
    assert shop.progress(3) == 3

def test_other():
    assert True
`,
  "tests/test_ui.py": `import shop

def test_screen():
    pass

def test_screen_with_bar():
    shop.progress(1)
`,
  "tests/test_money.py": "def test_sum():\n    assert 1 + 1 == 2\n",
  "lib/response.js": `module.exports = {
  /** Sends the client to another address. */
  redirect(url) {
    this.set("Location", url);
  },
  get subdomains() {
    return this.host.split(".");
  },
  vary: function (field) {
    return field;
  },
};
`,
  "lib/app.js": `const express = require("express");
const DEFAULT_PORT = 8080;
const app = express();
app.get("/users/:id", showUser);
app.post("/users", createUser);
function showUser() {}
function createUser() {}
function start({ port = DEFAULT_PORT, maxRetries = 3 }) {}
app.set("trust proxy", false);
`,
  "test/app.test.js": "start({ maxRetries: 9 });\n",
  "lib/local.js": "const local = { hidden() {} };\nlocal.hidden();\n",
};

const folder = temporaryRepository();
let tenon: ReturnType<typeof testHouse>;
let engine: Engine;
beforeAll(async () => {
  for (const [path, text] of Object.entries(FILES)) put(folder.path, path, text);
  commitAll(folder.path, "Start");
  tenon = testHouse(folder.path);
  engine = await tenon.house.open({ mayLack: false });
});
afterAll(() => {
  tenon[Symbol.dispose]();
  folder[Symbol.dispose]();
});

interface Answer {
  readonly hits?: readonly { readonly key: string }[];
  readonly facts?: readonly unknown[];
}

async function answer(question: string): Promise<Answer> {
  const query = await loadCatalogueOperation("indexing.query");
  return (await query.run(engine, { question })) as Answer;
}

test.each(["Which tests cover progress?", "tests of progress", "is progress tested?"])(
  "finds tests by name and by calls through a package that exports the function again: %s",
  async (question) => {
    expect((await answer(question)).facts).toEqual([
      {
        what: "tests",
        values: [
          "tests/test_bar.py (1 of 2: 3 test_progress_length)",
          "tests/test_ui.py (1 of 2: 6 test_screen_with_bar)",
        ],
        more: 0,
      },
    ]);
  },
);

test.each([
  ["How do I send the client to another address?", "lib/response.js#default.redirect"],
  ["subdomains", "lib/response.js#default.subdomains"],
  ["vary", "lib/response.js#default.vary"],
  ["hidden", "lib/local.js#local.hidden"],
])("finds a function of an exported object: %s", async (question, key) => {
  expect((await answer(question)).hits?.[0]?.key).toBe(key);
});

test.each([
  ["Who handles POST /users?", "handled by", ["lib/app.js:5 POST /users → createUser"]],
  ["Which function serves /api/users/7?", "handled by", ["lib/app.js:4 GET /users/:id → showUser"]],
  ["What is the default of maxRetries?", "default", ["lib/app.js:8 maxRetries = 3"]],
  ["what is trust proxy by default", "default", ["lib/app.js:9 trust proxy = false"]],
  [
    "What is the default port?",
    "default",
    ["lib/app.js:2 DEFAULT_PORT = 8080", "lib/app.js:8 port = DEFAULT_PORT (8080)"],
  ],
])("reads the source for %s", async (question, what, values) => {
  expect((await answer(question)).facts).toEqual([{ what, values, more: 0 }]);
});

test("shows no default and no route for a question about neither", async () => {
  expect((await answer("Where is a user sent to another address?")).facts).toBeUndefined();
});
