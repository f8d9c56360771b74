import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type DocumentNode, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import type { Limits } from '../../kernel/limits.ts';
import { ConfigError } from '../../kernel/setting-file.ts';
import { requireParsable } from '../server/limits.ts';
import { hashOf, type TrustedDocument } from './documents.ts';

/** The most problems that are printed. */
const maxProblems = 20;

const extension = '.graphql';

/**
 * Reads the documents of TRUSTED_DOCUMENTS: a directory of `.graphql` files, which are named after the files, or a JSON
 * object of texts by their hashes, as codegen's client preset writes it. Throws a ConfigError with all problems.
 */
export function readTrustedDocuments(
  path: string,
  schema: GraphQLSchema,
  limits: Pick<Limits, 'tokens' | 'brackets'>,
): TrustedDocument[] {
  let documents: TrustedDocument[];
  try {
    documents = statSync(path).isDirectory() ? documentsIn(path) : documentsOf(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`TRUSTED_DOCUMENTS names ${path}, which cannot be used: ${messageOf(error)}`]);
  }
  const problems = [
    ...repeated(documents).map((id) => `${id} is the name of two files`),
    ...documents.flatMap((document) => problemsOf(document, schema, limits)),
  ];
  if (problems.length > 0) {
    throw new ConfigError(problems.slice(0, maxProblems).map((problem) => `TRUSTED_DOCUMENTS: ${problem}`));
  }
  return documents;
}

function documentsIn(folder: string): TrustedDocument[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .sort();
  if (files.length === 0) throw new Error(`it has no file that ends with ${extension}`);
  return files.map((file) => ({
    id: basename(file, extension),
    text: readFileSync(join(folder, file), 'utf8'),
  }));
}

function documentsOf(json: string): TrustedDocument[] {
  const texts: unknown = JSON.parse(json);
  if (typeof texts !== 'object' || texts === null || Array.isArray(texts))
    throw new Error('it must be a JSON object of texts by their ids');
  return Object.entries(texts).map(([id, text]) => {
    if (typeof text !== 'string') throw new Error(`the value of ${id} must be the text of a document`);
    return { id, text };
  });
}

const repeated = (documents: readonly TrustedDocument[]) =>
  documents.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index);

function problemsOf(
  { id, text }: TrustedDocument,
  schema: GraphQLSchema,
  limits: Pick<Limits, 'tokens' | 'brackets'>,
): string[] {
  const [, hash] = /^sha256:(.*)$/.exec(id) ?? [];
  if (hash !== undefined && hash !== hashOf(text)) return [`${id} is not the hash of its text`];
  let document: DocumentNode;
  try {
    requireParsable(text, limits);
    document = parse(text);
  } catch (error) {
    return [`${id}: ${messageOf(error)}`];
  }
  if (document.definitions.every(({ kind }) => kind !== Kind.OPERATION_DEFINITION))
    return [`${id} has no operation`];
  return validate(schema, document).map(({ message, locations = [] }) => {
    const [at] = locations;
    return `${id}${at ? `, line ${at.line}` : ''}: ${message}`;
  });
}

const messageOf = (error: unknown) => (error as Error).message;
