import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { jsonInTurns } from '../../http/large-answer.ts';
import { withLocations } from './document-text.ts';

/** Serializes a result whose data has this text. Without one, its data is serialized with the rest. */
const serializer =
  (data?: string) =>
  (result: ExecutionResult): string => {
    // Yoga copies errors before it serializes them, and the copies would have other locations.
    const { errors } = result;
    const located = errors ? { ...result, errors: errors.map(withLocations) } : result;
    if (data === undefined) return JSON.stringify(located);
    const fields = Object.entries(located).flatMap(([key, value]) => {
      const text = key === 'data' ? data : JSON.stringify(value);
      return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
    });
    return `{${fields.join(',')}}`;
  };

interface Serialized extends ExecutionResult {
  /** How Yoga serializes it. */
  stringify?(result: ExecutionResult): string;
}

/** A result with these errors, of which the text of the data may have been made before. */
export const withErrors = (result: Serialized, errors: readonly GraphQLError[]): Serialized => ({
  stringify: serializer(),
  ...result,
  errors,
});

/** The result, with the text of its data if that is large. It is written in turns, because others would wait for all of it. */
export function serialized(
  result: Serialized,
  { budget }: Pick<Context, 'budget'>,
): Serialized | Promise<Serialized> {
  if (!result.data) return result;
  const text = jsonInTurns(result.data, budget);
  return text ? text.then((data) => ({ ...result, stringify: serializer(data) })) : result;
}
