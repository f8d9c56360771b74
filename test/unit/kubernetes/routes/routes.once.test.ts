import { describe, expect, it } from 'vitest';
import { componentObjects } from '../../../../src/drivers/region/kubernetes/component/objects.ts';
import { httpRouteOf } from '../../../../src/drivers/region/kubernetes/routes/http.ts';
import {
  limitationsOfHttp,
  limitationsOfTcp,
  requireExpressible,
} from '../../../../src/drivers/region/kubernetes/routes/limitations.ts';
import { cookieExpression } from '../../../../src/drivers/region/kubernetes/routes/matches.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const settings = {
  gatewayClass: 'test' as string | null,
  ingressClass: null,
  storageClass: null,
  sharedStorageClass: null,
  certificateIssuer: null as string | null,
  room: undefined,
  minReadySeconds: 10,
  hasSleep: false,
  hasBudgets: true,
  hasTcpRoutes: true,
  restarted: undefined,
};
const component = desiredComponent('nginx:1.29');
const [rule] = component.httpRules as [(typeof component.httpRules)[number]];
const kindsOf = (more: Partial<typeof settings>, given = component) =>
  componentObjects(given, { ...settings, ...more }).map(({ kind, spec }) =>
    `${kind} ${spec?.type ?? ''}`.trim(),
  );

describe('the routes of a component', () => {
  it.each([
    [['a=1'], ['a=1', 'b=2; a=1', 'a=1; b=2', 'b=2;a=1;c=3'], ['a=12', 'aa=1', 'b=a=1', 'a=1x; b=2', '']],
    [
      ['a=1', 'b=2'],
      ['a=1; b=2', 'b=2; a=1', 'c=3; b=2; d=4;a=1; e=5'],
      ['a=1', 'b=2', 'a=1; b=21'],
    ],
    [
      ['a=1', 'b=2', 'c=.'],
      ['c=.; a=1; b=2', 'x=y; b=2; c=.; a=1'],
      ['a=1; b=2', 'a=1; b=2; c=x'],
    ],
  ])('match the cookies %s in any order', (cookies, matching, others) => {
    const given = cookies.map((cookie) => ({ name: cookie.split('=')[0]!, value: cookie.split('=')[1]! }));
    const text = cookieExpression(given);
    // RE2 has no assertions and no references to groups.
    expect(text).not.toMatch(/\(\?|\\[1-9bB]/);
    for (const header of matching) expect(header).toMatch(new RegExp(text));
    for (const header of others) expect(header).not.toMatch(new RegExp(text));
  });

  it('match headers as rules write them', () => {
    const given = { ...component, httpRules: [{ ...rule, header: 'X-Version=2;X-Beta=a=b' }] };
    const [given2] = given.httpRules as [typeof rule];
    const route = httpRouteOf('team', [{ ...given2, component }], {
      id: 'region',
      cluster: { ...settings, namespacePrefix: 'trellis-' },
    });
    expect(route.spec.rules[0].matches[0].headers).toEqual([
      { name: 'X-Version', value: '2' },
      { name: 'X-Beta', value: 'a=b' },
    ]);
  });

  it('are TCPRoutes where the cluster has them, and Services otherwise', () => {
    expect(kindsOf({})).toContain('TCPRoute');
    expect(kindsOf({})).not.toContain('Service NodePort');
    expect(kindsOf({ hasTcpRoutes: false })).toContain('Service NodePort');
    const [{ outerPort }] = component.tcpRules as [(typeof component.tcpRules)[number]];
    const gateway = componentObjects(component, settings).find(({ kind }) => kind === 'Gateway')!;
    expect(gateway.spec.listeners).toEqual([{ name: `tcp-${outerPort}`, port: outerPort, protocol: 'TCP' }]);
    const udp = { ...component, ports: component.ports.map((port) => ({ ...port, protocol: 'udp' })) };
    expect(kindsOf({}, udp)).not.toContain('TCPRoute');
    expect(kindsOf({}, udp)).toContain('Service NodePort');

    const ports = component.ports.map((port) => ({ ...port, protocol: 'tcp_udp', isInner: true }));
    const both = { ...component, httpRules: [], ports };
    expect(kindsOf({}, both)).not.toContain('TCPRoute');
    const services = componentObjects(both, settings).filter(({ kind }) => kind === 'Service');
    const shown = services.map(({ spec }) =>
      spec.ports.map((port: any) =>
        `${port.name} ${port.protocol} ${port.port} ${port.nodePort ?? ''}`.trim(),
      ),
    );
    expect(shown).toEqual([
      ['main TCP 8080', '8080-udp UDP 8080', 'admin TCP 9000', '9000-udp UDP 9000'],
      [`main TCP 9000 ${outerPort}`, `udp UDP 9000 ${outerPort}`],
    ]);
  });

  it('tell what they cannot express, and are refused if their meaning would change', () => {
    const cookie = 'a=1;b=2;c=3;d=4';
    const given = { ...rule, cookie, configuration: { bufferCount: 8, readTimeoutSeconds: 5 } };
    expect(limitationsOfHttp(given, settings)).toEqual({
      refused: ['more than 3 cookies or 4096 characters of them'],
      ignored: ['bufferCount'],
    });
    expect(() => requireExpressible([given], settings, [])).toThrow('more than 3 cookies');
    expect(limitationsOfHttp({ ...given, header: 'a=b' }, { ...settings, gatewayClass: null })).toEqual({
      refused: ['the headers', 'the cookies'],
      ignored: ['bufferCount', 'readTimeoutSeconds'],
    });
    expect(limitationsOfHttp(rule, settings)).toEqual({ refused: [], ignored: [] });
    expect(limitationsOfHttp({ ...rule, domain: '*.a.example', autoSsl: true }, settings).ignored).toEqual([
      'autoSsl',
    ]);
    const wide = { ...rule, domain: '*.a.example', protocol: 'grpc' };
    expect(limitationsOfHttp(wide, { ...settings, gatewayClass: null }).ignored).toEqual([
      'domain',
      'protocol',
    ]);
    const tcp = { address: '203.0.113.9', extensions: [{ key: 'a', value: 'b' }] };
    expect(limitationsOfTcp(tcp)).toEqual({ refused: [], ignored: ['address', 'extensions'] });
    expect(limitationsOfTcp({ address: '0.0.0.0', extensions: [] })).toEqual({ refused: [], ignored: [] });
  });

  it('tell what they cannot express beside the rules that they share requests with', () => {
    const of = (
      given: Partial<typeof rule>,
      earlier: (typeof rule)[],
      gatewayClass: string | null = 'test',
    ) => limitationsOfHttp({ ...rule, id: 100, ...given }, { ...settings, gatewayClass }, earlier);
    const first = { ...rule, id: 1 };
    const nothing = { refused: [], ignored: [] };
    expect(of({ weight: 20 }, [first])).toEqual(nothing);
    expect(of({}, [first], null)).toEqual({ refused: ['the weights'], ignored: [] });
    // The first one is served, and other paths are not concerned.
    expect(of({ id: 0 }, [first], null)).toEqual(nothing);
    expect(of({}, [], null)).toEqual(nothing);
    const configuration = { readTimeoutSeconds: 5, setHeaders: [{ key: 'X-A', value: '1' }] };
    expect(of({ pathRewrite: true, configuration }, [first])).toEqual({
      refused: ['a path rewrite of its own', 'request headers of its own'],
      ignored: ['readTimeoutSeconds'],
    });
    expect(
      of({ pathRewrite: true, configuration }, [{ ...first, pathRewrite: true, configuration }]),
    ).toEqual(nothing);
    expect(of({ path: '/a//b', header: 'X-A=1;x-a=2' }, []).refused).toEqual(['the path', 'the headers']);
    expect(of({ path: '/{id}' }, []).refused).toEqual(['the path']);
    expect(of({ path: '/{id}' }, [], null).refused).toEqual(['the path']);
    expect(of({ header: 'Cookie=a', cookie: 'a=1' }, []).refused).toEqual(['the headers']);
    const many = Array.from({ length: 16 }, (_, id) => ({ ...rule, id }));
    expect(of({}, many).refused).toEqual(['more than 16 rules that share requests']);
    expect(of({}, many.slice(1)).refused).toEqual([]);
  });
});
