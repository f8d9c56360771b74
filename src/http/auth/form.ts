import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../kernel/errors.ts';
import { type ReadBody, textOf } from '../body.ts';
import { isForm, requireUncompressed } from '../media-type.ts';

/** The largest form. Tokens are much shorter. */
const maxBodyBytes = 65_536;

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
  const body = await readBody(req, res);
  if (body.length > maxBodyBytes) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes.`);
  }
  const form = new URLSearchParams(textOf(body));
  return (name) => {
    const [value, ...others] = form.getAll(name);
    if (others.length > 0) throw refuse(`The parameter ${name} must not be repeated.`);
    return value === '' ? undefined : value;
  };
}
