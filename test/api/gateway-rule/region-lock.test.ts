import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { ringTemplate } from '../../support/templates.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** All teams of a region wait for its row, so that changes lock it only if they take or free domains or TCP ports. */
describe.runIf(databaseKind === 'postgres')('while another team changes addresses of the region', () => {
  let other: pg.Client;
  let place: Place;
  const template = ringTemplate(3);
  beforeAll(async () => {
    other = new pg.Client({ connectionString: trellis.databaseUrl });
    await other.connect();
    place = await trellis.createPlace();
    await trellis.succeed('publishTemplate', { template: template.text }, '__typename');
  });
  afterAll(() => other?.end());

  /** A component with the ports 80 and 90, of which 80 is open if it has a domain. */
  async function createTarget({ domain }: { domain?: string } = {}) {
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId);
    const component = { componentId };
    await trellis.succeed('addPort', { component, number: 80, protocol: 'HTTP' }, '__typename');
    await trellis.succeed('addPort', { component, number: 90, protocol: 'TCP' }, '__typename');
    const rule = { application: { appId }, component, portNumber: 80, domain, opensPort: true };
    if (domain) await trellis.succeed('createHttpRule', rule, '__typename');
    return {
      application: { appId },
      component,
      at: (number: number) => ({ port: { at: { component, number } } }),
    };
  }
  const document = (ports: string, rest = '') =>
    `application: ${unique('App')}\ncomponents:\n  web: { image: nginx, ports: ${ports} }\n${rest}`;
  const domain = () => `${unique('www')}.shop-example.org`;
  type Target = Awaited<ReturnType<typeof createTarget>>;
  type Change = { target?: Parameters<typeof createTarget>[0]; make(target: Target): Promise<unknown> };

  const free: Record<string, Change> = {
    'an apply without rules': {
      make: () => apply(trellis, place, document('{ 80: { protocol: http, isInner: true } }')),
    },
    'an install': {
      make: ({ application }) =>
        trellis.succeed(
          'installApplication',
          {
            application,
            store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
            templateId: template.key,
            version: '1.0.0',
          },
          '__typename',
        ),
    },
    'a copy without rules': {
      make: ({ application }) =>
        trellis.succeed('copyApplication', { application, name: unique('copy') }, '__typename'),
    },
    'a deletion without rules': {
      make: ({ application }) =>
        trellis.succeed('deleteApplication', { application, force: true }, '__typename'),
    },
    'the closing of a port': {
      target: { domain: domain() },
      make: ({ at }) => trellis.succeed('closeOuterService', at(80), '__typename'),
    },
  };
  const waiting: Record<string, Change> = {
    'an apply with a route': {
      make: () =>
        apply(
          trellis,
          place,
          document(
            '{ 80: { protocol: http, isOuter: true } }',
            `routes: [{ domain: ${domain()}, component: web, port: 80 }]\n`,
          ),
        ),
    },
    'the deletion of a domain': {
      target: { domain: domain() },
      make: ({ application }) =>
        trellis.succeed('deleteApplication', { application, force: true }, '__typename'),
    },
    'the first opening of a port': {
      make: ({ at }) => trellis.succeed('openOuterService', at(90), '__typename'),
    },
    'a new domain': {
      make: ({ application, component }) =>
        trellis.succeed(
          'createHttpRule',
          { application, component, portNumber: 80, domain: domain() },
          '__typename',
        ),
    },
    'a new endpoint': {
      make: ({ application, component }) =>
        trellis.succeed(
          'createTcpRule',
          { application, component, portNumber: 90, endpoint: '10.0.0.1:4000' },
          '__typename',
        ),
    },
  };

  const lock = (work: string) => other.query(`BEGIN; SELECT 1 FROM region FOR NO KEY UPDATE; ${work}`);

  it.each(Object.keys(free))('does not wait: %s', async (name) => {
    const { target, make } = free[name]!;
    const made = await createTarget(target);
    await lock('');
    await make(made).finally(() => other.query('ROLLBACK'));
  });

  it.each(Object.keys(waiting))('waits: %s', async (name) => {
    const { target, make } = waiting[name]!;
    const made = await createTarget(target);
    await lock('');
    let isAnswered = false;
    const answer = make(made).finally(() => {
      isAnswered = true;
    });
    const isWaiting = async () =>
      (
        await other.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount;
    try {
      await expect.poll(isWaiting).toBeGreaterThan(0);
      expect(isAnswered).toBe(false);
    } finally {
      await other.query('ROLLBACK');
    }
    await answer;
  });
});
