import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { problem, problemType } from './problem.ts';

/** Responses by error code of the HTTP parser. Other codes are 400. */
const refusals: Record<string, [status: number, reason: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'The request line and headers are too large.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};

/** The time, in ms, that a rejected client has to read the response. */
const lingerMs = 1_000;

const isUnused = (socket: Duplex) => (socket as Socket).bytesRead === 0;

/** Closes a connection that was never used: it has no request to respond to. */
function destroyIfUnused(socket: Duplex): void {
  // Reads what has arrived while the process was busy: closing its connection would lose the request.
  setImmediate(() => isUnused(socket) && socket.destroy());
}

/** Responds to invalid HTTP with a problem document and closes the connection. */
export function answerUnreadable(server: Server, refused: (line: object) => void): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUnused(socket)) return void destroyIfUnused(socket);
    const requestId = randomUUID();
    const [status, reason, detail] = refusals[error.code ?? ''] ?? [
      400,
      'Bad Request',
      'This is not a valid HTTP request.',
    ];
    const issues = [{ path: [], message: detail }];
    const body = JSON.stringify({ ...problem('INVALID_INPUT', detail, requestId, issues), status });
    refused({ requestId, status, reason: error.code });
    socket.end(
      [
        `HTTP/1.1 ${status} ${reason}`,
        `Content-Type: ${problemType}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        'Cache-Control: no-store',
        'X-Content-Type-Options: nosniff',
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
    // Otherwise, a client that neither reads nor closes would keep the connection open.
    setTimeout(() => socket.destroy(), lingerMs).unref();
  });
  // Unknown expectations may be ignored.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
}
