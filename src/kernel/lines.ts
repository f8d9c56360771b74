/**
 * The lines of a text that arrives in chunks, without their ends. What a line has beyond the limit is dropped. Only `\n` ends a line:
 * `node:readline` also splits at U+2028 and U+2029, which texts in JSON can contain.
 */
export async function* linesIn(
  chunks: AsyncIterable<Buffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    const kept = part.subarray(0, Math.max(0, maxBytes - length));
    if (kept.length > 0) parts.push(kept);
    length += kept.length;
  };
  const take = () => {
    const line = Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield take();
}
