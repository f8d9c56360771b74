import { expect, it, vi } from 'vitest';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

it('an id is decoded and read once, however many aliases of `nodes` and `node` name it', async () => {
  const { component } = await trellis.createAll();
  const id = encodeGlobalId('Component', component.componentId);
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: nodes(ids: $ids) { id }`);
  const query = `query ($ids: [ID!]!) { one: node(id: "${id}") { id } ${fields.join(' ')} }`;
  const decode = vi.spyOn(Buffer, 'from');
  try {
    const data = await trellis.data(query, { ids: Array(100).fill(id) });
    expect(data.one).toEqual({ id });
    expect(data.a39).toEqual(Array(100).fill({ id }));
    const decoded = (decode.mock.calls as unknown[][]).filter(
      ([text, encoding]) => text === id && encoding === 'base64url',
    );
    expect(decoded).toHaveLength(1);
  } finally {
    decode.mockRestore();
  }
});
