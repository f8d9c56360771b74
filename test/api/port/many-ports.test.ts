import { expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { transactionsOf } from '../../support/transactions.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const protocols = ['tcp', 'udp', 'http'];

/** Some of their columns are the same in many rows. */
const ports = (count: number, of: (number: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, { protocol: of(index) }]));

const rowsOf = async (sql: string, appId: number) =>
  (await trellis.services.db.query(sql, [])).filter((row) => Number(row[0]) === appId);

it('many new ports are recorded as they are stored, and are not read again', async () => {
  const place = await trellis.createPlace();
  const document = JSON.stringify({
    application: unique('app'),
    components: {
      alike: { image: 'nginx', ports: ports(320, () => 'tcp') },
      mixed: { image: 'nginx', ports: ports(280, (index) => protocols[index % 3]!) },
    },
  });
  let appId = 0;
  const [statements] = await transactionsOf(trellis, async () => {
    appId = (await apply(trellis, place, document, { deploy: 'NONE' })).application.appId;
  });
  expect(statements!.filter((text) => /^SELECT .*"alias".* FROM "port"/.test(text))).toEqual([]);
  const stored = await rowsOf(
    'SELECT c.application_id, p.id, p.component_id, p.number, p.protocol, p.alias, p.revision, p.created_at FROM port p JOIN component c ON c.id = p.component_id ORDER BY p.id',
    appId,
  );
  const recorded = await rowsOf(
    `SELECT application_id, subject_id, component_id, changes FROM event WHERE action = 'port.add' ORDER BY id`,
    appId,
  );
  expect(stored).toHaveLength(600);
  expect(
    recorded.map(([, subject, componentId, text]) => {
      const changes = JSON.parse(text as string);
      const after = (field: string) => changes[field][1];
      expect(String(after('id'))).toBe(subject);
      return [Number(subject), componentId, after('number'), after('protocol'), after('alias')];
    }),
  ).toEqual(
    stored.map(([, id, component, number, protocol, alias]) => [id, component, number, protocol, alias]),
  );
  expect(new Set(stored.map((row) => row[6]))).toEqual(new Set([1]));
  // The next port gets a new id.
  const at = { component: { componentId: stored[0]![2] } };
  await trellis.succeed('addPort', { ...at, number: 999, protocol: 'TCP' }, '__typename');
});
