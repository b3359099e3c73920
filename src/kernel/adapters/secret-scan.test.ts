import { expect, test } from "vitest";
import { maskSecrets } from "./secret-scan.ts";

/** Tokens are made here from parts, so that none stands in the repository. */
const MIXED = "Qz7xR2mK9pLw4TvB8nYc3HdF6sJgA1eU5oXiNqWkZtMrPbVyEhCuSaDlGfIj0O";
const mixed = (n: number): string => MIXED.repeat(4).slice(0, n);
const letters = (n: number): string => MIXED.replace(/\d/g, "").slice(0, n);
const upper = (n: number): string => MIXED.toUpperCase().slice(0, n);
const hex = (n: number): string => "9f8e7d6c5b4a3f2e1d0c".repeat(5).slice(0, n);
const pem = (name: string, body = `${mixed(64)}\n${mixed(64)}\n`): string =>
  `-----BEGIN ${name}-----\n${body}-----END ${name}-----`;
const KEY = ["PRIVATE", "KEY"].join(" ");
const OPENAI = ["T3Blb", "kFJ"].join("");

const TOKENS: readonly (readonly [name: string, kind: string, secret: string])[] = [
  ["AWS id", "aws-key", `AKIA${upper(16)}`],
  ["AWS id of a session", "aws-key", `ASIA${upper(16)}`],
  ["GitHub", "github-token", `ghp_${mixed(36)}`],
  ["GitHub OAuth", "github-token", `gho_${mixed(36)}`],
  ["GitHub app", "github-token", `ghs_${mixed(36)}`],
  ["GitHub fine-grained", "github-token", `github_pat_${mixed(82)}`],
  ["GitLab", "gitlab-personal-access-token", `glpat-${mixed(20)}`],
  ["GitLab runner", "gitlab-token", `glrt-${mixed(20)}`],
  ["Slack bot", "slack-token", `xoxb-${"1".repeat(12)}-${mixed(24)}`],
  ["Slack browser", "slack-token", `xoxc-${"1".repeat(12)}-${mixed(24)}`],
  ["Slack app", "slack-token", `xapp-1-A0B1C2D3E4-${"1".repeat(12)}-${hex(64)}`],
  ["Slack webhook", "incomingwebhook", `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${mixed(24)}`],
  ["Stripe", "stripe-secret-key-live", `sk_live_${mixed(24)}`],
  ["Stripe, restricted", "stripe-restricted-key-live", `rk_live_${mixed(24)}`],
  ["Stripe webhook", "stripe-webhook-secret", `whsec_${mixed(32)}`],
  ["OpenAI project", "openai-token", `sk-proj-${mixed(74)}${OPENAI}${mixed(74)}`],
  ["OpenAI", "openai-token", `sk-${mixed(20)}${OPENAI}${mixed(20)}`],
  ["OpenRouter", "api-key", `sk-or-v1-${hex(64)}`],
  ["Anthropic", "anthropic-api-key", `sk-ant-api03-${mixed(93)}AA`],
  ["Anthropic login", "api-key", `sk-ant-oat01-${mixed(93)}AA`],
  ["Google", "google-api-key", `AIza${mixed(35)}`],
  ["Google OAuth", "google-oauth-secret", `GOCSPX-${mixed(28)}`],
  ["Google login", "google-oauth-token", `ya29.${mixed(60)}`],
  ["npm", "npm-access-token", `npm_${mixed(36)}`],
  ["PyPI", "pypi-token", `pypi-${mixed(120)}`],
  ["RubyGems", "rubygems-key", `rubygems_${hex(48)}`],
  ["SendGrid", "sendgrid-key", `SG.${mixed(22)}.${mixed(43)}`],
  ["Twilio", "twilio-key", `SK${hex(32)}`],
  ["Mailgun", "mailgun-key", `key-${hex(32)}`],
  ["Mailchimp", "mailchimp-key", `${hex(32)}-us14`],
  ["Atlassian", "atlassian-token", `ATATT3xFfGF0${mixed(180)}`],
  ["Sentry", "sentry-token", `sntrys_${mixed(60)}`],
  ["Supabase", "supabase-key", `sbp_${hex(40)}`],
  ["a JWT", "jwt", `eyJ${mixed(30)}.eyJ${mixed(60)}.${mixed(43)}`],
  ["Hugging Face", "hugging-face-token", `hf_${letters(34)}`],
  ["DigitalOcean", "digitalocean-token", `dop_v1_${hex(64)}`],
  ["Telegram", "telegram-token", `123456789:AA${mixed(33)}`],
  ["Discord", "discord-token", `M${mixed(23)}.${mixed(6)}.${mixed(27)}`],
  ["Notion", "notion-token", `secret_${mixed(43)}`],
  ["age", "age-key", `AGE-SECRET-KEY-1${upper(58)}`],
  ["Shopify", "shopify-key", `shpat_${hex(32)}`],
  ["Linear", "linear-api-token", `lin_api_${mixed(40)}`],
  ["Vault", "hashicorp-vault-service-token", `hvs.${mixed(95)}`],
  ["Grafana", "grafana-service-account-token", `glsa_${mixed(32)}_${hex(8)}`],
  ["Databricks", "databricks-personal-access-token", `dapi${hex(32)}`],
  ["Docker", "docker-personal-access-token", `dckr_pat_${mixed(27)}`],
  ["Figma", "figma-personal-access-token", `figd_${mixed(40)}`],
  ["Vercel", "vercel-personal-access-token", `vcp_${mixed(24)}`],
  ["Cloudflare", "cloudflare-user-api-token", `cfut_${mixed(40)}${hex(8)}`],
  ["Groq", "groq-api-key", `gsk_${mixed(52)}`],
  ["an RSA key", "private-key", pem(`RSA ${KEY}`)],
  ["an OpenSSH key", "private-key", pem(`OPENSSH ${KEY}`)],
  ["a PKCS 8 key", "private-key", pem(KEY)],
  ["an encrypted key", "private-key", pem(`ENCRYPTED ${KEY}`, `DEK-Info: AES-128-CBC,${hex(32)}\n\n${mixed(64)}\n`)],
  ["a PGP key", "private-key", pem(`PGP ${KEY} BLOCK`)],
  ["a long key", "private-key", pem(KEY, `${mixed(64)}\n`.repeat(400))],
  ["a key whose end is cut off", "private-key", `-----BEGIN ${KEY}-----\n${mixed(64)}\n${mixed(64)}\n${mixed(9)}`],
  ["a key in JSON", "private-key", `-----BEGIN ${KEY}-----\\n${mixed(64)}\\n${mixed(9)}`],
];

test.each(TOKENS)("masks %s, and nothing around it", async (_, kind, secret) => {
  const { text, found } = await maskSecrets(`Deploy with\n${secret}\n(see the wiki).`);
  expect(text).toMatch(/^Deploy with\n\[MASKED [\w-]+\]\n\(see the wiki\)\.$/);
  expect(found.filter((each) => each === kind)).toEqual([kind]);
});

const PLACES: readonly (readonly [name: string, kind: string, before: string, secret: string, after: string])[] = [
  ["an AWS secret", "password", "aws_secret_access_key = ", `${mixed(38)}/+`, "\nregion = x"],
  ["an AWS secret in quotes", "password", 'AWS_SECRET_ACCESS_KEY="', mixed(40), '" next'],
  ["a Storage account", "azure-key", "Protocol=https;AccountKey=", `${mixed(86)}==`, ";Suffix=x"],
  ["a shared access key", "azure-key", "Endpoint=sb://x/;SharedAccessKey=", `${mixed(43)}=`, " x"],
  ["a signed link", "azure-key", "https://x.blob.net/a?sv=2020&sig=", `${mixed(43)}%3D`, "&se=1"],
  ["a bearer", "bearer-token", "curl -H 'Authorization: Bearer ", mixed(40), "' x"],
  ["basic authentication", "bearer-token", "Authorization: Basic ", `${mixed(30)}==`, " x"],
  ["a link with a password", "url-password", "clone https://bob:", mixed(12), "@example.com/x"],
  ["PostgreSQL", "url-password", "postgres://bob:", mixed(12), "@db:5432/shop"],
  ["MongoDB", "url-password", "mongodb+srv://bob:", mixed(12), "@cluster0.mongodb.net/x"],
  ["Redis, without a name", "url-password", "redis://:", mixed(12), "@localhost:6379/0"],
  ["an escaped password", "url-password", "amqp://bob:", "p%40ss-w0rd!", "@h/x"],
  ["a short password", "url-password", "mysql://bob:", "x1", "@localhost/x"],
  ["an environment", "password", "DB_PASSWORD=", mixed(16), "\nDB_USER=bob"],
  ["a long name", "password", `${"A".repeat(80)}_TOKEN=`, mixed(20), " x"],
  ["an export", "password", "export API_TOKEN='", mixed(20), "'"],
  ["Django", "password", "SECRET_KEY = '", mixed(50), "'"],
  ["JSON", "password", '{"apiKey": "', mixed(24), '", "n": 1}'],
  ["JSON in a text", "password", String.raw`"{\"client_secret\": \"`, mixed(24), '"}"'],
  ["YAML", "password", "password: ", "Hunter2!x", "\nuser: bob"],
  ["Ruby", "password", ":secret => '", mixed(18), "'"],
  ["Go", "password", 'secret := "', mixed(18), '"'],
  ["a short one in quotes", "password", 'the password = "', "hunter2", '" works'],
  ["a flag", "password", "run --password ", mixed(16), " --verbose"],
  ["curl", "password", "curl -u bob:", mixed(16), " https://x"],
];

test.each(PLACES)("masks the secret of %s, and nothing around it", async (_, kind, before, secret, after) => {
  const { text, found } = await maskSecrets(before + secret + after);
  expect({ text, found: found.filter((each) => each === kind) }).toEqual({
    text: `${before}[MASKED ${kind}]${after}`,
    found: [kind],
  });
});

test.each([
  ["nothing", ""],
  ["a type", "interface Login { password: string; token: AuthToken; secret?: string | undefined }"],
  ["a schema", "password: z.string().min(8), token: z.string()"],
  ["a variable", "const token = await getToken(); password = form.password;"],
  ["the environment", "apiKey: process.env.STRIPE_API_KEY_V2, token: import.meta.env.VITE_TOKEN_V2"],
  ["a shell", 'PASSWORD="$DB_PASSWORD_1" TOKEN=${GITHUB_TOKEN_2} psql "postgres://bob:${PGPASSWORD}@db/x"'],
  ["a pipeline", "token: ${{ secrets.NPM_TOKEN_2 }}"],
  ["a reference", "password: op://Private/GitHub1/Password, secret: arn:aws:secretsmanager:us-east-1:123456789012:x"],
  [
    "a placeholder",
    'password: "<your password>", token: "YOUR_TOKEN_123", secret: "xxxxxxxx1A", api_key: "changeme1A"',
  ],
  ["a mask", "password: ********, token: [MASKED password], secret: [REDACTED]"],
  ["a message", 'errors: { password: "Required", token: "Expired" }'],
  ["a label", 'password: "Passwort vergessen?"'],
  ["prose on tokens", "The token is refreshed every hour; the secret: keep sessions short. Password: see the vault."],
  ["prose on tokens: how many", "A budget of 8000 tokens: 2500 for memory, token=count(text)."],
  ["prose on bearers", "Bearer authentication/authorization is basic internationalization of tokens."],
  ["prose on keys", "The primary key: composite; the access key: see IAM; private key: not in git."],
  ["a mode", "fetch(url, { credentials: 'same-origin' })"],
  ["a commit", `Fixed in ${hex(40)} and ${hex(7)}, reverted by git revert ${hex(12)}.`],
  ["an id in prose", "Request 123e4567-e89b-12d3-a456-426614174000 failed."],
  ["a checksum", `sha256:${hex(64)} and integrity sha512-${mixed(60)}`],
  ["links", "https://example.com:8080/a@b, ssh://git@github.com:22/acme/shop, postgres://localhost:5432/shop"],
  ["a user of a container", "docker run -u 1000:1000 --user app:app image"],
  ["kebab names", "global-configuration-settings-file sk-folding-cube-animation-with-many-parts key-value-store"],
  [
    "a public key",
    `ssh-ed25519 ${mixed(60)} bob@host\n-----BEGIN PUBLIC KEY-----\n${mixed(64)}\n-----END PUBLIC KEY-----`,
  ],
  ["a path", "src/auth/token.ts:42 reads secrets/password.txt"],
  ["an html field", '<input type="password" name="password" placeholder="Password">'],
])("leaves %s alone", async (_, text) => {
  expect(await maskSecrets(text)).toEqual({ text, found: [] });
});

test("gives the same text when it masks twice", async () => {
  const all = [...TOKENS.map(([, , secret]) => secret), ...PLACES.map(([, , ...parts]) => parts.join(""))].join("\n\n");
  const once = await maskSecrets(all);
  expect(await maskSecrets(once.text)).toEqual({ text: once.text, found: [] });
});

test.each(["secretlint-disable", "secretlint-disable-line", "secretlint-disable-next-line"])(
  "does not reveal its secrets to a text with %s",
  async (comment) => {
    const { text } = await maskSecrets(`// ${comment}\nghp_${mixed(36)} // ${comment}\n`);
    expect(text).toBe(`// ${comment}\n[MASKED github-token] // ${comment}\n`);
  },
);

test("masks the same span after a byte order mark", async () => {
  expect(await maskSecrets(`\uFEFFa ghp_${mixed(36)} b`)).toEqual({
    text: "\uFEFFa [MASKED github-token] b",
    found: ["github-token"],
  });
});

/** Near misses on which a careless pattern would work for minutes. */
test.each([
  "eyJ-",
  "eyJaaaaaaaa.eyJ ",
  `-----BEGIN RSA ${KEY.slice(0, -1)}`,
  "password ",
  "password     :     ",
  "sk-",
  "ab://a:",
  "https://user:",
  "Bearer ",
  "SG.a.",
  "a-",
  "a.",
  " -u a:",
  "--token",
  "0123456789abcdef",
  " ",
])("reads 64 KiB of %j to its end and leaves it alone", async (near) => {
  const text = near.repeat(Math.ceil(65_536 / near.length));
  const masked = await maskSecrets(text);
  expect({ found: masked.found, isSame: masked.text === text }).toEqual({ found: [], isSame: true });
});

test("masks a key that starts again and again, to the last one", async () => {
  const begin = `-----BEGIN ${KEY}-----\n`;
  const { text } = await maskSecrets(begin.repeat(2_500));
  expect(text).toBe("[MASKED private-key]\n".repeat(2_500));
});

test("leaves nothing on the process's performance timeline", async () => {
  const before = performance.getEntries().length;
  for (const text of ["one", "two", `password: "hunter2-hunter2"`]) await maskSecrets(text);
  expect(performance.getEntries()).toHaveLength(before);
});
