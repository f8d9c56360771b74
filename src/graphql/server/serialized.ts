import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Context } from '../../context.ts';
import { jsonInTurns } from '../../http/large-answer.ts';
import { mapInSlices } from '../../kernel/event-loop.ts';
import { withLocations } from './document-text.ts';

/** The most errors that are serialized at once. Yoga copies each before that. */
const fewErrors = 50;

/** The texts of data that was written before. */
const dataTexts = new WeakMap<object, string>();

/** Serializes a result, of whose errors the text may have been made before. */
const serializer =
  (errorsText?: string) =>
  (result: ExecutionResult): string => {
    // Yoga copies errors before it serializes them, and the copies would have other locations.
    const { data, errors } = result;
    const dataText = data ? dataTexts.get(data) : undefined;
    const located = errors && !errorsText ? { ...result, errors: errors.map(withLocations) } : result;
    if (!dataText && !errorsText) return JSON.stringify(located);
    const texts: { [key: string]: string | undefined } = { data: dataText, errors: errorsText };
    const fields = Object.entries(located).flatMap(([key, value]) => {
      const text = texts[key] ?? JSON.stringify(value);
      return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
    });
    return `{${fields.join(',')}}`;
  };

interface Serialized extends ExecutionResult {
  /** How Yoga serializes it. */
  stringify?(result: ExecutionResult): string;
}

export const withErrors = (result: Serialized, errors: readonly GraphQLError[]): Serialized => ({
  stringify: serializer(),
  ...result,
  errors,
});

/** The result, with the text of its data if that is large. It is written in turns, because others would wait for all of it. */
export function withDataText(
  result: Serialized,
  { budget }: Pick<Context, 'budget'>,
): Serialized | Promise<Serialized> {
  const { data } = result;
  const text = data && !dataTexts.has(data) ? jsonInTurns(data, budget) : undefined;
  if (!text) return result;
  return text.then((written) => {
    dataTexts.set(data!, written);
    return { stringify: serializer(), ...result };
  });
}

/** The result as it is sent. What is large of it, of its data and its errors, is written in turns. */
export function serialized(
  result: Serialized,
  context: Pick<Context, 'budget'>,
): Serialized | Promise<Serialized> {
  const { errors = [] } = result;
  if (errors.length <= fewErrors) return withDataText(result, context);
  return withErrorsText(result, errors, context);
}

async function withErrorsText(
  result: Serialized,
  errors: readonly GraphQLError[],
  context: Pick<Context, 'budget'>,
): Promise<Serialized> {
  const written = await withDataText(result, context);
  const sent = await mapInSlices(errors, sentError, context.budget?.signal);
  const text = (await jsonInTurns(sent, context.budget)) ?? JSON.stringify(sent);
  // If none were an error of its class, Yoga would not take the status of the specification.
  const status = [errors[0]!, ...(sent.slice(1) as unknown as GraphQLError[])];
  return { ...written, errors: status, stringify: serializer(text) };
}

/** An error as it is sent. Yoga reads the status of the response from `http`, and does not copy what is no error of a class. */
function sentError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...shown } = withLocations(error).toJSON();
  const { http = {}, ...sent } = extensions ?? {};
  return { ...shown, extensions: Object.defineProperty(sent, 'http', { value: http }) };
}
