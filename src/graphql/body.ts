import type { IncomingMessage } from 'node:http';
import { ApiError } from '../kernel/errors.ts';

/** The body of a request as text; PAYLOAD_TOO_LARGE as soon as it is over the limit. */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      req.removeAllListeners('data');
      reject(new ApiError('PAYLOAD_TOO_LARGE', `The body is over ${limitBytes} bytes.`));
    });
    req.on('end', () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')));
    req.on('error', () => reject(new ApiError('INVALID_INPUT', 'The body broke off.')));
  });
}
