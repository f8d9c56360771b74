import type { Contestant } from '../contestants.ts';

/** A change to a module without its types: each text must be there exactly once. */
interface Patch {
  file: string;
  replace: readonly (readonly [from: string, to: string])[];
}

/** Trellis without one of its parts. */
export interface Variant {
  name: string;
  /** Where the part does something; on both databases by default. */
  database?: Contestant['database'];
  settings?: Record<string, string>;
  patches?: readonly Patch[];
}

export const full: Variant = { name: 'full' };

export const variants: readonly Variant[] = [
  full,
  {
    // graphql-js executes.
    name: 'executor',
    settings: { EXECUTOR: 'graphql-js' },
  },
  {
    // Every read takes all columns of its table.
    name: 'columns',
    patches: [
      {
        file: 'src/db/query/pages.ts',
        replace: [
          [
            'const { model, fields = fieldsOf(model) } = spec;',
            'const { model } = spec, fields = fieldsOf(model);',
          ],
          [
            'const { model, fields = fieldsOf(spec.model) } = spec;',
            'const { model } = spec, fields = fieldsOf(model);',
          ],
        ],
      },
      {
        file: 'src/db/query/range.ts',
        replace: [
          [
            'const { model, fields = fieldsOf(model) } = query.spec;',
            'const { model } = query.spec, fields = fieldsOf(model);',
          ],
          [
            'const { model, fields = fieldsOf(model) } = spec;',
            'const { model } = spec, fields = fieldsOf(model);',
          ],
        ],
      },
      {
        file: 'src/db/query/find.ts',
        replace: [['query.fields ?? fieldsOf(model)', 'fieldsOf(model)']],
      },
    ],
  },
  {
    // No document is kept, and with it neither its validation nor what was planned and derived from its nodes.
    name: 'documents',
    patches: [
      {
        file: 'src/graphql/server/documents.ts',
        replace: [['text.length > bounds.entrySize || cache.has(text)', 'true']],
      },
    ],
  },
  {
    // A pool of connections, with one statement under way on each, which is written at once.
    name: 'pipelining',
    database: 'postgres',
    patches: [
      {
        file: 'src/db/postgres/pipeline.ts',
        replace: [
          ['const depth = 8;', 'const depth = 1;'],
          ['pipeline: true };', 'pipeline: false };'],
          ['this.#cork(connection);', ''],
        ],
      },
    ],
  },
  {
    // Postgres decides for each execution whether to plan it again.
    name: 'generic plans',
    database: 'postgres',
    patches: [{ file: 'src/db/postgres/postgres.ts', replace: [['force_generic_plan', 'auto']] }],
  },
  {
    // The driver makes an array of each row and asks for the columns of each statement.
    name: 'row query',
    database: 'postgres',
    patches: [
      {
        file: 'src/db/postgres/pipeline.ts',
        replace: [
          [
            'new RowQuery(config, this.#conversions, answered)',
            'config, (error, result) => answered(error ?? undefined, result?.rows)',
          ],
        ],
      },
    ],
  },
  {
    // Each statement is prepared for each read.
    name: 'prepared statements',
    database: 'sqlite',
    patches: [{ file: 'src/db/sqlite/reader.ts', replace: [['prepared.set(text, known);', '']] }],
  },
  {
    // A row and its representation in REST get their properties by name, one after the other.
    name: 'compiled records',
    patches: [
      {
        file: 'src/db/query/decode.ts',
        replace: [
          [
            'const createDecoder = (dialect, model, fields) => compileRecord(',
            `const createDecoder = (dialect, model, fields) => {
              const types = fields.map((field) => {
                const { type } = columnOf(model, field);
                return dialect.converts(type) ? type : undefined;
              });
              return (values, offset) => {
                const made = {};
                for (let at = 0; at < fields.length; at++) {
                  const value = values[offset + at];
                  made[fields[at]] = types[at] ? dialect.decode(value, types[at]) : value;
                }
                return made;
              };
            };
            const unused = (dialect, model, fields) => (() => {})(`,
          ],
        ],
      },
      {
        file: 'src/rest/view.ts',
        replace: [
          [
            'return compileRecord(',
            `return (row, context, read, index) => {
              const shown = {};
              let list = 0;
              for (const [name, field] of entries) {
                shown[name] = 'readAll' in field ? read[list++][index] : field.read(row, context);
              }
              return shown;
            };
            (() => {})(`,
          ],
        ],
      },
    ],
  },
  {
    // Yoga gets a fetch Request, whether a plugin reads it or not.
    name: 'lazy request',
    patches: [
      {
        file: 'src/graphql/server/lazy-request.ts',
        replace: [['new LazyRequest(make);', 'make();']],
      },
    ],
  },
  {
    // Every request passes Yoga's fetch layer.
    name: 'direct requests',
    patches: [
      {
        file: 'src/graphql/server/server.ts',
        replace: [['media.acceptsJson && !needsFetch', 'false']],
      },
    ],
  },
  {
    // The page of a single list is read by the statement for many lists.
    name: 'pages of one list',
    patches: [
      {
        file: 'src/db/query/pages.ts',
        replace: [['const isOne = keys.length === 1;', 'const isOne = false;']],
      },
    ],
  },
];
