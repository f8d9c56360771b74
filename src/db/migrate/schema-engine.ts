import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg');

// TypeScript declares WebAssembly with the browser's types only.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

let engineModule: Promise<EngineModule> | undefined;

/**
 * Prisma's schema engine, 5 MB of WebAssembly. Loaded on first use, because most starts do not need it. The package's
 * own entry imports the `.wasm` as a module, which Node.js only supports with a flag.
 */
function loadEngine(): Promise<EngineModule> {
  engineModule ??= (async () => {
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
    const [engine, bytes] = await Promise.all([
      import('@prisma/schema-engine-wasm/schema_engine_bg'),
      readFile(entry.replace(/\.js$/, '.wasm')),
    ]);
    const { instance } = await WebAssembly.instantiate(bytes, {
      './schema_engine_bg.js': Object.fromEntries(Object.entries(engine).map(withoutHolding)),
    });
    engine.__wbg_set_wasm(instance.exports);
    // The engine calls this on a panic and cannot be used afterwards.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: {
        set_message(message: string) {
          throw new Error(`the schema engine broke down: ${message}`);
        },
      },
    });
    instance.exports.__wbindgen_start();
    return engine;
  })();
  return engineModule;
}

/** The engine waits up to ten seconds for its lock, and its timer keeps the process alive for that time. */
function withoutHolding([name, value]: [string, unknown]): [string, unknown] {
  if (!name.startsWith('__wbg_setTimeout')) return [name, value];
  return [name, (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref()];
}

class SqliteAdapter extends PrismaBetterSqlite3 {
  override async connect() {
    const adapter = await super.connect();
    const executeRaw = adapter.executeRaw.bind(adapter);
    // The engine would lock the database exclusively, which fails while another connection, even a reader, has it open.
    adapter.executeRaw = async (query) => (/\blocking_mode\b/.test(query.sql) ? 0 : executeRaw(query));
    return adapter;
  }
}

class PostgresAdapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const index of characterColumns.get(result.rows) ?? []) {
        result.columnTypes[index] = ColumnTypeEnum.Character;
      }
      return result;
    };
    return adapter;
  }
}

/** The columns of a result that have the type `"char"`, by its rows. */
const characterColumns = new WeakMap<unknown[], number[]>();

/**
 * Columns of the Postgres catalog have the type `"char"`, which the engine needs but the adapter rejects. The adapter
 * sees another type, and the real one is restored in its result.
 *
 * @see https://github.com/prisma/orm/issues/28145
 */
function cataloguePool(connectionString: string): pg.Pool {
  const { CHAR, TEXT } = pg.types.builtins;
  const pool = new pg.Pool({ connectionString, application_name: 'trellis-migrate' });
  // If a connection breaks, its statement fails. An idle connection can be lost.
  pool.on('error', () => undefined);
  const query = pool.query.bind(pool) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  pool.query = (async (config: pg.QueryConfig) => {
    const result = await query(config);
    // Several statements return a list of results, which has no fields and is not used.
    const characters = (result.fields ?? []).flatMap((field, index) =>
      field.dataTypeID === CHAR ? index : [],
    );
    for (const index of characters) result.fields[index]!.dataTypeID = TEXT;
    characterColumns.set(result.rows ?? [], characters);
    return result;
  }) as typeof pool.query;
  return pool;
}

/** Calls `work` with an engine that is connected to the database at `url`, and disconnects it. */
export async function withEngine<T>(
  url: string,
  datamodels: [string, string][] | undefined,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadEngine();
  const pool = url.startsWith('file:') ? undefined : cataloguePool(url);
  const factory: SqlMigrationAwareDriverAdapterFactory = pool
    ? new PostgresAdapter(pool)
    : new SqliteAdapter({ url: url.slice('file:'.length) });
  // The engine does not close its connections, so they are closed here.
  const opened: SqlDriverAdapter[] = [];
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    opened.push(adapter);
    return adapter;
  };
  try {
    const engine = await SchemaEngine.new(
      { datamodels },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(factory),
    );
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    for (const adapter of opened) await adapter.dispose();
    await pool?.end();
  }
}

const filters = { externalTables: [], externalEnums: [] };

/**
 * The SQL that changes the schema of the database at `url` to match `models`. Empty if they match.
 *
 * @param models a Prisma schema without its datasource block
 */
export async function schemaDifference(url: string, models: string): Promise<string> {
  const provider = url.startsWith('file:') ? 'sqlite' : 'postgresql';
  const path = 'schema.prisma';
  const content = `datasource db {\n  provider = "${provider}"\n}\n${models}`;
  const files = [{ path, content }];
  return withEngine(url, [[path, content]], async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters,
    });
    return exitCode === 0 ? '' : (stdout ?? '');
  });
}
