import pg from 'pg';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import type { CountRow } from '../query/reader.ts';

/** Columns of this type are used as the driver returns them. */
const asText = pg.types.getTypeParser(pg.types.builtins.TEXT);

type Parser = (text: string) => unknown;

/** The columns of a statement whose texts are converted. */
export type Conversions = (readonly [index: number, parser: Parser])[];

/** The parts of the driver's connection that are used here. */
interface Connection {
  describe(message: object): void;
}

/** The connection without requests for the columns of a statement. */
const undescribed = memoizeByIdentity(
  (connection: Connection): Connection => Object.create(connection, { describe: { value: () => {} } }),
);

/** Members of the driver's query that its types do not declare. */
const Query = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[] | undefined,
  callback: (error: Error | undefined) => void,
) => { name: string; prepare(connection: Connection): void; submit(connection: pg.Connection): void };

/**
 * A named query that keeps only its rows, as arrays. The driver's own query makes another array of each row, calls a
 * parser for each text, and emits an event for each row. It also asks Postgres to describe the columns each time, which
 * this one does once for each name.
 */
export class RowQuery extends Query {
  readonly #types: pg.CustomTypesConfig;
  readonly #known: Map<string, Conversions>;
  readonly #rows: unknown[][] = [];
  readonly #count: CountRow | undefined;
  #conversions: Conversions = [];
  #isDropped = false;
  #failure: Error | undefined;

  /** @param known the conversions of statements, by their names */
  constructor(
    config: pg.QueryConfig,
    known: Map<string, Conversions>,
    count: CountRow | undefined,
    callback: (error: Error | undefined, rows: unknown[][]) => void,
  ) {
    // The driver would copy a configuration with all that can be known of its properties, which takes 5 µs.
    super(config.text, config.values, (error) => callback(error ?? this.#failure, this.#rows));
    this.#count = count;
    this.name = config.name ?? '';
    this.#types = config.types ?? pg.types;
    this.#known = known;
  }

  override prepare(connection: Connection): void {
    const conversions = this.#known.get(this.name);
    if (conversions) this.#conversions = conversions;
    super.prepare(conversions ? undescribed(connection) : connection);
  }

  handleRowDescription({ fields }: { fields: { dataTypeID: number }[] }): void {
    this.#conversions = [];
    for (const [index, { dataTypeID }] of fields.entries()) {
      const parser = this.#types.getTypeParser(dataTypeID) as Parser;
      if (parser !== asText) this.#conversions.push([index, parser]);
    }
    if (this.name) this.#known.set(this.name, this.#conversions);
  }

  /** Drops the rows, and those that still arrive. */
  drop(): void {
    this.#isDropped = true;
    this.#rows.length = 0;
  }

  /** Converts the values in place. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#isDropped) return;
    const values: unknown[] = fields;
    for (const [index, parser] of this.#conversions) {
      const text = fields[index];
      if (text != null) values[index] = parser(text);
    }
    try {
      this.#count?.(values);
      this.#rows.push(values);
    } catch (error) {
      this.#failure = error as Error;
      this.drop();
    }
  }

  handleCommandComplete(): void {}
}
