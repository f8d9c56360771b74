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
 * Prisma's schema engine, 5 MB of WebAssembly: loaded when it is first needed, since most starts need none.
 * The package's own entry imports the `.wasm` as a module, which Node cannot do without a flag.
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
    // The engine calls this with what went wrong, and stops for good.
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

/** The engine waits at most ten seconds for its lock, and would hold the process for as long once it has it. */
function withoutHolding([name, value]: [string, unknown]): [string, unknown] {
  if (!name.startsWith('__wbg_setTimeout')) return [name, value];
  return [name, (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref()];
}

class SqliteAdapter extends PrismaBetterSqlite3 {
  override async connect() {
    const adapter = await super.connect();
    const executeRaw = adapter.executeRaw.bind(adapter);
    // The engine would lock the database for itself alone, which fails while anyone else, be it only a reader,
    // has it open.
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

/** Which columns of a result, by its rows, are of the type `"char"`. */
const characterColumns = new WeakMap<unknown[], number[]>();

/**
 * The catalogue of Postgres has columns of the type `"char"`. The engine asks for them as such, and the adapter
 * refuses them: it is shown another type, and what they really are is remembered.
 *
 * @see https://github.com/prisma/orm/issues/28145
 */
function cataloguePool(connectionString: string): pg.Pool {
  const { CHAR, TEXT } = pg.types.builtins;
  const pool = new pg.Pool({ connectionString, application_name: 'trellis-migrate' });
  // A connection that breaks makes its statement fail; one that is idle, or on its way out, is no loss.
  pool.on('error', () => undefined);
  const query = pool.query.bind(pool) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  pool.query = (async (config: pg.QueryConfig) => {
    const result = await query(config);
    // Several statements at once give a list of results, which has no fields; nobody reads it.
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
  // The engine never closes what it opened, so its connections are kept track of here.
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
 * The SQL that turns the schema of the database at `url` into the one that `models` describes; empty when
 * they are the same.
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
