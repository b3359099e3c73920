import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTagName } from "../scan/spec-tags.ts";
import { createTestNameReader } from "./id-mentions.ts";

const KNOWN = ["AUTH-001", "AUTH-002", "API2-003", "FR-001", "user-login"];
const read = (name: string): string[] => createTestNameReader(KNOWN)(name).map(formatTagName);

test.each([
  ["AUTH-001 AC-2: refuses a wrong code", ["AUTH-001.AC-2"]],
  ["AUTH-001: refuses", ["AUTH-001"]],
  ["refuses a wrong code (AUTH-001.AC-2)", ["AUTH-001.AC-2"]],
  ["[AUTH-001.AC-1, AC-2 and AUTH-002] works", ["AUTH-001.AC-1", "AUTH-001.AC-2", "AUTH-002"]],
  ["keeps FR-001", ["FR-001"]],
  ["AUTH-001 > AC-2: refuses", ["AUTH-001.AC-2"]],
  ["AUTH-001 > refuses > [AC-2, AC-3] twice", ["AUTH-001.AC-2", "AUTH-001.AC-3"]],
  ["AUTH-001 and AUTH-002 > AC-2: whose?", ["AUTH-001", "AUTH-002"]],
  ["login > AC-2: of nothing", []],
  ["test_auth_001_ac_2", ["AUTH-001.AC-2"]],
  ["test_auth_001_ac2_refuses", ["AUTH-001.AC-2"]],
  ["test_auth_001_ac_1_ac_2", ["AUTH-001.AC-1", "AUTH-001.AC-2"]],
  ["test_auth_001_refuses_a_code", ["AUTH-001"]],
  ["tests > auth_001_ac_2_refuses", ["AUTH-001.AC-2"]],
  ["test_api2_003", ["API2-003"]],
  ["TestAUTH001_AC2", ["AUTH-001.AC-2"]],
  ["TestAuth001Ac2Refuses", ["AUTH-001.AC-2"]],
  ["TestAUTH001 > refuses a wrong code", ["AUTH-001"]],
  ["TestAUTH001 > test_ac_2_refuses", ["AUTH-001.AC-2"]],
  ["TestAUTH001 > AC-2: refuses", ["AUTH-001.AC-2"]],
  ["refusesAuth001", ["AUTH-001"]],
  ["AC: user-login.S1.AC2 refuses a wrong code", ["user-login.S1.AC2"]],
  ["login > refuses (user-login.S1.AC2, S1.AC3 and AUTH-001)", ["AUTH-001", "user-login.S1.AC2", "user-login.S1.AC3"]],
  // What is not that id.
  ["user-login works", []],
  ["a user-login.S1", []],
  ["no-user-login.S1.AC2", []],
  ["user-login.S1.AC2x", []],
  ["AUTH-0010: refuses", []],
  ["XAUTH-001: refuses", []],
  ["AUTH-001-2: refuses", []],
  ["AUTH-009: nobody knows it", []],
  ["reads UTF-008 and ISO-8601", []],
  ["auth-001 in small letters", []],
  ["auth_001 in a sentence", []],
  ["test_auth_0010", []],
  ["test_xauth_001", []],
  ["test_auth_001_2", []],
  ["test_auth_001x", []],
  ["TestXAUTH001", []],
  ["TestXAuth001", []],
  ["TestAUTH0010", []],
  ["TestAPI2003", []],
  ["test_auth_001_ac_2_3_times", ["AUTH-001"]],
  ["", []],
])("%s names %j", (name, expected) => {
  expect(read(name)).toEqual(expected);
});

test("finds an id in every spelling, and not its neighbours", () => {
  const id = fc
    .tuple(fc.stringMatching(/^[A-Z]{2,6}$/), fc.stringMatching(/^[0-9]{3,5}$/), fc.nat(999))
    .filter(([prefix]) => !["AC", "TEST"].includes(prefix));
  fc.assert(
    fc.property(id, fc.stringMatching(/^[0-9]$/), ([prefix, number, n], digit) => {
      const reader = createTestNameReader([`${prefix}-${number}`]);
      const [lower, camel] = [prefix.toLowerCase(), `${prefix.slice(0, 1)}${prefix.slice(1).toLowerCase()}`];
      const expected = [{ spec: `${prefix}-${number}`, criterion: `AC-${n}` }];
      expect(reader(`${prefix}-${number} AC-${n}: does`)).toEqual(expected);
      expect(reader(`test_${lower}_${number}_ac_${n}`)).toEqual(expected);
      expect(reader(`Test${prefix}${number}_AC${n}`)).toEqual(expected);
      expect(reader(`test${camel}${number}Ac${n}Does`)).toEqual(expected);
      for (const other of [`${number}${digit}`, `${digit}${number}`]) {
        expect(reader(`${prefix}-${other} AC-${n}: does`)).toEqual([]);
        expect(reader(`test_${lower}_${other}_ac_${n}`)).toEqual([]);
        expect(reader(`Test${prefix}${other}_AC${n}`)).toEqual([]);
      }
    }),
  );
});
