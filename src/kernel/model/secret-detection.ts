export interface SecretRange {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** Up to its end marker. If that is missing, as far as the lines look like a key. */
const PRIVATE_KEY_PATTERN = (() => {
  const name = "[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----";
  const closed = `(?:[^-]|-(?!----))*-----END ${name}`;
  const gap = String.raw`(?:\s|\\[nr])+`;
  return new RegExp(`-----BEGIN ${name}(?:${closed}|(?:(?:${gap}[\\w+/=]{16,})+(?:${gap}[\\w+/=]+)?)?)`, "g");
})();

/** Formats of the maintained rule set, for texts that are checked without it. */
const COMMON_TOKEN =
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36}|SG\.[\w-]{16,}\.[\w-]{32,}|[sr]k_live_\w{20,}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}|lin_api_\w{32,}|hv[sb]\.[\w-]{24,}|glsa_\w{32,}|dapi[0-9a-f]{32}|dckr_pat_[\w-]{20,}|figd_[\w-]{30,}|vcp_\w{20,}|cfut_\w{40,}|gsk_\w{40,}|https:\/\/hooks\.slack\.com\/services\/[\w/]{20,})/g;

/** The first group, if any, is the secret itself. */
const SECRET_FORMATS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["aws-key", /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g],
  ["api-key", /\bsk-(?=[\w-]{0,200}\d)[\w-]{32,}/g],
  ["slack-token", /\bx(?:ox[a-z]|app)-[0-9A-Za-z-]{10,}/g],
  ["gitlab-token", /\bgl(?:rt|dt|ptt|ft|soat|cbt|imt|agent|oas)-[\w-]{20,}/g],
  ["stripe-webhook-secret", /\bwhsec_[A-Za-z0-9+/]{24,}/g],
  ["google-api-key", /\bAIza[\w-]{35}(?![\w-])/g],
  ["google-oauth-secret", /\bGOCSPX-[\w-]{28}(?![\w-])/g],
  ["google-oauth-token", /\bya29\.[\w-]{20,}/g],
  ["pypi-token", /\bpypi-[\w-]{50,}/g],
  ["rubygems-key", /\brubygems_[0-9a-f]{48}\b/g],
  ["twilio-key", /\bSK[0-9a-f]{32}\b/g],
  ["mailgun-key", /\bkey-[0-9a-z]{32}\b/g],
  ["mailchimp-key", /\b[0-9a-f]{32}-us\d{1,2}\b/g],
  ["atlassian-token", /\bATATT3[\w=-]{50,}/g],
  ["sentry-token", /\bsntry[su]_[\w=+/-]{40,}/g],
  ["supabase-key", /\bsb(?:p|_secret)_\w{20,}/g],
  ["jwt", /\beyJ[\w-]{8,1000}\.eyJ[\w-]{8,}\.[\w-]{8,}/g],
  ["azure-key", /(?:\b(?:AccountKey|SharedAccessKey)|[?&]sig)=([\w+/%]{40,}={0,2})/g],
  ["hugging-face-token", /\bhf_[A-Za-z0-9]{30,}\b/g],
  ["digitalocean-token", /\bdo[opr]_v1_[0-9a-f]{64}\b/g],
  ["telegram-token", /\b\d{8,10}:AA[\w-]{32,33}(?![\w-])/g],
  ["discord-token", /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g],
  ["notion-token", /\b(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})\b/g],
  ["age-key", /\bAGE-SECRET-KEY-1[0-9A-Z]{50,}\b/g],
  ["api-token", COMMON_TOKEN],
  ["private-key", PRIVATE_KEY_PATTERN],
];

/** In the languages that developers write in most. */
const PASSWORD_WORD =
  "passw(?:or)?d|pwd|passphrase|passwort|kennwort|mot de passe|contraseña|contrasena|senha|wachtwoord|lösenord|hasło|пароль|密码|密碼|パスワード|비밀번호";

/** Recognized by context, so the value may also be a placeholder. */
const SECRET_CONTEXTS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["bearer-token", /\b(?:Bearer|Basic)\s+([\w.~+/-]{20,}={0,2})/gi],
  ["url-password", /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{1,256})@/gi],
  ["password", /--[\w-]{0,30}(?:passw(?:or)?d|passphrase|secret|token|key)[ =]["']?([^\s"'`,;(){}[\]<>]{8,400})/gi],
  ["cookie", /\bcookie:\s{0,5}[^\n=]{1,60}=\s{0,2}([^\s;,"']{8,400})/gi],
  [
    "password",
    new RegExp(
      String.raw`(?:${PASSWORD_WORD}|secret|token|api[ _-]?key)\s{1,3}(?:is|ist|lautet|es|est|é|is set to)\s{1,3}["'\x60]?([^\s"'\x60,;]{8,400})`,
      "gi",
    ),
  ],
  ["password", /\s(?:-u|--user)[ =]["']?[^\s:"']{1,60}:([^\s"'`]{6,200})/g],
];

/** `DB_PASSWORD=…`, `"apiKey": "…"`, `password: …`. */
const SECRET_ASSIGNMENT_PATTERN = new RegExp(
  String.raw`(?:${PASSWORD_WORD}|secret|token|credentials?|(?:api|access|private|secret|auth|signing|encryption|master)[_-]?key)\\?["']?\s{0,5}(?:=>|:=|=|:|：)\s{0,5}(?:\\?"([^"\n]{6,400})"|\\?'([^'\n]{6,400})'|([^\s"'\x60,;(){}[\]<>]{8,400}))`,
  "gi",
);

const SECRET_PLACEHOLDER_PATTERN =
  /^(?:\$|%[A-Z{(]|\{|<|\[|\*{3}|x{4}|\.{3}|…|process\.env|import\.meta|env\.|os\.environ|secrets\.|arn:|op:|vault:|https?:|null$|undefined$|none$|true$|false$|string|number|example|changeme|your[_-]|passw(?:or)?d$|secret$|token$|pass$|redacted|masked|placeholder)/i;

/** Without secrets that only the words around them show. */
export const findSecretFormats = (text: string): SecretRange[] =>
  SECRET_FORMATS.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map((match) => createSecretRange(kind, match, match[1] ?? match[0])),
  );

export function findSecrets(text: string): SecretRange[] {
  const found = findSecretFormats(text);
  for (const [kind, pattern] of SECRET_CONTEXTS) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? "";
      const isPlaceholder = SECRET_PLACEHOLDER_PATTERN.test(value);
      const isSecret = kind === "url-password" ? !isPlaceholder : isLikelySecret(value, kind === "bearer-token");
      if (isSecret) found.push(createSecretRange(kind, match, value));
    }
  }
  for (const match of text.matchAll(SECRET_ASSIGNMENT_PATTERN)) {
    const value = match[1] ?? match[2] ?? match[3] ?? "";
    if (isLikelySecret(value, match[3] === undefined)) found.push(createSecretRange("password", match, value));
  }
  return found;
}

function createSecretRange(kind: string, match: RegExpExecArray, secret: string): SecretRange {
  const from = match.index + match[0].lastIndexOf(secret);
  return { kind, from, to: from + secret.length };
}

/** A plain word is not a password. An unquoted value needs a mix of character classes. */
function isLikelySecret(value: string, isQuoted: boolean): boolean {
  if (SECRET_PLACEHOLDER_PATTERN.test(value) || /\s|^[A-Z]?[a-z]+$/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w.:/-]/].filter((kind) => kind.test(value)).length;
  return isQuoted ? kinds >= 2 : kinds >= 3 || (kinds >= 2 && /\d/.test(value) && value.length >= 12);
}

const MAY_HOLD_SECRET = new RegExp(
  String.raw`[\w+/=-]{20}|${PASSWORD_WORD}|secret|token|key|credential|cookie|bearer|basic|://|\s-u`,
  "i",
);

/** For many short texts, of which few hold a secret. */
export const maskQuickly = (text: string): string => (MAY_HOLD_SECRET.test(text) ? maskDetectedSecrets(text) : text);

/** Every text in an input. */
export function maskInputSecrets(value: unknown): unknown {
  if (typeof value === "string") return maskDetectedSecrets(value);
  if (Array.isArray(value)) return value.map(maskInputSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskInputSecrets(inner)]));
}

/** The last safeguard, for text that was not cleaned before. */
export const maskDetectedSecrets = (text: string): string => maskSecretRanges(text, findSecrets(text));

export function maskSecretRanges(text: string, ranges: readonly SecretRange[]): string {
  let masked = "";
  let at = 0;
  for (const { kind, from, to } of ranges.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    if (to <= at) continue;
    if (from >= at) masked += `${text.slice(at, from)}[MASKED ${kind}]`;
    at = to;
  }
  return masked + text.slice(at);
}
