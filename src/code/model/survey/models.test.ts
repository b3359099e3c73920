import { expect, test } from "vitest";
import { recognizeFile, createRepositorySurvey } from "./repository-survey.ts";

const PRISMA =
  "model User {\n  id Int @id\n  email String @unique\n  team Team? @relation(fields: [teamId], references: [id])\n  teamId Int?\n  posts Post[]\n  tags String[]\n  @@unique([email, teamId])\n}\nenum Role {\n  ADMIN\n  USER\n}";
const DRIZZLE =
  'export const orders = pgTable("orders", {\n  id: serial("id").primaryKey(),\n  owner: integer("owner")\n    .notNull()\n    .references(() => users.id),\n});';
const TYPEORM =
  "@Entity()\nexport class Order {\n  @PrimaryGeneratedColumn()\n  id: number;\n  @Column({ unique: true })\n  number: string;\n  @Column({ nullable: true })\n  note?: string;\n  @ManyToOne(() => User, (user) => user.orders)\n  user: User;\n}";
const DJANGO =
  'class Order(models.Model):\n    number = models.CharField(max_length=9, unique=True)\n    note = models.TextField(null=True)\n    user = models.ForeignKey(\n        "shop.User",\n        on_delete=models.CASCADE,\n    )\n\n    def __str__(self):\n        return ""';
const GORM =
  'type Order struct {\n\tID uint `gorm:"primaryKey"`\n\tNumber string `gorm:"not null;uniqueIndex" validate:"min=3"`\n}\ntype Plain struct {\n\tX int\n}';
const DIESEL =
  "diesel::table! {\n    orders (id) {\n        id -> Int4,\n        note -> Nullable<Text>,\n    }\n}\ndiesel::joinable!(orders -> users (user_id));";
const SQL =
  "CREATE TABLE shop.orders (\n  id int PRIMARY KEY, -- REFERENCES nothing\n  price numeric(10, 2) NOT NULL DEFAULT 0,\n  kind text CHECK (kind IN ('a', 'b')),\n  FOREIGN KEY (user_id) REFERENCES users (id)\n);\nALTER TABLE orders ADD COLUMN note text NOT NULL;\nALTER TABLE orders ADD CONSTRAINT dear CHECK (price > 0);";
const GOOSE = "-- +goose Up\nCREATE TABLE a (id int);\n-- +goose Down\nDROP TABLE a;\nCREATE TABLE old (id int);";

/** Each file, and what its data model says. */
test.each([
  [
    "schema.prisma",
    PRISMA,
    [
      "entity User",
      "field User id Int",
      "field User email String",
      "rule User email has a value",
      "rule User email is unique",
      "relation User teamId Team",
      "field User teamId Int?",
      "field User tags String[]",
      "rule User email, teamId is unique",
      "enum Role ADMIN, USER",
    ],
  ],
  [
    "a.ts",
    DRIZZLE,
    [
      "entity orders",
      "field orders id serial",
      "field orders owner integer",
      "rule orders owner has a value",
      "relation orders owner users",
    ],
  ],
  [
    "a.ts",
    TYPEORM,
    [
      "entity Order",
      "field Order id number",
      "field Order number string",
      "rule Order number has a value",
      "rule Order number is unique",
      "field Order note string",
      "relation Order user User",
    ],
  ],
  [
    "a.ts",
    'const OrderSchema = new Schema({ a: String });\nexport const Order = model("Order", OrderSchema);',
    ["entity Order"],
  ],
  [
    "a.ts",
    "const In = z.object({\n  mail: z.string().email(),\n  name: z.string().min(1),\n  tags: z.array(z.string().min(2)).max(3),\n});",
    ["rule In mail is an e-mail address", "rule In name has at least 1 character"],
  ],
  [
    "a.ts",
    "const In = z.object({ mail: z.string().email(), n: z.number().min(2), opts: z.object({ k: z.number().max(3) }) });",
    ["rule In mail is an e-mail address", "rule In n is at least 2"],
  ],
  [
    "a.ts",
    "const A = z.object({ mail: z.email(), a: z.array(z.string().min(2)), b: z.string().min(1) }), B = z.object({ n: z.number().gt(1) });",
    ["rule A mail is an e-mail address", "rule A b has at least 1 character", "rule B n is more than 1"],
  ],
  [
    "a.ts",
    'enum Kind {\n  A = "a",\n  B = "b",\n}\nconst Size = z.enum(["s", "m"]);',
    ["enum Kind a, b", "enum Size s, m"],
  ],
  [
    "a.py",
    DJANGO,
    [
      "entity Order",
      "field Order number CharField",
      "rule Order number has a value",
      "rule Order number is unique",
      "field Order note TextField",
      "field Order user ForeignKey",
      "rule Order user has a value",
      "relation Order user User",
    ],
  ],
  [
    "a.py",
    "class In(BaseModel):\n    n: int = Field(gt=0, le=9)\n    s: Annotated[str, Field(max_length=5)]\n    mail: EmailStr",
    [
      "rule In n is more than 0",
      "rule In n is at most 9",
      "rule In s has a length of at most 5",
      "rule In mail is an e-mail address",
    ],
  ],
  [
    "a.go",
    GORM,
    [
      "entity Order",
      "field Order ID uint",
      "field Order Number string",
      "rule Order Number has a value",
      "rule Order Number is unique",
      "rule Order Number has at least 3 characters",
    ],
  ],
  [
    "a.rs",
    DIESEL,
    [
      "entity orders",
      "field orders id Int4",
      "rule orders id has a value",
      "field orders note Nullable<Text>",
      "relation orders user_id users",
    ],
  ],
  [
    "a.sql",
    SQL,
    [
      "entity orders",
      "field orders id int",
      "field orders price numeric(10, 2)",
      "rule orders price has a value",
      "field orders kind text",
      "rule orders kind satisfies kind IN ('a', 'b')",
      "relation orders user_id users",
      "field orders note text",
      "rule orders note has a value",
      "rule orders  satisfies price > 0",
    ],
  ],
  ["a.sql", GOOSE, ["entity a", "field a id int"]],
  ["a.down.sql", "CREATE TABLE a (id int);", []],
])("%s %#", (path, text, expected) => {
  const model = new Set(["entity", "field", "rule", "relation", "enum"]);
  const { findings } = recognizeFile(path, text);
  const shown = findings
    .filter(({ kind }) => model.has(kind))
    .map(({ kind, of, name, says }) => [kind, of, name, says].filter((part) => part !== undefined).join(" "));
  expect(shown).toEqual(expected);
});

test("joins a table with its class, and leaves out a dropped table", () => {
  const files = {
    "1.sql": "CREATE TABLE order_items (id int, n int NOT NULL);\nCREATE TABLE gone (id int);",
    "2.sql": "DROP TABLE IF EXISTS gone;",
    "a.go":
      'type OrderItem struct {\n\tID int `db:"id"`\n\tExtra int `db:"extra"`\n\tN int `db:"n" validate:"gt=0"`\n}',
  };
  const { findings } = createRepositorySurvey(
    Object.keys(files),
    Object.entries(files).map(([path, text]) => recognizeFile(path, text)),
    [],
  );
  const shown = findings
    .filter(({ kind }) => kind !== "symbol")
    .map(({ kind, name, says, also }) => [kind, name, says, also?.map(({ path }) => path)]);
  expect(shown).toEqual([
    ["entity", "order_items", undefined, ["a.go"]],
    ["field", "id", "int", undefined],
    ["field", "n", "int", undefined],
    ["rule", "n", "has a value", undefined],
    ["rule", "n", "is more than 0", undefined],
  ]);
});

test("keeps the fields that a model inherits from classes of its file, each once", () => {
  const { findings } = recognizeFile(
    "models.py",
    "class Base(SQLModel):\n    email: str = Field(unique=True)\n    active: bool = True\nclass User(Base, table=True):\n    id: int = Field(primary_key=True)\n    active: bool = False\n",
  );
  const fields = findings.filter(({ kind }) => kind === "field").map(({ of, name, line }) => `${of}.${name} ${line}`);
  expect(fields).toEqual(["User.id 5", "User.active 6", "User.email 2"]);
  const django = recognizeFile(
    "models.py",
    "class Dated(models.Model):\n    made = models.DateField()\n    class Meta:\n        abstract = True\nclass Post(Dated):\n    title = models.TextField()\n",
  ).findings;
  expect(django.filter(({ kind }) => kind === "entity").map(({ name }) => name)).toEqual(["Post"]);
});
