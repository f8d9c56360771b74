import { schema } from '../../src/api.ts';
import { type Operation, readOperations } from '../../src/operations/operation.ts';

export const operations = readOperations(schema);

/** The root field of an operation. */
export const rootOf = ({ query }: Operation): string =>
  /^ {2}(\w+)/m.exec(query.replace(/^.*?\) \{/s, '{'))![1]!;

export const operationNamed = (name: string): Operation => {
  const found = operations.find((each) => each.name === name || each.path === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};
