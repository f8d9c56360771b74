import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The values of a row as texts. */
export type Fields = (string | null)[];

/** The first byte of a message with a row. */
const rowCode = 'D'.charCodeAt(0);
/** The first byte of a message and its length, which does not count the first byte. */
const headBytes = 5;

const nonAscii = /[\x80-\xff]/;

const int32 = (bytes: Buffer, at: number) =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

/** Converts a row with one call into the runtime, where the driver has one for each value. */
function fieldsOf(bytes: Buffer, from: number, to: number): Fields {
  const count = bytes.readInt16BE(from);
  const start = from + 2;
  const text = bytes.toString('latin1', start, to);
  const isAscii = !nonAscii.test(text);
  const fields: Fields = new Array(count);
  let at = 0;
  for (let index = 0; index < count; index++) {
    const length = int32(bytes, start + at);
    at += 4;
    if (length < 0) {
      fields[index] = null;
      continue;
    }
    const value = text.slice(at, at + length);
    // The lengths between the values can have bytes that are not ASCII, too.
    const isText = isAscii || !nonAscii.test(value);
    fields[index] = isText ? value : bytes.toString('utf8', start + at, start + at + length);
    at += length;
  }
  return fields;
}

/**
 * Splits what Postgres sends into rows and other messages, in their order.
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class RowParser {
  readonly #onRow: (fields: Fields) => void;
  readonly #onOthers: (messages: Buffer) => void;
  /** The beginning of a message that has not fully arrived. */
  #parts: Buffer[] = [];
  #missing = 0;

  constructor(onRow: (fields: Fields) => void, onOthers: (messages: Buffer) => void) {
    this.#onRow = onRow;
    this.#onOthers = onOthers;
  }

  read(chunk: Buffer): void {
    this.#missing -= chunk.length;
    if (this.#missing > 0) {
      this.#parts.push(chunk);
      return;
    }
    const bytes = this.#parts.length > 0 ? Buffer.concat([...this.#parts, chunk]) : chunk;
    let at = 0;
    let others = 0;
    let end = headBytes;
    while (at + headBytes <= bytes.length) {
      // Unsigned, so that bytes of anything but Postgres are not read again and again.
      end = at + 1 + (int32(bytes, at + 1) >>> 0);
      if (end > bytes.length) break;
      if (bytes[at] === rowCode) {
        if (others < at) this.#onOthers(bytes.subarray(others, at));
        this.#onRow(fieldsOf(bytes, at + headBytes, end));
        others = end;
      }
      at = end;
      end = at + headBytes;
    }
    if (others < at) this.#onOthers(bytes.subarray(others, at));
    this.#parts = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#missing = at < bytes.length ? end - bytes.length : 0;
  }
}

/** The driver's connection, with what its types do not declare. */
interface Connection extends EventEmitter {
  attachListeners(stream: Pick<Duplex, 'on'>): void;
}

/** Has the rows of a client parsed by {@link RowParser}. Call before connecting. */
export function parseRows(client: pg.Client): void {
  const { connection } = client as unknown as { connection: Connection };
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const others = new EventEmitter();
    attach(others as unknown as Duplex);
    const parser = new RowParser(
      (fields) => connection.emit('dataRow', { fields }),
      (messages) => others.emit('data', messages),
    );
    stream.on('data', (chunk: Buffer) => parser.read(chunk));
  };
}
