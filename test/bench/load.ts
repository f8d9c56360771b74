/**
 * The load: some connections that each send the next request when the answer to the last one is complete. It
 * writes prepared bytes to the socket and reads no more of an answer than its frame, so that it takes little of
 * a core that it shares with what it measures. What it took is reported beside what was measured.
 */
import { connect, type Socket } from 'node:net';

export interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Target {
  port: number;
  /** The request of each place in the sequence, which begins again at its end. */
  requests: Buffer[];
  /** Where the sequence stands: one that goes on continues, so that switches stay in step. */
  next: number;
  /** Whether each request has a document of its own: `unseen` in it is replaced by a name that was not used yet. */
  isUnseen?: boolean;
  /** Bytes of the right answer to each of them; an answer of another size is a failure. */
  sizes?: number[];
}

export interface Measured {
  requests: number;
  seconds: number;
  /** Milliseconds, in no order. */
  latencies: Float64Array;
  /** Processor seconds of this process. */
  ownCpu: number;
}

export function encode(request: Request): Buffer {
  const { method, path, headers, body } = request;
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/**
 * Drives the target for a number of requests, or for some seconds from when every connection has had an answer, or until the
 * first of both. A Node.js server accepts one connection in each turn of its event loop, and what is measured is clients that
 * keep theirs.
 */
export async function drive(
  target: Target,
  limit: { seconds: number; requests?: number } | { requests: number },
  connections: number,
): Promise<Measured> {
  let cpu = process.cpuUsage();
  let started = performance.now();
  let endsAt = Number.POSITIVE_INFINITY;
  let left = limit.requests ?? Number.POSITIVE_INFINITY;
  let unanswered = 'seconds' in limit ? connections : 0;
  const latencies: number[] = [];
  let last = started;
  const turn = () => {
    if (left <= 0 || performance.now() >= endsAt) return undefined;
    left--;
    return target.next++;
  };
  const done = (latency: number, at: number, isFirst: boolean) => {
    if (unanswered > 0) {
      if (!isFirst || --unanswered > 0 || !('seconds' in limit)) return;
      cpu = process.cpuUsage();
      started = at;
      endsAt = at + limit.seconds * 1000;
    } else if (at <= endsAt) {
      latencies.push(latency);
      last = at;
    }
  };
  await Promise.all(Array.from({ length: connections }, () => converse(target, turn, done)));
  const { user, system } = process.cpuUsage(cpu);
  return {
    requests: latencies.length,
    seconds: ('seconds' in limit ? endsAt - started : last - started) / 1000,
    latencies: Float64Array.from(latencies),
    ownCpu: (user + system) / 1e6,
  };
}

const placeholder = 'unseen';
let names = 0;

function withNewName(request: Buffer): Buffer {
  const name = `u${(names++).toString(36).padStart(placeholder.length - 1, '0')}`;
  const named = Buffer.from(request);
  named.write(name, request.indexOf(placeholder), 'latin1');
  return named;
}

/** One connection, from its first request until there is no next one. */
function converse(
  { port, requests, sizes, isUnseen }: Target,
  turn: () => number | undefined,
  done: (latency: number, at: number, isFirst: boolean) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let place = 0;
    let sentAt = 0;
    let isFirst = true;
    const send = () => {
      const next = turn();
      if (next === undefined) return void socket.end();
      place = next % requests.length;
      sentAt = performance.now();
      socket.write(isUnseen ? withNewName(requests[place]!) : requests[place]!);
    };
    const fail = (message: string) => {
      socket.destroy();
      reject(new Error(`request ${place}: ${message}`));
    };
    receive(socket, fail, (size) => {
      if (sizes && size !== sizes[place]) {
        return fail(`an answer of ${size} bytes, where ${sizes[place]} were right`);
      }
      const now = performance.now();
      done(now - sentAt, now, isFirst);
      isFirst = false;
      send();
    });
    socket.once('connect', send);
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
}

const headEnd = Buffer.from('\r\n\r\n');

/** Frames the answers of a connection, by their length or by chunks; only 200 is an answer. */
function receive(socket: Socket, fail: (message: string) => void, answered: (size: number) => void): void {
  let held: Buffer | undefined;
  let size = 0;
  let left = -1;
  let chunked = false;
  socket.on('data', (arrived: Buffer) => {
    let data = held ? Buffer.concat([held, arrived]) : arrived;
    held = undefined;
    if (left < 0) {
      const end = data.indexOf(headEnd);
      if (end < 0) {
        held = data;
        return;
      }
      const head = data.toString('latin1', 0, end + 2);
      if (!head.startsWith('HTTP/1.1 200')) return fail(data.toString('latin1', 0, 1000));
      const length = /\ncontent-length: *(\d+)/i.exec(head);
      chunked = !length;
      left = length ? Number(length[1]) : 0;
      size = left;
      data = data.subarray(end + 4);
    }
    if (!chunked) {
      left -= data.length;
      if (left > 0) return;
    } else {
      for (;;) {
        const taken = Math.min(left, data.length);
        left -= taken;
        data = data.subarray(taken);
        if (left > 0) return;
        // A chunk ends with a line break, which belongs to the line of the next one.
        const from = data.length && data[0] === 13 ? 2 : 0;
        const end = data.indexOf('\r\n', from);
        if (end < 0) {
          held = data;
          return;
        }
        const length = Number.parseInt(data.toString('latin1', from, end), 16);
        if (length === 0 && data.length < end + 4) {
          held = data;
          return;
        }
        if (length === 0) break;
        size += length;
        left = length;
        data = data.subarray(end + 2);
      }
    }
    left = -1;
    const whole = size;
    size = 0;
    answered(whole);
  });
}

/** The value below which this share of the values lies. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};
