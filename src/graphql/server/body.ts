import type { IncomingMessage } from 'node:http';
import { readBytes } from '../../http/body.ts';

/** Reads the body of a request as text. PAYLOAD_TOO_LARGE as soon as it exceeds the limit. */
export const readBody = async (req: IncomingMessage, limitBytes: number): Promise<string> =>
  (await readBytes(req, limitBytes)).toString('utf8');
