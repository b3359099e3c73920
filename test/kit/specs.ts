/** Specs that are ready to be built, as somebody would have filled them in. */

const TRACE = `trace:
  code: [src/login.ts:1]
  tests: [tests/login.test.ts:1]
`;

export const featureSpec = (id: string, title = "Second factor at login"): string => `schema_version: 2
id: ${id}
type: feature
title: ${title}
status: draft
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
    given: a user with a second factor
    when: a wrong code is given three times
    then: login is locked for 15 minutes
success_criteria:
  - metric: share of logins that end within a minute
    target: at least 95 %
api_contracts:
  - POST /login/code takes a code of six digits and answers 204 or 401
test_scenarios:
  - id: TS-1
    covers: [AC-1, AC-2]
    description: log in with a right code, and with three wrong ones
${TRACE}`;

export const bugSpec = (id: string, title = "Login fails with special characters"): string => `schema_version: 2
id: ${id}
type: bug
title: ${title}
status: draft
priority: high
symptom:
  description: Login answers 500 for a password that holds an ampersand
  reproduction:
    - Set the password to a&b
    - Log in with it
    - See the answer 500
  observed_behavior: 500 Internal Server Error
  expected_behavior: the session begins
  affected_users: everybody with an ampersand in the password
  frequency: always
investigation:
  root_cause: The password is put into the query string without being encoded (src/login.ts:12)
  affected_components: [src/login.ts:12]
  analysis: The server reads everything after the ampersand as another parameter.
fix_approach:
  summary: Encode the password before it is sent
  changes:
    - file: src/login.ts
      action: Encode the password
  acceptance_criteria:
    - Given a password with an ampersand, When the user logs in, Then the answer is 204
    - Given a password of letters only, When the user logs in, Then the answer is 204 as before
regression_prevention:
  - "Add test: login_with_ampersand_answers_204"
${TRACE}`;

export const researchSpec = (id: string, topic = "Which auth provider"): string => `schema_version: 2
id: ${id}
type: research
topic: ${topic}
status: draft
timebox: 1h
options:
  - name: Own login
    description: Keep accounts and passwords in our own database
    pros: [no new service]
    cons: [we answer for every password]
    cost: three weeks
  - name: Provider
    description: Let an identity provider do it over OpenID Connect
    pros: [second factor included]
    cons: [a bill every month]
    cost: one week
matrix:
  criteria:
    - name: effort
      weight: 2
    - name: safety
      weight: 3
  scores:
    Own login: { effort: 2, safety: 2 }
    Provider: { effort: 4, safety: 5 }
recommendation:
  option: Provider
  rationale: It costs a third of the work and keeps no password with us.
`;
