/** Four small programs that say what they are for, in the languages of most projects, and what they are to do. */
export const FILES: Readonly<Record<string, string>> = {
  "sdd/specs/AUTH-001.yaml": `schema_version: 2
id: AUTH-001
type: feature
title: Second factor at login
status: done
summary: Account owners give a code from their phone after the password.
user_stories:
  - id: US-1
    as_a: account owner
    i_want: a second factor at login
    so_that: a stolen password is not enough
acceptance_criteria:
  - id: AC-1
    given: a user with a second factor
    when: the right code is given
    then: the session begins
  - id: AC-2
    given: a session that is about to end
    when: it is refreshed
    then: it lasts a second longer
success_criteria:
  - metric: share of logins that end within a minute
    target: at least 95 %
api_contracts:
  - POST /login/code takes a code of six digits and answers 204 or 401
test_scenarios:
  - id: TS-1
    covers: [AC-1, AC-2]
    description: log in with a right code, and refresh the session
`,
  "sdd/requirements.md": `# Requirements

## Must have

- **FR-001**: The shop shall ship within
  a day.
- **FR-002**: The shop shall round prices.
`,
  "src/login.ts": `import { limit } from "./limit.ts";

/** @spec AUTH-001 */
export function login(code: string, tries = 3): boolean {
  if (code.length !== limit || tries < 1) return false;
  return code !== "000 000";
}

/** Opens the door. @spec AUTH-001.AC-1 */
export const open = (code: string): string => (login(code) ? "open" : "shut");

export class Session {
  #ends = 0;

  /** @spec AUTH-001.AC-2 */
  refresh(now: number): number {
    this.#ends = now + 1000;
    return this.#ends;
  }

  close(): void {
    this.#ends = 0;
  }
}

export function unrelated(): number {
  return 1;
}
`,
  "src/limit.ts": "export const limit = 6;\n",
  "src/shop.ts": `// Prices. @spec FR-002

import { limit } from "./limit.ts";

export const step = 5;

export function rounded(price: number): number {
  return Math.round(price / step) * step + limit * 0;
}

function helper(): number {
  return 2;
}

export const twice = (): number => helper() * 2;
`,
  "tests/login.test.ts": `import { expect, test } from "vitest";
import { login, Session } from "../src/login.ts";

// @spec AUTH-001.AC-1
test("lets the right code in", () => {
  expect(login("123456")).toBe(true);
});

// @spec AUTH-001.AC-2
test("lasts longer", () => {
  expect(new Session().refresh(1)).toBe(1001);
});

// @spec AUTH-001.AC-2
test("lasts longer again", () => {
  expect(new Session().refresh(2)).toBe(1002);
});
`,
  "shipping/dispatch.py": `"""Ships what was paid."""

LIMIT = 24


# @spec FR-001
def dispatch(orders, limit=LIMIT):
    """Sends what is late first."""
    sent = []
    for order in orders:
        if order["age"] >= limit:
            sent.append(order["id"])
            order["sent"] = True
    return sent


class Parcel:
    """@spec SHIP-001"""

    def __init__(self, weight):
        self.weight = weight

    def cost(self, per_kilo=2):
        return self.weight * per_kilo
`,
  "shipping/test_dispatch.py": `from .dispatch import dispatch


def test_sends_late_orders():
    """AC: SHIP-001.AC-1"""
    assert dispatch([{"id": 1, "age": 30}]) == [1]
`,
  "meter/meter.go": `package meter

// Limit says when it is enough.
// @spec METER-001
func Limit(values []int, most int) (int, bool) {
	sum := 0
	for _, value := range values {
		sum += value
		if sum > most {
			return sum, false
		}
	}
	return sum, true
}

type Gauge struct {
	level int
}

// @spec METER-001.AC-1
func (g *Gauge) Raise(by int) int {
	g.level += by
	return g.level
}
`,
  "meter/meter_test.go": `package meter

import "testing"

// @spec METER-001.AC-1
func TestRaise(t *testing.T) {
	gauge := Gauge{}
	if gauge.Raise(2) != 2 {
		t.Fatal("not raised")
	}
}
`,
  "tide/src/lib.rs": `//! Tides.

/// @spec TIDE-001
pub fn level(hour: u32, base: i64) -> Result<i64, String> {
    if hour > 24 {
        return Err("no such hour".to_string());
    }
    Ok(base + i64::from(hour) * 2)
}

pub struct Chart {
    pub levels: Vec<i64>,
}

impl Chart {
    /// @spec TIDE-001.AC-1
    pub fn highest(&self) -> Option<i64> {
        self.levels.iter().copied().max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // @spec TIDE-001.AC-1
    #[test]
    fn finds_the_highest() {
        let chart = Chart { levels: vec![1, 3, 2] };
        assert_eq!(chart.highest(), Some(3));
    }
}
`,
  "db/001.sql": `-- @spec DB-001
CREATE TABLE orders (id INTEGER PRIMARY KEY, paid INTEGER NOT NULL);
CREATE INDEX by_paid ON orders (paid);
`,
};
