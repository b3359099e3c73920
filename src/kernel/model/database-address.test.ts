import { expect, test } from "vitest";
import { parseDatabaseAddress } from "./database-address.ts";
import { Fault } from "./fault.ts";

test("reads each part of a URL, decoded", () => {
  expect(
    parseDatabaseAddress("postgresql://ada%40x:p%3Aw@db.example.org:6432/work?schema=alpha&sslrootcert=/ca"),
  ).toEqual({
    host: "db.example.org",
    port: 6432,
    user: "ada@x",
    password: "p:w",
    database: "work",
    schema: "alpha",
    tls: "full",
    authorityFile: "/ca",
  });
});

test.each([
  ["postgres://ada@localhost", { host: "localhost", port: 5432, database: "ada", schema: "tenon", tls: "none" }],
  ["postgresql:///work?host=%2Frun%2Fpg&user=ada", { host: "/run/pg", user: "ada", database: "work", tls: "none" }],
  ["postgresql://ada@[::1]/work", { host: "::1", tls: "none" }],
  ["postgresql://ada@127.0.0.1/work?sslmode=verify-full", { tls: "full" }],
  ["postgresql://ada@10.0.0.7/work?sslmode=verify-ca", { tls: "authority" }],
  ["postgresql://ada@127.0.0.1.example.org/work", { tls: "full" }],
])("reads %s", (url, expected) => {
  expect(parseDatabaseAddress(url)).toMatchObject(expected);
});

test.each([
  ["db.example.org/secret", "team.bad-address", "It is not a URL that begins with postgresql://"],
  ["https://ada:secret@db.example.org", "team.bad-address", "It is not a URL that begins with postgresql://"],
  ["postgresql://db.example.org/secret", "team.bad-address", "It names no user."],
  ["postgresql://ada:secret@h/w?schema=x%22y", "team.bad-address", "Its schema is not a name of small letters, digits"],
  ["postgresql://ada:secret@h/w?sslmode=never", "team.bad-address", "Its sslmode is not known."],
  ["postgresql://ada:secret@h/w?sslmode=disable", "team.insecure", "sslmode=disable would send your work unencrypted"],
  ["postgresql://ada:secret@h/w?sslmode=prefer", "team.insecure", "sslmode=prefer would send your work unencrypted"],
])("rejects %s without showing it", (url, code, why) => {
  const fault = catchError(() => parseDatabaseAddress(url));
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({ code, why: expect.stringContaining(why) as unknown });
  expect(JSON.stringify(fault)).not.toContain("secret");
});

function catchError(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
