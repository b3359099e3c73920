const KNOWN_PACKAGE_LISTS: Readonly<Record<string, string>> = {
  "web framework":
    "express=Express fastify=Fastify koa=Koa hono=Hono @nestjs/core=NestJS next=Next.js restify @hapi/hapi=hapi fastapi=FastAPI flask=Flask django=Django starlette=Starlette sanic " +
    "gin=Gin echo=Echo chi fiber=Fiber gorilla/mux=gorilla actix-web=Actix axum rocket=Rocket warp spring-boot-starter-web=Spring " +
    "spring-boot-starter-webflux=Spring rails=Rails sinatra=Sinatra laravel/framework=Laravel symfony/framework-bundle=Symfony phoenix=Phoenix ktor=Ktor",
  "user interface": "react=React vue=Vue svelte=Svelte @angular/core=Angular solid-js=Solid preact",
  "data access":
    "prisma=Prisma @prisma/client=Prisma typeorm=TypeORM drizzle-orm=Drizzle sequelize=Sequelize mongoose=Mongoose knex kysely sqlalchemy=SQLAlchemy sqlmodel=SQLModel alembic tortoise-orm " +
    "gorm.io/gorm=GORM jmoiron/sqlx=sqlx sqlc ent diesel=Diesel sea-orm=SeaORM sqlx spring-boot-starter-data-jpa=JPA hibernate-core=JPA ecto_sql=Ecto activerecord",
  database:
    "pg=PostgreSQL postgres=PostgreSQL psycopg=PostgreSQL psycopg2=PostgreSQL psycopg2-binary=PostgreSQL asyncpg=PostgreSQL lib/pq=PostgreSQL " +
    "jackc/pgx=PostgreSQL tokio-postgres=PostgreSQL postgresql=PostgreSQL mysql2=MySQL pymysql=MySQL go-sql-driver/mysql=MySQL mysql-connector-j=MySQL " +
    "better-sqlite3=SQLite aiosqlite=SQLite mattn/go-sqlite3=SQLite modernc.org/sqlite=SQLite rusqlite=SQLite mongodb=MongoDB pymongo=MongoDB motor=MongoDB redis=Redis ioredis=Redis redis/go-redis=Redis",
  "messages and jobs":
    "kafkajs=Kafka aiokafka=Kafka segmentio/kafka-go=Kafka rdkafka=Kafka amqplib=RabbitMQ pika=RabbitMQ lapin=RabbitMQ bullmq=BullMQ celery=Celery sidekiq nats=NATS",
  validation:
    "zod joi yup class-validator ajv pydantic marshmallow go-playground/validator=validator validator garde spring-boot-starter-validation=Bean-Validation",
  security:
    "helmet cors jsonwebtoken jose passport bcrypt bcryptjs argon2 express-rate-limit @fastify/rate-limit @fastify/helmet pyjwt python-jose passlib " +
    "golang-jwt/jwt=golang-jwt x/crypto=x/crypto jsonwebtoken oauth2 spring-boot-starter-security=Spring-Security devise tower_governor",
  testing:
    "vitest=Vitest jest=Jest mocha=Mocha ava @playwright/test=Playwright cypress=Cypress supertest pytest hypothesis stretchr/testify=testify rspec phpunit/phpunit=PHPUnit " +
    "spring-boot-starter-test=Spring-Test junit-jupiter=JUnit proptest xunit",
  telemetry:
    "pino winston @opentelemetry/api=OpenTelemetry prometheus_client=Prometheus prometheus/client_golang=Prometheus tracing structlog uber.org/zap=zap sentry-sdk=Sentry @sentry/node=Sentry",
  payments: "stripe=Stripe",
  "command line": "commander yargs click typer spf13/cobra=cobra clap",
};

export interface KnownPackage {
  readonly label: string;
  readonly role: string;
}

const PACKAGES_BY_NAME: ReadonlyMap<string, KnownPackage> = new Map(
  Object.entries(KNOWN_PACKAGE_LISTS).flatMap(([role, names]) =>
    names.split(" ").map((entry): [string, KnownPackage] => {
      const [name = "", label = ""] = entry.split("=");
      return [name, { label: label === "" ? name : label.replaceAll("-", " "), role }];
    }),
  ),
);

/** A well-known package; undefined for all others. For a Go module the end of its path counts, without its version. */
export function findKnownPackage(name: string): KnownPackage | undefined {
  const plain = name
    .toLowerCase()
    .replace(/\/v\d+$/, "")
    .replace(/\[.*\]$/, "");
  const parts = plain.split("/");
  return (
    PACKAGES_BY_NAME.get(plain) ??
    PACKAGES_BY_NAME.get(parts.slice(-2).join("/")) ??
    (parts.length > 2 ? PACKAGES_BY_NAME.get(parts.at(-1) ?? "") : undefined)
  );
}

const GUARD_LABELS: Readonly<Record<string, readonly string[]>> = {
  "set protective HTTP headers": ["helmet"],
  "say which origins may call it": ["cors"],
  "authenticate with signed tokens (JWT)": ["jsonwebtoken", "jose", "pyjwt", "python-jose", "golang jwt"],
  "authenticate users": ["passport", "devise"],
  "authenticate and authorise callers": ["spring security"],
  "keep passwords only as hashes": ["bcrypt", "bcryptjs", "argon2", "passlib"],
  "limit how often a client may call": ["express-rate-limit", "@fastify/rate-limit", "tower_governor"],
};

/** What the package with this label is there to do. */
export const GUARD_REQUIREMENTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(GUARD_LABELS).flatMap(([does, labels]) => labels.map((label) => [label, does])),
);
