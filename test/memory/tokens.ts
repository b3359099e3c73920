/** Letters and digits that look random and are the same in every run. */
function noise(alphabet: string, length: number, seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
  }).join("");
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const UPPER = LOWER.toUpperCase();
const WORD = LOWER + UPPER + DIGITS;

let seeds = 0;
const word = (length: number): string => noise(WORD, length, ++seeds);
const hex = (length: number): string => noise(HEX, length, ++seeds);
const upper = (length: number): string => noise(UPPER + DIGITS, length, ++seeds);
const digits = (length: number): string => noise("123456789", length, ++seeds);
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export interface Token {
  readonly name: string;
  /** As somebody would paste it. */
  readonly text: string;
  /** The characters that must be found nowhere. */
  readonly secret: string;
}

/** Put together here from parts, so that nothing that looks like a token stands in the repository. */
function token(name: string, parts: readonly string[], around: readonly [string, string] = ["", ""]): Token {
  const secret = parts.join("");
  return { name, secret, text: `${around[0]}${secret}${around[1]}` };
}

function pem(kind: string): Token {
  const lines = Array.from({ length: 6 }, () => word(64));
  const [begin, end] = ["BEGIN", "END"].map((side) => `-----${side} ${kind}-----`);
  return { name: `a ${kind}`, secret: lines[3] ?? "", text: [begin, ...lines, end].join("\n") };
}

export const TOKENS: readonly Token[] = [
  token("an AWS key", ["AK", "IA", upper(16)]),
  token("a temporary AWS key", ["AS", "IA", upper(16)]),
  token("an AWS secret", [word(40)], ["aws_secret_access_key = ", ""]),
  token("a GitHub token", ["gh", "p_", word(36)]),
  token("a GitHub OAuth token", ["gh", "o_", word(36)]),
  token("a fine-grained GitHub token", ["github", "_pat_", word(22), "_", word(59)]),
  token("a GitLab token", ["gl", "pat-", word(20)]),
  token("a Slack token", ["xo", "xb-", digits(12), "-", digits(12), "-", word(24)]),
  token("a Slack webhook", ["T", upper(8), "/B", upper(8), "/", word(24)], ["https://hooks.slack.com/services/", ""]),
  token("a Stripe key", ["sk", "_live_", word(24)]),
  token("an OpenAI key", ["sk", "-proj-", word(74), "T3Blbk", "FJ", word(74)]),
  token("an Anthropic key", ["sk", "-ant-api03-", word(93), "AA"]),
  token("a Google API key", ["AI", "za", word(35)]),
  token("a Google OAuth secret", ["GOC", "SPX-", word(28)]),
  token("an npm token", ["np", "m_", word(36)]),
  token("a PyPI token", ["py", "pi-", "AgEIcHlwaS5vcmc", word(80)]),
  token("a SendGrid key", ["S", "G.", word(22), ".", word(43)]),
  token("a Twilio key", ["S", "K", hex(32)]),
  token("a Mailgun key", ["ke", "y-", hex(32)]),
  token("a JWT", [base64url({ alg: "HS256", typ: "JWT" }), ".", base64url({ sub: word(12) }), ".", word(43)]),
  token("an Azure key", [word(86), "=="], ["DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=", ";"]),
  token("a Hugging Face token", ["h", "f_", noise(LOWER + UPPER, 34, 99)]),
  token("a DigitalOcean token", ["do", "p_v1_", hex(64)]),
  token("a Telegram token", [digits(9), ":A", "A", word(33)]),
  token("a Discord token", ["M", word(25), ".", word(6), ".", word(38)]),
  token("a Notion token", ["nt", "n_", word(46)]),
  token("a Linear key", ["lin", "_api_", word(40)]),
  token("a Shopify token", ["shp", "at_", hex(32)]),
  token("a Databricks token", ["da", "pi", hex(32)]),
  token("a Vault token", ["hv", "s.", word(90)]),
  token("a Docker token", ["dckr", "_pat_", word(27)]),
  token("an age key", ["AGE", "-SECRET-KEY-1", upper(58)]),
  pem("RSA PRIVATE KEY"),
  pem("OPENSSH PRIVATE KEY"),
  pem("PGP PRIVATE KEY BLOCK"),
  token("a bearer's token", [word(40)], ["Authorization: Bearer ", ""]),
  token("a password of HTTP", [Buffer.from(`shop:${word(16)}`).toString("base64")], ["Authorization: Basic ", ""]),
  token("a password in an address", [word(16)], ["postgres://shop:", "@db.example/shop"]),
  token("a password in a file", [word(12), "!"], ["DB_PASSWORD=", ""]),
  token("a password in JSON", [word(14)], ['{"password": "', '"}']),
  token("a key by its name", [word(32)], ["api_key: ", ""]),
];
