import { expect, test } from "vitest";
import { collectAffectedWords, listImportWords, resolveImportTargets } from "./import-targets.ts";
import { parseImportAliases, indexWorkspacePaths } from "./import-context.ts";

type Row = [from: string, specifier: string, expected: readonly string[], names?: readonly string[] | undefined];

/**
 * What an import means in a workspace of these files and manifests. On the way it is seen that no file can go, or come
 * back, and change that without the import being named among those affected.
 */
function meaning(language: string, files: readonly string[], manifests: Readonly<Record<string, string>> = {}) {
  const aliases = parseImportAliases(new Map(Object.entries(manifests)));
  const among = (paths: readonly string[], [from, specifier, , names = []]: Row): readonly string[] =>
    resolveImportTargets(from, language, [{ specifier, names }], { paths: indexWorkspacePaths(paths), aliases }).get(
      specifier,
    ) ?? [];
  return (row: Row): readonly string[] => {
    const meant = among(files, row);
    const words = listImportWords({ specifier: row[1], names: row[3] ?? [] });
    const changing = files.filter((gone) => {
      const without = among(
        files.filter((path) => path !== gone),
        row,
      );
      return without.join() !== meant.join();
    });
    const known = { paths: indexWorkspacePaths(files), aliases };
    expect(changing.filter((path) => words.every((word) => !collectAffectedWords([path], known).has(word)))).toEqual(
      [],
    );
    return meant;
  };
}

const web = meaning(
  "typescript",
  [
    "src/app.ts",
    "src/auth/session.ts",
    "src/auth/index.ts",
    "src/auth/view.tsx",
    "src/data.json",
    "src/deep/app/page.tsx",
    "lib/old.cjs",
    "index.js",
    "packages/core/src/index.ts",
    "packages/core/src/parse.ts",
    "packages/ui/lib/button.ts",
    "packages/ui/app.ts",
    "vendor/types.d.ts",
  ],
  {
    "package.json": '{"name": "web", "imports": {"#*.ts": {"source": "./src/*.ts", "default": "./dist/*.js"}}}',
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"], "@/page": ["./src/deep/app/page.tsx"]}}} // x',
    "packages/core/package.json":
      '{"name": "@web/core", "exports": {".": "./dist/index.js", "./parse": "./dist/parse.js"}}',
    "packages/ui/package.json": '{"name": "ui", "main": "lib/button"}',
    "packages/ui/tsconfig.json": '{"extends": "../../tsconfig.base"}',
    "tsconfig.base.json": '{"compilerOptions": {"baseUrl": "packages"}}',
  },
);

test.each<Row>([
  ["src/app.ts", "./auth/session.ts", ["src/auth/session.ts"]],
  ["src/app.ts", "./auth/session", ["src/auth/session.ts"]],
  ["src/app.ts", "./auth/session.js", ["src/auth/session.ts"]],
  ["src/app.ts", "./auth/view.js", ["src/auth/view.tsx"]],
  ["src/app.ts", "./auth", ["src/auth/index.ts"]],
  ["src/app.ts", "./auth/", ["src/auth/index.ts"]],
  ["src/auth/session.ts", ".", ["src/auth/index.ts"]],
  ["src/auth/session.ts", "..", []],
  ["src/auth/session.ts", "../app", ["src/app.ts"]],
  ["src/auth/session.ts", "../../lib/old", ["lib/old.cjs"]],
  ["src/auth/session.ts", "../../../app", []],
  ["src/app.ts", "./data.json", ["src/data.json"]],
  ["src/app.ts", "../vendor/types", ["vendor/types.d.ts"]],
  ["src/app.ts", "./auth/view.tsx?raw", ["src/auth/view.tsx"]],
  ["src/app.ts", "./gone", []],
  ["src/app.ts", "react", []],
  ["src/app.ts", "node:fs", []],
  ["src/app.ts", "#auth/session.ts", ["src/auth/session.ts"]],
  ["src/app.ts", "@/auth/view", ["src/auth/view.tsx"]],
  ["src/app.ts", "@/page", ["src/deep/app/page.tsx"]],
  ["src/app.ts", "@web/core", ["packages/core/src/index.ts"]],
  ["src/app.ts", "@web/core/parse", ["packages/core/src/parse.ts"]],
  ["src/app.ts", "ui", ["packages/ui/lib/button.ts"]],
  ["src/app.ts", "ui/app", ["packages/ui/app.ts"]],
  ["packages/ui/app.ts", "core/src/parse", ["packages/core/src/parse.ts"]],
])("TypeScript: %s imports %s", (from, specifier, expected, names) => {
  expect(web([from, specifier, expected, names])).toEqual(expected);
});

const py = meaning("python", [
  "manage.py",
  "app/__init__.py",
  "app/logging.py",
  "app/models/__init__.py",
  "app/models/user.py",
  "app/views.py",
  "src/core/__init__.py",
  "src/core/parse.py",
  "services/api/main.py",
  "services/api/routes/orders.py",
  "tests/test_user.py",
]);

test.each<Row>([
  ["manage.py", "app.models.user", ["app/models/user.py"]],
  ["manage.py", "app.models", ["app/models/__init__.py"]],
  ["app/views.py", "app.models", ["app/models/user.py"], ["user"]],
  ["app/views.py", "app.models", ["app/models/__init__.py", "app/models/user.py"], ["user", "Order"]],
  ["app/views.py", ".models.user", ["app/models/user.py"], ["User"]],
  ["app/views.py", ".", ["app/models/__init__.py"], ["models"]],
  ["app/models/user.py", "..views", ["app/views.py"], ["show"]],
  ["app/models/user.py", "....views", []],
  ["app/views.py", "logging", []],
  ["tests/test_user.py", "app.models.user", ["app/models/user.py"], ["User"]],
  ["tests/test_user.py", "core.parse", ["src/core/parse.py"]],
  ["services/api/main.py", "routes", ["services/api/routes/orders.py"], ["orders"]],
  ["services/api/main.py", "os.path", []],
])("Python: %s imports %s", (from, specifier, expected, names) => {
  expect(py([from, specifier, expected, names])).toEqual(expected);
});

const GO = ["main.go", "auth/auth.go", "auth/token.go", "auth/auth_test.go", "tools/gen/gen.go"];
const go = meaning("go", GO, {
  "go.mod": "module example.com/acme\n\ngo 1.24\n",
  "tools/go.mod": "module tools.dev/x\n",
});
const goWithout = meaning("go", GO);

test.each<Row>([
  ["main.go", "example.com/acme/auth", ["auth/auth.go", "auth/token.go"]],
  ["auth/auth.go", "example.com/acme", ["main.go"]],
  ["main.go", "tools.dev/x/gen", ["tools/gen/gen.go"]],
  ["main.go", "example.com/acmeauth", []],
  ["main.go", "auth", []],
  ["main.go", "fmt", []],
])("Go: %s imports %s", (from, specifier, expected, names) => {
  expect(go([from, specifier, expected, names])).toEqual(expected);
});

test("resolves Go imports by the end of a path without a manifest", () => {
  expect(goWithout(["main.go", "example.com/acme/auth", []])).toEqual(["auth/auth.go", "auth/token.go"]);
  expect(goWithout(["main.go", "auth", []])).toEqual([]);
});

const rust = meaning(
  "rust",
  [
    "src/lib.rs",
    "src/auth.rs",
    "src/auth/session.rs",
    "src/store/mod.rs",
    "src/store/disk.rs",
    "src/bin/tool.rs",
    "tests/it.rs",
    "tests/common/mod.rs",
    "crates/my-core/src/lib.rs",
    "crates/my-core/src/parse.rs",
  ],
  {
    "Cargo.toml": '[package]\nname = "acme"\nversion = "1.0.0"\n',
    "crates/my-core/Cargo.toml": '[package]\nname = "my-core"\n',
  },
);

test.each<Row>([
  ["src/lib.rs", "mod auth", ["src/auth.rs"]],
  ["src/lib.rs", "mod store", ["src/store/mod.rs"]],
  ["src/auth.rs", "mod session", ["src/auth/session.rs"]],
  ["src/store/mod.rs", "self::disk", ["src/store/disk.rs"]],
  ["src/store/disk.rs", "crate::auth::session::Session", ["src/auth/session.rs"]],
  ["src/store/disk.rs", "crate::auth", ["src/auth.rs", "src/auth/session.rs"], ["session", "login"]],
  ["src/store/disk.rs", "crate::Config", ["src/lib.rs"]],
  ["src/store/disk.rs", "super::Store", ["src/store/mod.rs"]],
  ["src/store/disk.rs", "super::super::auth", ["src/auth.rs"], ["login"]],
  ["src/store/disk.rs", "super::super::super", []],
  ["src/store/disk.rs", "super", ["src/store/mod.rs"], ["*"]],
  ["src/lib.rs", "auth::session", ["src/auth/session.rs"], ["Session"]],
  ["src/lib.rs", "my_core::parse::Tree", ["crates/my-core/src/parse.rs"]],
  ["src/lib.rs", "my_core", ["crates/my-core/src/lib.rs"], ["Tree"]],
  ["src/bin/tool.rs", "acme::auth::login", ["src/auth.rs"]],
  ["tests/it.rs", "acme::store", ["src/store/mod.rs"], ["Store"]],
  ["tests/it.rs", "mod common", ["tests/common/mod.rs"]],
  ["src/lib.rs", "std::collections::HashMap", []],
  ["src/lib.rs", "serde", [], ["Serialize"]],
])("Rust: %s uses %s", (from, specifier, expected, names) => {
  expect(rust([from, specifier, expected, names])).toEqual(expected);
});

const java = meaning("java", [
  "src/main/java/com/acme/App.java",
  "src/main/java/com/acme/orders/Order.java",
  "src/main/java/com/acme/orders/Line.java",
  "src/test/java/com/acme/orders/OrderTest.java",
]);

test.each<Row>([
  ["src/main/java/com/acme/App.java", "com.acme.orders.Order", ["src/main/java/com/acme/orders/Order.java"]],
  ["src/main/java/com/acme/App.java", "com.acme.orders.Order.Status", ["src/main/java/com/acme/orders/Order.java"]],
  ["src/main/java/com/acme/App.java", "com.acme.orders.Order.of", ["src/main/java/com/acme/orders/Order.java"]],
  [
    "src/main/java/com/acme/App.java",
    "com.acme.orders.*",
    ["src/main/java/com/acme/orders/Line.java", "src/main/java/com/acme/orders/Order.java"],
  ],
  ["src/main/java/com/acme/App.java", "com.acme.orders.Order.*", ["src/main/java/com/acme/orders/Order.java"]],
  ["src/main/java/com/acme/App.java", "java.util.List", []],
  ["src/main/java/com/acme/App.java", "org.other.Order", []],
])("Java: %s imports %s", (from, specifier, expected, names) => {
  expect(java([from, specifier, expected, names])).toEqual(expected);
});

const cs = meaning(
  "csharp",
  [
    "src/Shop.Core/Models/Order.cs",
    "src/Shop.Core/Clock.cs",
    "src/Web/Pages/Home.cs",
    "src/Web/Program.cs",
    "System/X.cs",
  ],
  {
    "src/Web/Web.csproj": "<Project><PropertyGroup><RootNamespace>Shop.Web</RootNamespace></PropertyGroup></Project>",
    "src/Shop.Core/Shop.Core.csproj": "<Project />",
  },
);

test.each<Row>([
  ["src/Web/Program.cs", "Shop.Web.Pages", ["src/Web/Pages/Home.cs"]],
  ["src/Web/Program.cs", "Shop.Core", ["src/Shop.Core/Clock.cs"]],
  ["src/Web/Program.cs", "Shop.Core.Models", ["src/Shop.Core/Models/Order.cs"]],
  ["src/Web/Program.cs", "Shop.Core.Models.Order", ["src/Shop.Core/Models/Order.cs"]],
  ["src/Web/Program.cs", "System", []],
  ["src/Web/Program.cs", "System.Text", []],
])("C#: %s uses %s", (from, specifier, expected, names) => {
  expect(cs([from, specifier, expected, names])).toEqual(expected);
});

test("resolves C# by the end of a path without a project", () => {
  const without = meaning("csharp", ["src/Shop.Core/Models/Order.cs", "a/Program.cs"]);
  expect(without(["a/Program.cs", "Shop.Core.Models", []])).toEqual(["src/Shop.Core/Models/Order.cs"]);
});

const c = meaning("c", [
  "src/main.c",
  "src/list.h",
  "src/list.c",
  "src/util/text.h",
  "include/acme/api.h",
  "src/api.c",
  "other/list.h",
  "compat/stdio.h",
]);

test.each<Row>([
  ["src/main.c", "list.h", ["src/list.c", "src/list.h"]],
  ["src/list.c", "list.h", ["src/list.h"]],
  ["src/main.c", "util/text.h", ["src/util/text.h"]],
  ["src/main.c", "text.h", ["src/util/text.h"]],
  ["src/main.c", "../other/list.h", ["other/list.h"]],
  ["src/main.c", "<acme/api.h>", ["include/acme/api.h", "src/api.c"]],
  ["src/main.c", "<stdio.h>", []],
  ["src/main.c", "gone.h", []],
])("C: %s includes %s", (from, specifier, expected, names) => {
  expect(c([from, specifier, expected, names])).toEqual(expected);
});

const ruby = meaning("ruby", [
  "lib/shop.rb",
  "lib/shop/order.rb",
  "app/models/user.rb",
  "spec/order_spec.rb",
  "json.rb",
]);

test.each<Row>([
  ["lib/shop.rb", "./shop/order", ["lib/shop/order.rb"]],
  ["spec/order_spec.rb", "../lib/shop", ["lib/shop.rb"]],
  ["spec/order_spec.rb", "shop", ["lib/shop.rb"]],
  ["spec/order_spec.rb", "shop/order", ["lib/shop/order.rb"]],
  ["spec/order_spec.rb", "models/user", ["app/models/user.rb"]],
  ["lib/shop.rb", "json", []],
])("Ruby: %s requires %s", (from, specifier, expected, names) => {
  expect(ruby([from, specifier, expected, names])).toEqual(expected);
});

const PHP = ["app/Models/User.php", "app/Http/Home.php", "tests/UserTest.php", "inc/db.php", "public/start.php"];
const php = meaning("php", PHP, {
  "composer.json": '{"autoload": {"psr-4": {"Acme\\\\": "app/"}}, "autoload-dev": {"psr-4": {"Tests\\\\": "tests/"}}}',
});
const phpWithout = meaning("php", PHP);

test.each<Row>([
  ["app/Http/Home.php", "Acme\\Models\\User", ["app/Models/User.php"]],
  ["app/Http/Home.php", "\\Acme\\Models\\User", ["app/Models/User.php"]],
  ["app/Http/Home.php", "Acme\\Models", ["app/Models/User.php"], ["User", "Gone"]],
  ["app/Http/Home.php", "Tests\\UserTest", ["tests/UserTest.php"]],
  ["app/Http/Home.php", "DateTime", []],
  ["public/start.php", "./../inc/db.php", ["inc/db.php"]],
  ["public/start.php", "inc/db.php", ["inc/db.php"]],
])("PHP: %s uses %s", (from, specifier, expected, names) => {
  expect(php([from, specifier, expected, names])).toEqual(expected);
});

test("resolves PHP by the end of a path without a manifest", () => {
  expect(phpWithout(["app/Http/Home.php", "Acme\\Models\\User", []])).toEqual(["app/Models/User.php"]);
});

test("resolves equal specifiers together, and never a file to itself", () => {
  const known = {
    paths: indexWorkspacePaths(["a/__init__.py", "a/b.py", "a/c.py"]),
    aliases: parseImportAliases(new Map()),
  };
  const imports = [
    { specifier: "a", names: ["b"] },
    { specifier: "a", names: ["c"] },
    { specifier: "os", names: [] },
  ];
  expect([...resolveImportTargets("a/b.py", "python", imports, known)]).toEqual([["a", ["a/c.py"]]]);
  expect([...resolveImportTargets("a/b.py", "cobol", imports, known)]).toEqual([]);
});
