import { expect, test } from "vitest";
import { recognizeFile, createRepositorySurvey } from "./repository-survey.ts";

const FASTAPI = "from fastapi import APIRouter\n";
const NEST = 'import { Controller, Get } from "@nestjs/common";\n';
const GIN = 'import "github.com/gin-gonic/gin"\n';
const CHI = 'import "github.com/go-chi/chi/v5"\n';

/** Each file, and the routes that stand in it with their handlers. */
test.each([
  ["a.js", 'const app = require("express")();\napp.get("/a", show);', ["GET /a show"]],
  [
    "a.ts",
    'import Fastify from "fastify";\nconst web = Fastify();\nweb.post<Body>("/a", async () => {});',
    ["POST /a"],
  ],
  ["a.ts", 'fastify.route({ method: "PUT", url: "/a/:id" });', ["PUT /a/:id"]],
  ["a.ts", 'const api = axios.create();\napi.get("/not-ours", x);\ncache.get("/no", y);', []],
  ["a.ts", '/*\napp.get("/bare", x);\n*/\nconst glob = "a/*";\napp.get("/b", x);\nconst more = "*/";', ["GET /b x"]],
  [
    "a.py",
    'X = """\n@app.get("/text")\n"""\ndef f():\n    """Use it::\n\n        @app.get("/example")\n        def a(): ...\n    """\n@app.get("/b")\ndef b(): ...',
    ["GET /b b"],
  ],
  ["a.ts", '// app.get("/commented", x);\n/*\n * app.get("/too", x);\n */', []],
  [
    "a.ts",
    `${NEST}@Controller("users")\nclass A {\n  @Get(":id")\n  async show() {}\n  @Get()\n  list() {}\n}`,
    ["GET /users/:id show", "GET /users list"],
  ],
  [
    "app/api/(shop)/orders/route.ts",
    "export async function GET() {}\nexport const POST = x;",
    ["GET /api/orders", "POST /api/orders"],
  ],
  [
    "a.py",
    `${FASTAPI}router = APIRouter(prefix="/x")\n@router.get("/{id}")\nasync def show(id): ...`,
    ["GET /x/{id} show"],
  ],
  [
    "a.py",
    'from flask import Blueprint\nb = Blueprint("b", __name__, url_prefix="/b")\n@b.route("/c", methods=["POST", "PUT"])\ndef c(): ...',
    ["POST /b/c c", "PUT /b/c c"],
  ],
  [
    "shop/urls.py",
    'urlpatterns = [\n  path("orders/<int:pk>/", views.order),\n  path("admin/", admin.site.urls),\n  path("api/", include("api.urls")),\n]',
    ["ANY /orders/<int:pk> views.order"],
  ],
  [
    "a.go",
    `${GIN}func f() {\n\tv1 := r.Group("/v1")\n\tadmin := v1.Group("/admin")\n\tadmin.DELETE("/users/:id", auth(), removeUser)\n}`,
    ["DELETE /v1/admin/users/:id removeUser"],
  ],
  [
    "a.go",
    `${CHI}func f() {\n\tr.Route("/orders", func(r chi.Router) {\n\t\tr.Get("/", list)\n\t\tr.Route("/{id}", func(r chi.Router) {\n\t\t\tr.Put("/", change)\n\t\t})\n\t})\n\tr.Get("/health", health)\n}`,
    ["GET /orders list", "PUT /orders/{id} change", "GET /health health"],
  ],
  [
    "a.go",
    'func f() {\n\thttp.HandleFunc("/old", old)\n\tmux.Handle("PATCH /new", fresh)\n}',
    ["ANY /old old", "PATCH /new fresh"],
  ],
  ["a_test.go", 'func f() {\n\thttp.HandleFunc("/in-a-test", old)\n}', []],
  ["a.rs", '#[get("/a/{id}")]\n#[allow(unused)]\nasync fn show() {}', ["GET /a/{id} show"]],
  ["a.rs", 'use rocket::get;\n#[post("/a/<id>", data = "<form>")]\nfn make() {}', ["POST /a/<id> make"]],
  [
    "A.java",
    '@RequestMapping(path = "/a")\nclass A {\n@RequestMapping(value = "/b", method = RequestMethod.PUT)\npublic void b() {}\n}',
    ["PUT /a/b b"],
  ],
  [
    "A.kt",
    '@RestController\n@RequestMapping("/a")\nclass A {\n@GetMapping("/b")\nfun b(): String = ""\n}',
    ["GET /a/b b"],
  ],
  ["config/routes.rb", 'get "/about", to: "pages#about"\nresources :orders', ["GET /about pages#about", "ANY /orders"]],
  [
    "config/routes.rb",
    'resources :projects do\n  resources :wiki do\n    member do\n      get "rename"\n    end\n    get "find", on: :collection\n  end\n  get "gantt", to: "gantts#show"\nend\nnamespace :admin do\n  match "info", via: [:get, :post]\nend',
    [
      "ANY /projects",
      "ANY /projects/:project_id/wiki",
      "GET /projects/:project_id/wiki/:id/rename",
      "GET /projects/:project_id/wiki/find",
      "GET /projects/:project_id/gantt gantts#show",
      "GET /admin/info",
      "POST /admin/info",
    ],
  ],
  ["routes/web.php", "Route::post('/a', [A::class, 'b']);", ["POST /a"]],
  ["lib/web/router.ex", '  get "/a", PageController, :a', ["GET /a PageController"]],
  ["Program.cs", 'app.MapGet("/a", () => 1);', ["GET /a"]],
  [
    "openapi.yaml",
    "openapi: 3.1.0\npaths:\n  /a:\n    parameters: []\n    get:\n      operationId: showA\n      responses:\n        get: {}\n    post: {}\ncomponents:\n  /b:\n    get: {}",
    ["GET /a showA", "POST /a"],
  ],
  ["swagger.json", '{\n  "paths": {\n    "/a": {\n      "get": { "operationId": "x" }\n    }\n  }\n}', ["GET /a"]],
])("%s %#", (path, text, expected) => {
  const { findings } = recognizeFile(path, text);
  const routes = findings.filter(({ kind }) => kind === "route");
  expect(routes.map(({ name, says }) => (says === undefined ? name : `${name} ${says}`))).toEqual(expected);
});

const routesOf = (files: Readonly<Record<string, string>>): string[] => {
  const readings = Object.entries(files).map(([path, text]) => recognizeFile(path, text));
  const { findings } = createRepositorySurvey(Object.keys(files), readings, []);
  return findings
    .filter(({ kind }) => kind === "route")
    .map(({ name, path, line, also = [] }) =>
      [name, `${path}:${line}`, ...also.map((link) => `${link.path}:${link.line}`)].join(" "),
    );
};

const THREE_ROUTES =
  'func f() {\n\thttp.HandleFunc("/a", a)\n\thttp.HandleFunc("/b", b)\n\thttp.HandleFunc("/c", c)\n}\n';
const EXPRESS = 'import { Router } from "express";\nexport const router = Router();\n';

test("shows a file mounted below a path with its full path, and both lines as evidence", () => {
  expect(
    routesOf({
      "src/app.ts":
        'import express from "express";\nimport { router as orders } from "./orders/index.js";\nimport users from "./users";\napp.use("/users", users);',
      "src/users.ts": `${EXPRESS}router.get("/:id", show);`,
      "src/other/users.ts": `${EXPRESS}router.get("/elsewhere", show);`,
    }),
  ).toEqual(["GET /users/:id src/users.ts:3 src/app.ts:4", "GET /elsewhere src/other/users.ts:3"]);
});

test("follows prefixes through files that mount other files", () => {
  expect(
    routesOf({
      "src/main.ts":
        'import express from "express";\nimport routes from "./routes";\nconst app = express();\napp.use(routes);',
      "src/routes.ts":
        'import { Router } from "express";\nimport tags from "./tags";\nconst api = Router()\n  .use(tags);\nexport default Router().use("/api", api);',
      "src/tags.ts": `${EXPRESS}router.get("/tags", list);`,
    }),
  ).toEqual(["GET /api/tags src/tags.ts:3 src/routes.ts:4"]);
  expect(
    routesOf({
      "app/main.py":
        "from fastapi import FastAPI\nfrom app.api.main import api_router\napp = FastAPI()\napp.include_router(api_router, prefix=settings.API_V1_STR)",
      "app/config.py": 'class Settings:\n    API_V1_STR: str = "/api/v1"\n',
      "app/api/main.py":
        "from fastapi import APIRouter\nfrom app.api.routes import items\napi_router = APIRouter()\napi_router.include_router(items.router)",
      "app/api/routes/items.py": `${FASTAPI}router = APIRouter(prefix="/items")\n@router.get("/{id}")\ndef read_item(id): ...`,
    }),
  ).toEqual(["GET /api/v1/items/{id} app/api/routes/items.py:3 app/main.py:4"]);
});

test("leaves the path of a file that is mounted twice as written", () => {
  expect(
    routesOf({
      "app.js": 'const a = require("./a");\napp.use("/one", a);\napp.use("/two", a);',
      "a.js": `${EXPRESS}router.get("/x", show);`,
    }),
  ).toEqual(["GET /x a.js:3"]);
});

test("joins a route of the code with the same route of an API description", () => {
  expect(
    routesOf({
      "openapi.yaml": "paths:\n  /a/{id}:\n    get:\n      operationId: showA\n",
      "a.js": 'const app = require("express")();\napp.get("/a/:id", show);',
    }),
  ).toEqual(["GET /a/{id} openapi.yaml:3 a.js:2"]);
});

test.each([
  ["a library with routes in its own code", { "go.mod": "module x/chi\n", "profiler.go": THREE_ROUTES }, 0],
  [
    "a program on net/http",
    { "go.mod": "module x/app\n", "main.go": `package main\n${THREE_ROUTES}func main() {}\n` },
    3,
  ],
  [
    "a framework that its tests install",
    { "package.json": '{"devDependencies":{"express":"4"}}', "a.js": 'app.get("/a", x);' },
    0,
  ],
  ["an application", { "package.json": '{"dependencies":{"express":"4"}}', "a.js": 'app.get("/a", x);' }, 1],
])("takes routes for the product's in %s: %#", (_, files, expected) => {
  expect(routesOf(files)).toHaveLength(expected);
});
