import { InvalidInputError } from '../kernel/errors.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import { requireKnown } from '../operations/call.ts';
import type { Operation } from '../operations/operation.ts';

/** The listed fields of a tool, and whether a read-only token can call it. */
export type Tool = Pick<
  Operation,
  | 'name'
  | 'title'
  | 'description'
  | 'inputSchema'
  | 'outputSchema'
  | 'annotations'
  | 'isChange'
  | 'takesDryRun'
>;

const finder: Tool = {
  name: 'find_operations',
  title: 'Find operations',
  description:
    'Finds operations that are not listed as tools, by words in their names and descriptions. Returns each with its arguments as a JSON Schema, for call_operation.',
  inputSchema: {
    type: 'object',
    properties: {
      search: { type: 'string', description: 'Words, for example `certificate expiry`.' },
      first: {
        type: 'integer',
        description: 'The number of operations to return, from 1 to 20. Defaults to 5.',
      },
    },
    required: ['search'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { operations: { type: 'array' }, names: { type: 'array' } } },
  annotations: { readOnlyHint: true },
  isChange: false,
  takesDryRun: false,
};

const caller: Tool = {
  name: 'call_operation',
  title: 'Call an operation',
  description: 'Calls an operation by its name, as find_operations returns it.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name of the operation.' },
      arguments: { type: 'object', description: 'Its arguments.' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: false, destructiveHint: true },
  isChange: true,
  // The operation decides.
  takesDryRun: true,
};

/** What errors, the instructions or the rest of the schema say as well, and what concerns REST, `last` or clients that store it. */
const detail = new RegExp(
  [
    ' Fails with NOT_FOUND if[^".]*\\.(?=[ "])',
    ' Fails with CONFLICT if the revision is different\\.',
    ' Not checked if omitted\\.',
    ' REST: `[^`]*`\\.',
    ' Trellis stores it for clients and does not act on it\\.',
    ' Give exactly one field\\.',
    ' from the start of the list(?=, from)',
    ',"description":"Returns only items after this cursor\\."',
    ',"description":"Whether to return only the plan and change nothing\\."',
  ].join('|'),
  'g',
);

/** An operation as a tool, whose schema the model of a client has to read. */
export const briefOf = (operation: Operation): Operation => ({
  ...operation,
  inputSchema: JSON.parse(JSON.stringify(operation.inputSchema).replace(detail, '')),
});

/**
 * The tools to list: by default those of daily work and those by which others are found. All operations for `all`, or the
 * tools of these names. Throws INVALID_INPUT for a name that no tool has.
 */
export function wantedTools(operations: readonly Operation[], names: string | null): Tool[] {
  if (names === 'all') return [...operations];
  if (!names) return [...operations.filter(({ isDaily }) => isDaily), finder, caller];
  const all = [...operations, finder, caller];
  const wanted = new Set(names.split(',').map((name) => name.trim()));
  const unknown = [...wanted].filter((name) => !all.some((tool) => tool.name === name));
  if (unknown.length === 0) return all.filter(({ name }) => wanted.has(name));
  throw refuse('tools', `Unknown tools: ${unknown.slice(0, maxUnknown).join(', ')}`);
}

/** The most unknown names that an error lists. */
const maxUnknown = 10;

const refuse = (path: string, message: string) => new InvalidInputError([{ path: [path], message }]);

const [mostFound, usuallyFound, longestSearch] = [20, 5, 200];

/** Words that say nothing about an operation. */
const fillers = new Set(['a', 'an', 'and', 'for', 'how', 'in', 'my', 'new', 'of', 'on', 'the', 'to', 'with']);

/** Words that people use for what operations call otherwise. */
const otherWords: Record<string, string[]> = {
  audit: ['event'],
  autoscale: ['autoscaling'],
  backup: ['snapshot'],
  cron: ['schedule'],
  domain: ['http', 'rule'],
  daily: ['schedule'],
  env: ['variable'],
  environment: ['variable'],
  every: ['schedule'],
  expose: ['outer', 'rule'],
  history: ['event', 'release'],
  invite: ['member'],
  nightly: ['schedule'],
  scale: ['autoscaling'],
  ssl: ['certificate'],
  tls: ['certificate'],
  undo: ['rollback'],
};

/** `certificates` finds `certificate`, and `deploying` finds `deploy`. */
const stem = (word: string) => word.replace(/(?<=...)(?:ing|ed|es|s|e)$/, '');

const stemsIn = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\broll(?:ing|s)? back\b/gi, 'rollback')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !fillers.has(word))
    .map(stem);

interface Searched {
  name: Set<string>;
  fields: Set<string>;
  description: Set<string>;
}

/** The words of each operation. Computed once, because splitting all descriptions takes longer than a search in them. */
const searchedIn = memoizeByIdentity(
  (operations: readonly Operation[]) =>
    new Map(
      operations.map((operation): [Operation, Searched] => [
        operation,
        {
          name: new Set(stemsIn(operation.name)),
          fields: new Set(Object.keys(operation.inputSchema.properties ?? {}).flatMap(stemsIn)),
          description: new Set(stemsIn(operation.description)),
        },
      ]),
    ),
);

/** How well an operation matches words: those of its name count most, then those of its arguments, and rare words more than common ones. */
function scoreOf(operations: readonly Operation[], asked: readonly string[]) {
  const searched = searchedIn(operations);
  const weightIn = ({ name, fields, description }: Searched, word: string) =>
    name.has(word) ? 4 : fields.has(word) ? 2 : description.has(word) ? 1 : 0;
  const rarityOf = (word: string) => {
    const having = [...searched.values()].filter((each) => weightIn(each, word) > 0).length;
    return Math.log(1 + operations.length / (1 + having));
  };
  const ways = asked.map((word) =>
    [word, ...(otherStems.get(word) ?? [])].map((each) => ({ word: each, rarity: rarityOf(each) })),
  );
  return (operation: Operation): number => {
    const found = searched.get(operation)!;
    const parts = ways.map((way) =>
      Math.max(...way.map(({ word, rarity }) => weightIn(found, word) * rarity)),
    );
    // One that has all words comes before one that has one of them in its name, and what makes an object before what changes it.
    const share = parts.filter((part) => part > 0).length / parts.length;
    const isNew = /^(?:create|add)_/.test(operation.name);
    return share ** 2 * parts.reduce((sum, part) => sum + part, isNew ? 0.5 : 0);
  };
}

/** Of those that match alike, first those that are used every day. */
const dailyFirst = (one: { operation: Operation }, other: { operation: Operation }) =>
  Number(other.operation.isDaily) - Number(one.operation.isDaily);

const otherStems = new Map(
  Object.entries(otherWords).map(([word, others]) => [stem(word), others.map(stem)]),
);

/**
 * The result of `find_operations`: the operations that match the words best. The names of all operations if none has any.
 */
export function findOperations(operations: readonly Operation[], given: Record<string, unknown>) {
  requireKnown(finder, given);
  const { search, first = usuallyFound } = given;
  if (typeof search !== 'string' || search.length > longestSearch)
    throw refuse('search', `Must be a text of up to ${longestSearch} characters`);
  if (typeof first !== 'number' || !Number.isInteger(first) || first < 1 || first > mostFound)
    throw refuse('first', `Must be a whole number from 1 to ${mostFound}`);
  const score = scoreOf(operations, stemsIn(search));
  const matches = operations
    .map((operation) => ({ operation, score: score(operation) }))
    .filter((each) => each.score > 0)
    .sort((one, other) => other.score - one.score || dailyFirst(one, other))
    .slice(0, first)
    .map(({ operation: { name, title, description, inputSchema, isChange } }) => ({
      name,
      title,
      description,
      isChange,
      inputSchema,
    }));
  return matches.length > 0
    ? { operations: matches }
    : { operations: matches, names: operations.map(({ name }) => name) };
}

/** The operation that `call_operation` is asked for, and its arguments. */
export function calledOperation(operations: ReadonlyMap<string, Operation>, given: Record<string, unknown>) {
  requireKnown(caller, given);
  const { name, arguments: inner = {} } = given;
  const operation = operations.get(String(name));
  if (!operation) throw refuse('name', 'There is no such operation. Use find_operations');
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
    throw refuse('arguments', 'Must be an object');
  return { operation, given: inner as Record<string, unknown> };
}
