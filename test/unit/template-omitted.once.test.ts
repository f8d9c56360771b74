import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../src/drivers/app-store/template.ts';
import { templateNotes } from '../../src/drivers/app-store/template-notes.ts';
import { omittedLimits } from '../../src/drivers/app-store/template-omitted.ts';
import { readPublishedApps } from '../support/store-server.ts';

const least = { group_key: 'g', group_name: 'G', group_version: '1' };
const app = (fields: object = {}) => ({ service_key: 'k', service_cname: 'web', image: 'i', ...fields });
const omittedOf = async (fields: object, rest: object = {}) =>
  (await parseTemplate(JSON.stringify({ ...least, apps: [app(fields)], ...rest }))).omitted;
const probesOf = async (...probes: unknown[]) => {
  const { template, omitted } = await parseTemplate(JSON.stringify({ ...least, apps: [app({ probes })] }));
  return { probes: template.components[0]!.probes, omitted };
};

/** The paths of all keys of a value, with `[]` for each item of a list. */
function keysOf(value: unknown, path = '', found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) keysOf(item, `${path}[]`, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      found.add(at);
      keysOf(part, at, found);
    }
  }
  return found;
}

const patternOf = (path: string) => path.replace(/\[\d+\]/g, '[]');

const mutated = (value: unknown) =>
  typeof value === 'string'
    ? `${value}x`
    : typeof value === 'number'
      ? value + 1
      : value === null
        ? 7
        : !value;

/** A copy in which a key has another value, or none. */
function edited(value: unknown, steps: string[], edit?: (part: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (Array.isArray(value)) return value.map((item) => edited(item, steps, edit));
  if (typeof value !== 'object' || value === null || !(step! in value)) return value;
  const { [step!]: part, ...others } = value as Record<string, unknown>;
  if (rest.length > 0) return { ...others, [step!]: edited(part, rest, edit) };
  return edit ? { ...others, [step!]: edit(part) } : others;
}

/** Keys that say something only while another one is empty, which no real template has. */
const alternatives =
  /^apps\[\]\.(image|service_id|service_type|extend_method_map\.(init_memory|min_memory|container_cpu))$/;

describe('the keys of a template', () => {
  it('are used or listed, in every real template', async () => {
    let count = 0;
    const [used, unused, omittedKeys] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const { templates } of readPublishedApps().values()) {
      for (const text of templates.values()) {
        const value = JSON.parse(text);
        const { template, omitted } = await parseTemplate(text);
        const listed = new Set(omitted.map(({ path }) => patternOf(path)));
        for (const pattern of keysOf(value)) {
          count++;
          if (used.has(pattern) || omittedKeys.has(pattern)) continue;
          const isListed = [...listed].some(
            (each) => pattern === each || pattern.startsWith(`${each}.`) || each.startsWith(`${pattern}.`),
          );
          const steps = pattern.replaceAll('[]', '').split('.');
          for (const copy of [edited(value, steps), edited(value, steps, mutated)]) {
            const parsed = await parseTemplate(JSON.stringify(copy)).catch(() => undefined);
            if (JSON.stringify(parsed?.template) !== JSON.stringify(template)) used.add(pattern);
          }
          if (!used.has(pattern)) (isListed ? omittedKeys : unused).add(pattern);
        }
        expect(omitted.filter(({ reason }) => /does not know/.test(reason))).toEqual([]);
      }
    }
    expect(count).toBeGreaterThan(500);
    const silent = [...unused].filter((pattern) => !used.has(pattern) && !alternatives.test(pattern));
    expect(silent).toEqual([]);
    expect(omittedKeys.size).toBeGreaterThan(20);
  });

  it('have reasons only where nothing reads them', async () => {
    for (const path of Object.keys(templateNotes)) {
      const value = path
        .split('.')
        .reduceRight<unknown>(
          (inner, step) => (step.endsWith('[]') ? { [step.slice(0, -2)]: [inner] } : { [step]: inner }),
          'x',
        ) as any;
      const route = value.ingress_http_routes?.[0];
      const port = {
        container_port: 80,
        protocol: 'http',
        port_alias: 'A',
        ...value.apps?.[0]?.port_map_list?.[0],
      };
      const text = JSON.stringify({
        ...least,
        ...value,
        apps: [app({ ...value.apps?.[0], port_map_list: [port] })],
        ...(route && { ingress_http_routes: [{ component_key: 'k', port: 80, ...route }] }),
      });
      const { omitted } = await parseTemplate(text);
      expect(omitted.map((each) => patternOf(each.path))).toContain(path);
    }
  });

  it('that lose something come first, with the component; the others are listed once', async () => {
    const omitted = await omittedOf(
      { labels: { tier: 'web' }, deploy_version: '1', plugins_of_mine: [1], component_monitors: null },
      { plugins: [{ name: 'x' }], template_version: 'v2' },
    );
    expect(omitted).toEqual([
      { component: null, path: 'plugins', reason: 'Trellis has no plugins.' },
      { component: 'web', path: 'apps[0].labels', reason: 'Components have no labels.' },
      { component: 'web', path: 'apps[0].plugins_of_mine', reason: 'Trellis does not know this key.' },
      { component: null, path: 'template_version', reason: 'The version of the format.' },
      { component: null, path: 'apps[].deploy_version', reason: expect.any(String) },
      { component: null, path: 'apps[].component_monitors', reason: expect.any(String) },
    ]);
  });

  it('are listed up to a bound, and cut', async () => {
    const keys = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index % 2]));
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`group${index}`, keys]));
    const omitted = await omittedOf({ ...many, ['y'.repeat(100_000)]: 1, none: null });
    expect(omitted.length).toBeLessThanOrEqual(omittedLimits.own + omittedLimits.moot + 1);
    expect(omitted.at(-1)!.reason).toBe('4501 more keys are not listed.');
    expect(Math.max(...omitted.map(({ path }) => path.length))).toBeLessThanOrEqual(omittedLimits.pathLength);
    const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`);
    expect(await omittedOf({ deep })).toHaveLength(1);
  });
});

describe('the probes of a template', () => {
  const tcp = { mode: 'readiness', scheme: 'tcp', port: 80 };
  const timing = {
    initialDelaySeconds: 0,
    periodSeconds: 10,
    timeoutSeconds: 1,
    failureThreshold: 3,
    successThreshold: 1,
  };

  it('check by HTTP, TCP, gRPC or a command', async () => {
    const { probes, omitted } = await probesOf(
      { mode: 'startup', scheme: 'cmd', cmd: "sh -c 'test -f /run/a b'", period_second: 5, port: 0 },
      {
        ...{
          mode: 'readiness',
          scheme: 'http',
          port: 8080,
          path: 'health',
          http_header: 'Cookie=a=b, X-A=c',
        },
        ...{ initial_delay_second: 10, timeout_second: null, success_threshold: 2, is_used: true },
      },
      { mode: 'liveness', scheme: 'grpc', port: 50_051 },
    );
    expect(probes).toEqual({
      startup: {
        check: { kind: 'command', command: ['sh', '-c', 'test -f /run/a b'] },
        ...timing,
        periodSeconds: 5,
      },
      readiness: {
        check: {
          ...{ kind: 'http', port: 8080, path: '/health', scheme: 'http' },
          headers: [
            { name: 'Cookie', value: 'a=b' },
            { name: 'X-A', value: 'c' },
          ],
        },
        ...{ ...timing, initialDelaySeconds: 10, successThreshold: 2 },
      },
      liveness: { check: { kind: 'grpc', port: 50_051, service: '' }, ...timing },
    });
    expect(omitted).toEqual([]);
  });

  it.each([
    ['not used', { ...tcp, is_used: false }, '[0]'],
    ['of an unknown mode', { ...tcp, mode: 'ignore' }, '[0].mode'],
    ['of an unknown scheme', { ...tcp, scheme: 'udp' }, '[0].scheme'],
    ['without a port', { ...tcp, port: null }, '[0]'],
    ['with a bad header', { ...tcp, scheme: 'http', http_header: 'a b=c' }, '[0]'],
    ['without a command', { ...tcp, scheme: 'cmd', cmd: '' }, '[0]'],
    ['no object', 1, '[0]'],
  ])('are left out and listed: %s', async (_, probe, path) => {
    expect(await probesOf(probe)).toMatchObject({
      probes: { startup: null, readiness: null, liveness: null },
      omitted: expect.arrayContaining([
        { component: 'web', path: `apps[0].probes${path}`, reason: expect.any(String) },
      ]),
    });
  });

  it('have defaults for numbers that cannot be used, which are listed', async () => {
    const wrong = { ...tcp, mode: 'liveness', success_threshold: 2, period_second: 0, timeout_second: -1 };
    const { probes, omitted } = await probesOf(tcp, wrong, tcp);
    expect(probes).toEqual({
      startup: null,
      readiness: { check: { kind: 'tcp', port: 80 }, ...timing },
      liveness: { check: { kind: 'tcp', port: 80 }, ...timing },
    });
    expect(omitted.map(({ path }) => path)).toEqual([
      'apps[0].probes[1].timeout_second',
      'apps[0].probes[1].success_threshold',
      'apps[0].probes[2]',
    ]);
  });
});
