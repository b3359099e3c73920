import { expect, test } from "vitest";
import { findFileRoutes } from "./source-routes.ts";

const EXPRESS = 'import express from "express";\nconst app = express();\napp.get("/users", list);\n';

test.each([
  ["src/server.ts", EXPRESS, ["3 GET /users"]],
  ["src/server.ts", EXPRESS.replaceAll("\n", "\r\n"), ["3 GET /users"]],
  ["test/server.ts", EXPRESS, []],
  ["src/server.test.ts", EXPRESS, []],
  ["src/client.ts", 'client.get("/users", list);\n', []],
  ["config/routes.rb", 'get "/users", to: "users#index"\n', ["1 GET /users"]],
  ["lib/other.rb", 'get "/users", to: "users#index"\n', []],
  ["README.md", EXPRESS, []],
])("%s with %j offers %j", (path, text, expected) => {
  expect(findFileRoutes(path, text).map(({ line, name }) => `${line} ${name}`)).toEqual(expected);
});
