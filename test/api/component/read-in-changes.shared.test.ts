import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, refsOf } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const limitMiB = 8;
const parts = 10;
const trellis = useTrellis({ limits: { answersBytes: limitMiB * 2 ** 20, deployBytes: 16 * 2 ** 20 } });
let place: Place;
let application: { appId: number; name: string };
let names: string[];
beforeAll(async () => {
  place = await trellis.createPlace();
  application = await trellis.createApplication(place);
  names = Array.from({ length: parts }, (_, index) => `part-${index}`);
  for (const name of names) await trellis.createComponent(application.appId, { name });
  await trellis.succeed('deployApplication', { application: { appId: application.appId } }, '__typename');
  const fileContent = 'x'.repeat(900_000);
  await trellis.services.db.transaction(async (tx) => {
    await tx.release.updateMany({ data: { sealedSpec: `v1.${fileContent}` } });
    for (const { id } of await tx.component.findMany({ select: { id: true } })) {
      const volume = { componentId: id, name: 'large', path: '/large', type: 'config-file', fileContent };
      await tx.volume.create({ data: volume });
    }
  });
});

const rows = async () => {
  const { db } = trellis.services;
  const [[row], jobs] = await Promise.all([
    db.query('SELECT count(*), max(id) FROM event', []),
    db.query('SELECT count(*) FROM job', []),
  ]);
  return [...row!, ...jobs[0]!].map(Number);
};

const of = { application: 'ApplicationRef!' };
const requests: Record<string, { document: string; variables: () => object }> = {
  'a deploy': {
    document: `mutation ($application: ${of.application}) { deployApplication(input: { application: $application }) { __typename } }`,
    variables: () => ({ application: { appId: application.appId } }),
  },
  'the dry run of a rollback': {
    document: `mutation ($application: ${of.application}, $at: DateTime!) { rollbackApplication(input: { application: $application, at: $at, dryRun: true }) { __typename } }`,
    variables: () => ({ application: { appId: application.appId }, at: new Date().toISOString() }),
  },
  'a plan that writes a file in each component': {
    document:
      'query ($team: TeamRef!, $region: RegionRef!, $document: String!) { planManifest(team: $team, region: $region, document: $document) { digest } }',
    variables: () => ({
      ...refsOf(place),
      document: JSON.stringify({
        application: application.name,
        components: Object.fromEntries(
          names.map((name) => [
            name,
            { image: 'nginx:1.29', volumes: { a: { path: '/a', type: 'config-file', fileContent: 'a' } } },
          ]),
        ),
      }),
    }),
  },
};

describe('what is read inside a transaction', () => {
  it.each(Object.keys(requests))('counts for the memory of its request: %s', async (name) => {
    const { document, variables } = requests[name]!;
    const before = await rows();
    trellis.statements.length = 0;
    const { errors } = await trellis.graphql(document, variables());
    expect(errors?.[0]).toMatchObject({
      message: `The request exceeds the limit of ${limitMiB} MiB of memory for one request.`,
      extensions: { code: 'LIMIT_EXCEEDED' },
    });
    // Its size was asked for, and no text was read.
    const reads = trellis.statements.filter((text) => /"(file_content|sealed_spec)"/.test(text));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter((text) => !text.includes('octet_length'))).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  it('is the sizes alone in the dry run of a deploy, whatever there is', async () => {
    const before = await rows();
    trellis.statements.length = 0;
    const { data } = await trellis.graphql(
      `mutation ($application: ${of.application}) { deployApplication(input: { application: $application, dryRun: true }) { __typename } }`,
      { application: { appId: application.appId } },
    );
    expect(data.deployApplication.__typename).toBe('DeployApplicationPayload');
    const reads = trellis.statements.filter((text) => text.includes('"file_content"'));
    expect(reads.filter((text) => !text.includes('octet_length'))).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  it('is given back when the request has ended, so that small ones go on', async () => {
    const { errors, data } = await trellis.graphql(
      'query ($by: ApplicationRef!) { application(by: $by) { name } }',
      { by: { appId: application.appId } },
    );
    expect(errors).toBeUndefined();
    expect(data.application.name).toBe(application.name);
  });

  it('is refused by publishApplication before it is read, because no template can hold it', async () => {
    trellis.statements.length = 0;
    const { data } = await trellis.graphql(
      `mutation ($input: PublishApplicationInput!) {
        publishApplication(input: $input) { __typename ... on InvalidInputError { issues { message } } }
      }`,
      { input: { application: { appId: application.appId }, version: '1.0.0' } },
    );
    expect(data.publishApplication).toEqual({
      __typename: 'InvalidInputError',
      issues: [{ message: 'Is too large for a template' }],
    });
    expect(trellis.statements.filter((text) => text.includes('t."file_content"'))).toEqual([]);
  });
});
