import pg from 'pg';

/** Columns of these types are used as the driver returns them. */
const asText = pg.types.getTypeParser(pg.types.builtins.TEXT);

type Parser = (text: string) => unknown;

/**
 * A query that keeps only its rows, as arrays. The driver's own query makes another array of each row, calls a parser
 * for each text, emits an event for each row, and builds an example of a row.
 */
export class RowQuery extends pg.Query {
  readonly #types: pg.CustomTypesConfig;
  readonly #found: unknown[][] = [];
  #parsers: (Parser | undefined)[] = [];

  constructor(config: pg.QueryArrayConfig, callback: (error: Error | undefined, rows: unknown[][]) => void) {
    super(config, (error) => callback(error, this.#found));
    this.#types = config.types ?? pg.types;
  }

  handleRowDescription({ fields }: { fields: { dataTypeID: number }[] }): void {
    this.#parsers = fields.map(({ dataTypeID }) => {
      const parser = this.#types.getTypeParser(dataTypeID) as Parser;
      return parser === asText ? undefined : parser;
    });
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    const parsers = this.#parsers;
    for (let index = 0; index < fields.length; index++) {
      const parser = parsers[index];
      if (parser && fields[index] !== null) fields[index] = parser(fields[index] as string);
    }
    this.#found.push(fields);
  }

  handleCommandComplete(): void {}
}
