import { expect, it, vi } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

const isOfLines = /^\\r\\n\|/;

it('the lines of a document are counted once for all of its errors', async () => {
  const empty = '\n'.repeat(1_000) + '\r\n'.repeat(1_000) + '\r'.repeat(1_000);
  const fields = Array.from({ length: 100 }, (_, index) => `  a${index}: node(id: "eA") { id }\n`);
  const exec = vi.spyOn(RegExp.prototype, 'exec');
  const counted = () => exec.mock.contexts.filter((of) => isOfLines.test((of as RegExp).source)).length;
  try {
    // A document that is new, and one that is cached.
    for (const document of [`{${empty}${fields.join('')}}`, `{${empty}${fields.join('')}}`]) {
      exec.mockClear();
      const { errors } = await trellis.graphql(document);
      expect(errors).toMatchObject(
        fields.map((_, index) => ({ locations: [{ line: 3_001 + index, column: 3 }] })),
      );
      expect(counted()).toBeLessThan(3_500);
    }
    exec.mockClear();
    const { errors } = await trellis.graphql(`{${empty}  nothing ${'nowhere '.repeat(30)}}`);
    expect(errors?.[1]).toMatchObject({ locations: [{ line: 3_001, column: 11 }] });
    expect(counted()).toBeLessThan(3_500);
  } finally {
    exec.mockRestore();
  }
});
