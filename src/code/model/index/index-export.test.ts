import { expect, test } from "vitest";
import { createComponentIds } from "./index-export.ts";

const idsOf = (...keys: string[]): string[] => [
  ...createComponentIds(
    keys.map((key) => {
      const [path = "", ref = ""] = key.split("#");
      return { key, path, ref };
    }),
  ).values(),
];

test.each([
  ["src/auth/login.ts#login", "comp-auth-login"],
  ["src/auth/token.ts#validateToken", "comp-auth-validate-token"],
  ["src/auth/session.ts#Session.login", "comp-auth-session-login"],
  ["src/main.ts#main", "comp-main"],
  ["main.go#HTTPServer.ServeHTTP", "comp-http-server-serve-http"],
  ["app/user_routes.py#get_user", "comp-get-user"],
  ["src/größe/maß.ts#größeVon", "comp-größe-größe-von"],
  ["src/routes.ts#GET /users/:id", "comp-get-users-id"],
  ["src/odd.ts#$", "comp-unnamed"],
  [`src/a/b.ts#${"x".repeat(300)}`, `comp-a-${"x".repeat(78)}`],
])("%s is %s", (key, id) => {
  expect(idsOf(key)).toEqual([id]);
});

test("gives every symbol its own name", () => {
  const keys = ["src/a/one.ts#run", "src/a/two.ts#run", "src/a/two.ts#run~2", "src/a/x.ts#run.2", "lib/a/y.ts#run"];
  expect(idsOf(...keys)).toEqual(["comp-a-run", "comp-a-run-2", "comp-a-run-3", "comp-a-run-2-2", "comp-a-run-4"]);
});
