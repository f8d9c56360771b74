import { beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const target = () => ({
  application: { appId: all.application.appId },
  component: { componentId: all.component.componentId },
  portNumber: 8080,
});

describe('createHttpRule', () => {
  it.each([
    [{ domain: 'under_score.example' }, ['input', 'domain']],
    [{ domain: '*.*.example' }, ['input', 'domain']],
    [{ domain: 'a..b' }, ['input', 'domain']],
    [{ domain: '10.0.0.1' }, ['input', 'domain']],
    [{ domain: `${'a.'.repeat(126)}toolong` }, ['input', 'domain']],
    [{ path: 'shop' }, ['input', 'path']],
    [{ path: '/a b' }, ['input', 'path']],
    [{ path: '/a?b' }, ['input', 'path']],
    [{ path: '/a%2' }, ['input', 'path']],
    ...[...`"'\`;{}$\\<>|^[]é`].map((sign): [object, string[]] => [{ path: `/a${sign}` }, ['input', 'path']]),
    ...[...`"'\`{}$\\é`].flatMap((sign): [object, string[]][] => [
      [{ domainHeader: `a=${sign}` }, ['input', 'domainHeader']],
      [{ domainCookie: `a${sign}=b` }, ['input', 'domainCookie']],
    ]),
    [{ weight: 0 }, ['input', 'weight']],
    [{ weight: 101 }, ['input', 'weight']],
    [{ domain: 'localhost' }, ['input', 'domain']],
    [{ domain: 'example' }, ['input', 'domain']],
    [{ domain: '*.example' }, ['input', 'domain']],
    [{ domain: '*.com' }, ['input', 'domain']],
    [{ domain: 'co.uk' }, ['input', 'domain']],
    [{ domain: '*.CO.UK' }, ['input', 'domain']],
    [{ domain: 'github.io' }, ['input', 'domain']],
    [{ domain: '*.github.io' }, ['input', 'domain']],
    [{ domain: '127.1' }, ['input', 'domain']],
    [{ domain: '0x7f.0.0.1' }, ['input', 'domain']],
    [{ domain: '*.0x7f000001' }, ['input', 'domain']],
    [{ domain: '2130706433' }, ['input', 'domain']],
    [{ domain: '*.10.0.0.1' }, ['input', 'domain']],
    [{ domain: '[::1]' }, ['input', 'domain']],
    [{ domain: '::1' }, ['input', 'domain']],
    [{ rewriteRules: [{ regex: 'a\nb', replacement: '' }] }, ['input', 'rewriteRules', '0', 'regex']],
    [{ rewriteRules: Array(101).fill({ regex: 'a', replacement: '' }) }, ['input', 'rewriteRules']],
    [{ domainCookie: 'novalue' }, ['input', 'domainCookie']],
    [{ domainHeader: 'a=1;b' }, ['input', 'domainHeader']],
    [{ extensions: ['nocolon'] }, ['input', 'extensions', '0']],
    [
      { configuration: { setHeaders: [{ key: 'a b', value: '' }] } },
      ['input', 'configuration', 'setHeaders', '0', 'key'],
    ],
    [
      { configuration: { setHeaders: [{ key: 'a', value: 'x\ny' }] } },
      ['input', 'configuration', 'setHeaders', '0', 'value'],
    ],
    [
      { configuration: { setHeaders: [], readTimeoutSeconds: 3601 } },
      ['input', 'configuration', 'readTimeoutSeconds'],
    ],
    [{ configuration: { setHeaders: [], bodySizeMB: -1 } }, ['input', 'configuration', 'bodySizeMB']],
    [{ configuration: { setHeaders: [], bufferCount: 1025 } }, ['input', 'configuration', 'bufferCount']],
  ])('refuses %j', async (wrong, path) => {
    const before = await trellis.counts();
    const result = await trellis.attempt('createHttpRule', {
      ...target(),
      domain: 'a.example',
      ...wrong,
    });
    expect(result.issues?.map((issue: any) => issue.path)).toContainEqual(path);
    expect(await trellis.counts()).toEqual(before);
  });
});

describe('createTcpRule', () => {
  it.each([
    '1.2.3.4',
    '1.2.3.256:80',
    '1.2.3.4:0',
    '1.2.3.4:65536',
    '::1:80',
    '[::g]:80',
    'host:80',
    '[1.2.3.4]:80',
    '',
    '127.0.0.1:6443',
    '[::1]:6443',
    '[::ffff:127.0.0.1]:6443',
    '[::7f00:1]:6443',
    '169.254.169.254:80',
    '[::ffff:a9fe:a9fe]:80',
    '[fe80::1]:80',
    '224.0.0.1:80',
    '[ff02::1]:80',
    '255.255.255.255:80',
    '0.1.2.3:80',
    '0.0.0.0:22',
    '[::]:29999',
    '[::ffff:0.0.0.0]:22',
  ])('refuses the endpoint %j', async (endpoint) => {
    const before = await trellis.counts();
    const result = await trellis.attempt('createTcpRule', { ...target(), endpoint });
    expect(result.issues?.map((issue: any) => issue.path)).toContainEqual(['input', 'endpoint']);
    expect(await trellis.counts()).toEqual(before);
  });
});
