import { issue } from './certificates.ts';
import type { Scene } from './rest-examples.ts';
import { ringTemplate } from './templates.ts';
import type { Trellis } from './trellis.ts';

/** All that examples are about; Trellis is its own store. The reader's token may change nothing. */
export async function createScene(trellis: Trellis): Promise<Scene & { reader: string }> {
  const all = await trellis.createAll();
  const team = { teamId: all.team.teamId };
  const issued = await issue({ names: ['bad-input.example'] });
  const { certificate } = await trellis.succeed(
    'addCertificate',
    { team, name: 'one', chain: issued.pem, key: issued.key },
    'certificate { uid }',
  );
  const { key } = ringTemplate(1);
  for (const version of ['1.0.0', '2.0.0']) {
    const { text } = ringTemplate(2, { key, version });
    await trellis.succeed('publishTemplate', { template: text }, 'template { uid }');
  }
  await trellis.succeed(
    'installApplication',
    {
      application: { appId: all.application.appId },
      store: { url: trellis.url, domain: 'self', accessKey: trellis.adminToken },
      templateId: key,
      version: '1.0.0',
    },
    'group { uid }',
  );
  const { secret } = await trellis.succeed(
    'createAccessToken',
    { name: 'reader', isReadOnly: true },
    'secret',
  );
  const { viewer } = await trellis.data('{ viewer { enterprise { uid } } }');
  return {
    ...all,
    enterpriseId: viewer.enterprise.uid,
    certificateId: certificate.uid,
    endPoint: '10.0.0.1:7777',
    store: { url: trellis.url, accessKey: trellis.adminToken, templateId: key, version: '2.0.0' },
    installed: { storeName: 'self', templateId: key, nextVersion: '2.0.0' },
    reader: secret,
  };
}
