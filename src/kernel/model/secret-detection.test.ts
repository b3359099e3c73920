import { describe, expect, test } from "vitest";
import { maskDetectedSecrets, maskInputSecrets } from "./secret-detection.ts";

const RANDOM = "k7#Qz9!mW2x$Lp";

describe("passwords in sentences", () => {
  test.each([
    ["English", `the password is ${RANDOM}`],
    ["German", `Passwort: ${RANDOM}`],
    ["German, in a sentence", `Das Passwort lautet ${RANDOM}`],
    ["Spanish", `contraseña: ${RANDOM}`],
    ["French", `mot de passe: ${RANDOM}`],
    ["Portuguese", `senha = ${RANDOM}`],
    ["Russian", `пароль: ${RANDOM}`],
    ["Chinese", `密码：${RANDOM}`],
    ["Japanese", `パスワード: ${RANDOM}`],
    ["a short name", `pwd=${RANDOM}`],
    ["a cookie", "Cookie: session=9f8e7d6c5b4a3f2e1d0c"],
    ["a cookie that is set", "Set-Cookie: sid=9f8e7d6c5b4a3f2e1d0c; HttpOnly"],
    ["a token in a sentence", "The token is Zx81kQv0pLm2Tn"],
  ])("masks one in %s", (_, text) => {
    expect(maskDetectedSecrets(text)).toContain("[MASKED ");
  });
});

test.each([
  "The password is required and is hashed with bcrypt.",
  "Das Passwort ist erforderlich. Das Passwort lautet anders als der Benutzername.",
  "La contraseña es obligatoria. Contraseña: mínimo ocho caracteres.",
  "Le mot de passe est obligatoire. Mot de passe: huit caractères.",
  "A password is accepted if it has eight characters: one digit, one letter.",
  "The token is refreshed every 15 minutes; the api key is rotated.",
  "Cookie: session=<id>. The cookie: HttpOnly, Secure, SameSite=Lax.",
  "FR-001: The password: at least 12 characters. AUTH-001.AC-2 covers it.",
  "The secret is in the vault under payments/production.",
  "pwd prints the working directory.",
])("leaves %j alone", (text) => {
  expect(maskDetectedSecrets(text)).toBe(text);
});

test("masks every text of an input and keeps its other values", () => {
  const input = { title: `password: ${RANDOM}`, count: 2, list: [{ note: `Passwort: ${RANDOM}` }], none: null };
  expect(maskInputSecrets(input)).toEqual({
    title: "password: [MASKED password]",
    count: 2,
    list: [{ note: "Passwort: [MASKED password]" }],
    none: null,
  });
});
