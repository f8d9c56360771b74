import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/**
 * Sends a response in one write, because each write to a socket is expensive. A text of ASCII characters has the same bytes
 * in Latin-1, which Node.js writes without converting it.
 */
export function sendText(
  res: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  text: string,
): void {
  const length = Buffer.byteLength(text);
  res.writeHead(status, { ...headers, 'Content-Length': length });
  res.end(text, length === text.length ? 'latin1' : 'utf8');
}

export function sendJson(res: ServerResponse, status: number, value: object): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
  sendText(res, status, headers, JSON.stringify(value));
}
