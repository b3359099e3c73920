import fc from "fast-check";
import { expect, test } from "vitest";
import { formatProjectKey, formatProjectName, parseRemoteUrl } from "./project-identity.ts";

test.each(["MyApp", "my-app", "my_app", "My App", "MY_APP", "myApp", " my app ", "my.app", "myapp", "MYAPP"])(
  "gives %j the key of my-app",
  (said) => {
    expect(formatProjectKey(said)).toBe("myapp");
  },
);

test.each([
  ["MyApp", "my-app"],
  ["my_app", "my-app"],
  ["HTTPServer", "http-server"],
  ["shop2Go", "shop2-go"],
  ["Café Olé", "cafe-ole"],
  ["general", "general"],
])("shows %j as %s", (said, shown) => {
  expect(formatProjectName(said)).toBe(shown);
});

test("gives two different names two keys", () => {
  expect(formatProjectKey("my-app")).not.toBe(formatProjectKey("my-app-2"));
  expect(formatProjectKey("商店")).not.toBe(formatProjectKey("登录"));
});

test("derives one name from any text, with the key of that text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (said) => {
      const name = formatProjectName(said);
      expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect({ name: formatProjectName(name), key: formatProjectKey(name) }).toEqual({
        name,
        key: formatProjectKey(said),
      });
    }),
    { numRuns: 500 },
  );
});

const SHOP = { place: "github.com/acme/shop", name: "shop", owner: "acme" };

test.each([
  "https://github.com/acme/shop",
  "https://github.com/acme/shop.git",
  "https://github.com/acme/shop.git/",
  "https://github.com/acme/shop//",
  "https://github.com:443/acme/shop.git",
  "https://user@github.com/acme/shop.git",
  "https://user:hunter2@github.com/acme/shop.git",
  "https://user:p@ss@github.com/acme/shop.git",
  "https://x-access-token:abc@github.com/acme/shop?ref=main#readme",
  "http://github.com/acme/shop",
  "HTTPS://GitHub.com/acme/shop",
  "ssh://git@github.com/acme/shop.git",
  "ssh://git@github.com:22/acme/shop.git",
  "git+ssh://git@github.com/acme/shop",
  "git://github.com/acme/shop.git",
  "git@github.com:acme/shop.git",
  "git@github.com:/acme/shop.git",
  "github.com:acme/shop",
  "  git@github.com:acme/shop.git\n",
])("maps %j to one location", (url) => {
  expect(parseRemoteUrl(url)).toEqual(SHOP);
});

test.each([
  ["git@gitlab.com:group/sub/Shop.git", { place: "gitlab.com/group/sub/shop", name: "Shop", owner: "sub" }],
  ["https://git.acme.dev/shop", { place: "git.acme.dev/shop", name: "shop", owner: "git.acme.dev" }],
  ["myhost:shop", { place: "myhost/shop", name: "shop", owner: "myhost" }],
])("keeps the path of %s", (url, read) => {
  expect(parseRemoteUrl(url)).toEqual(read);
});

test.each([
  "",
  "/srv/git/shop.git",
  "../shop",
  "./a:b",
  "shop",
  "C:\\repos\\shop",
  "C:/repos/shop",
  "file:///srv/git/shop.git",
  "file://localhost/srv/git/shop.git",
  "https://github.com",
  "https://github.com/",
  "https://github.com/.git",
  "~/shop",
])("does not share the location %j", (url) => {
  expect(parseRemoteUrl(url)).toBeUndefined();
});

test("gives every address and user of a remote one location, without the password", () => {
  const user = fc.stringMatching(/^[a-z][a-z0-9._-]{0,8}$/);
  const password = fc.stringMatching(/^[A-Z0-9@:!$&=%._~-]{1,12}$/);
  const scheme = fc.constantFrom("https", "http", "ssh", "git+ssh");
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
  fc.assert(
    fc.property(scheme, user, password, port, fc.constantFrom("", ".git", "/", ".git/"), (by, who, secret, at, end) => {
      const reached = at === undefined ? "github.com" : `github.com:${at}`;
      expect(parseRemoteUrl(`${by}://${who}:${secret}@${reached}/acme/shop${end}`)).toEqual(SHOP);
    }),
    { numRuns: 500 },
  );
});
