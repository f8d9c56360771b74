import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError } from '../../kernel/errors.ts';
import { type ReadBody, strangerBodyBytes, textOf } from '../body.ts';
import { isForm, requireUncompressed } from '../media-type.ts';

interface FormOptions {
  readBody: ReadBody;
  /** The error for a request that is not a form, or repeats a parameter. */
  refuse(message: string): ApiError;
}

/**
 * The parameters of a form, each of which must not be repeated. Those without a value count as omitted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export async function readForm(
  req: IncomingMessage,
  res: ServerResponse,
  { readBody, refuse }: FormOptions,
): Promise<(name: string) => string | undefined> {
  if (!isForm(req.headers['content-type'])) {
    throw refuse('The body must be application/x-www-form-urlencoded.');
  }
  requireUncompressed(req.headers);
  const form = new URLSearchParams(textOf(await readBody(req, res, strangerBodyBytes)));
  return (name) => {
    const [value, ...others] = form.getAll(name);
    if (others.length > 0) throw refuse(`The parameter ${name} must not be repeated.`);
    return value === '' ? undefined : value;
  };
}
