import { describe, expect, it } from 'vitest';
import { deleteEndedTokens } from '../../../src/domain/access-token/retention-operations.ts';
import type { Person } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

// However slow the machine, no request of a hundred mutations is stopped.
const trellis = useTrellis({ limits: { requestTimeoutMs: 3_600_000 } });

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const inADay = () => new Date(Date.now() + 86_400_000).toISOString();
const selection = 'secret accessToken { expiresAt isReadOnly }';

const create = (input: object, token?: string) =>
  trellis.attempt('createAccessToken', { name: 'test', ...input }, selection, token);

/** A token of the administrator that expires in an hour. */
async function expiring(): Promise<{ secret: string; end: string }> {
  const end = inAnHour();
  const { secret } = await trellis.succeed('createAccessToken', { name: 'short', expiresAt: end }, selection);
  return { secret, end };
}

describe('createAccessToken with a token that expires', () => {
  it('creates tokens with the same expiry by default', async () => {
    const { secret, end } = await expiring();
    const made = await create({}, secret);
    expect(made.accessToken.expiresAt).toBe(end);
    // Nor does a chain of tokens get any further.
    expect((await create({}, made.secret)).accessToken.expiresAt).toBe(end);
  });

  it.each([
    ['one that expires later', inADay()],
    ['one without an end', null],
  ])('does not create %s', async (_, expiresAt) => {
    const { secret } = await expiring();
    const before = await trellis.counts();
    const refused = await create({ expiresAt }, secret);
    expect(refused.code).toBe('INVALID_INPUT');
    expect(refused.issues).toMatchObject([{ path: ['input', 'expiresAt'] }]);
    expect(await trellis.counts()).toEqual(before);
  });

  it('creates a token that expires earlier', async () => {
    const { secret } = await expiring();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    expect((await create({ expiresAt }, secret)).accessToken.expiresAt).toBe(expiresAt);
  });

  it('limits the expiry when an administrator creates a token for another user', async () => {
    const { secret, end } = await expiring();
    const user = { userId: (await trellis.createPerson()).userId };
    expect((await create({ user, expiresAt: null }, secret)).code).toBe('INVALID_INPUT');
    expect((await create({ user }, secret)).accessToken.expiresAt).toBe(end);
  });
});

describe('createAccessToken with a token that never expires', () => {
  it('creates tokens of any duration', async () => {
    const expiresAt = inADay();
    expect((await create({})).accessToken.expiresAt).toBeNull();
    expect((await create({ expiresAt: null })).accessToken.expiresAt).toBeNull();
    expect((await create({ expiresAt })).accessToken.expiresAt).toBe(expiresAt);
  });
});

describe('createAccessToken with a read-only token', () => {
  it('creates no token', async () => {
    const { secret } = await create({ isReadOnly: true });
    expect((await create({ isReadOnly: true }, secret)).code).toBe('FORBIDDEN');
  });
});

describe('the limit of 100 access tokens per user', () => {
  const limit = 100;
  const activeOf = ({ userId }: Person) =>
    trellis.services.db.transaction((tx) => tx.accessToken.count({ where: { userId, revokedAt: null } }));
  const union = 'CreateAccessTokenResult';
  const aliases = (count: number) =>
    `mutation { ${Array.from({ length: count }, (_, at) => `a${at}: createAccessToken(input: {name: "a"}) { ...R }`).join(' ')} }
     fragment R on ${union} { ... on CreateAccessTokenPayload { accessToken { tokenId: uid } } ... on Error { code } }`;

  it('applies to tokens created in one request', async () => {
    const person = await trellis.createPerson();
    const data = await trellis.data(aliases(limit + 10), {}, person.token);
    const made = Object.values<any>(data);
    expect(made.filter((each) => each.accessToken)).toHaveLength(limit - 1);
    expect(made.filter((each) => each.code === 'CONFLICT')).toHaveLength(11);
    expect(await activeOf(person)).toBe(limit);
  });

  it('applies to tokens created by parallel requests', async () => {
    const person = await trellis.createPerson();
    await trellis.data(aliases(95), {}, person.token);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2 === 0
          ? create({}, person.token)
          : create({ user: { userId: person.userId } }, trellis.adminToken),
      ),
    );
    expect(results.filter((each) => each.secret)).toHaveLength(4);
    expect(results.filter((each) => each.code === 'CONFLICT')).toHaveLength(16);
    expect(await activeOf(person)).toBe(limit);
  });

  it('does not count revoked and expired tokens', async () => {
    const person = await trellis.createPerson();
    await trellis.data(aliases(99), {}, person.token);
    expect((await create({}, person.token)).code).toBe('CONFLICT');
    const { accessTokens } = (
      await trellis.data('{ viewer { accessTokens(last: 2) { nodes { tokenId: uid } } } }', {}, person.token)
    ).viewer;
    const [first, second] = accessTokens.nodes;
    await trellis.succeed(
      'revokeAccessToken',
      { token: first },
      'accessToken { tokenId: uid }',
      person.token,
    );
    expect((await create({}, person.token)).secret).toBeTruthy();
    expect((await create({}, person.token)).code).toBe('CONFLICT');
    await trellis.services.db.transaction((tx) =>
      tx.accessToken.update({ where: { id: second.tokenId }, data: { expiresAt: new Date() } }),
    );
    expect((await create({}, person.token)).secret).toBeTruthy();
  });
});

describe('tokens that expired or were revoked', () => {
  it('are deleted 90 days later, and the events of them stay', async () => {
    const person = await trellis.createPerson();
    const day = 86_400_000;
    const ended = async (column: 'expiresAt' | 'revokedAt', daysAgo: number) => {
      const { accessToken } = await trellis.succeed(
        'createAccessToken',
        { name: `${column} ${daysAgo}` },
        'accessToken { uid }',
        person.token,
      );
      const at = new Date(Date.now() - daysAgo * day);
      await trellis.services.db.transaction((tx) =>
        tx.accessToken.update({ where: { id: accessToken.uid }, data: { [column]: at } }),
      );
    };
    for (const daysAgo of [91, 89]) {
      await ended('expiresAt', daysAgo);
      await ended('revokedAt', daysAgo);
    }
    const names = async () => {
      const { viewer } = await trellis.data(
        '{ viewer { accessTokens { nodes { name } } } }',
        {},
        person.token,
      );
      return viewer.accessTokens.nodes.map(({ name }: { name: string }) => name).sort();
    };
    const all = await names();
    const { events } = await trellis.data('{ events { totalCount } }');
    await deleteEndedTokens(trellis.services.db, new Date(Date.now() - 90 * day));
    expect(await names()).toEqual(all.filter((name: string) => !name.endsWith('91')));
    expect(all).toHaveLength((await names()).length + 2);
    expect((await trellis.data('{ events { totalCount } }')).events).toEqual(events);
  });

  /** 1,100 tokens that ended one after the other. The first two ended last. */
  const endedRows = (owner: { userId: number } | { serviceAccountId: string }) => {
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const prefix = Object.values(owner)[0];
    return Array.from({ length: 1_100 }, (_, index) => {
      const end = at(index < 2 ? 2_000 : index + 1);
      const ended = index % 2 === 0 ? { revokedAt: end } : { expiresAt: end };
      const id = `${prefix}-${index}`;
      return {
        ...owner,
        id,
        name: 'old',
        hash: id,
        createdAt: at(index),
        revokedAt: null,
        expiresAt: null,
        ...ended,
      };
    });
  };

  const owners = {
    'a user': async () => {
      const { userId } = await trellis.createPerson();
      return { row: { userId }, input: { user: { userId } } };
    },
    'a service account': async () => {
      const { teamId } = await trellis.createTeam();
      const { serviceAccount } = await trellis.succeed(
        'createServiceAccount',
        { team: { teamId }, name: 'robot', role: 'VIEWER' },
        'serviceAccount { serviceAccountId: uid }',
      );
      return { row: serviceAccount as { serviceAccountId: string }, input: { serviceAccount } };
    },
  };

  it.each(Object.entries(owners))('are the last thousand of %s', async (_, createOwner) => {
    const [{ row, input }, other] = [await createOwner(), await createOwner()];
    await trellis.services.db.transaction((tx) =>
      tx.accessToken.createMany({ data: [...endedRows(row), ...endedRows(other.row)] }),
    );
    const { events } = await trellis.data('{ events { totalCount } }');
    await trellis.succeed('createAccessToken', { name: 'new', ...input }, '__typename');
    const endedOf = (where: typeof row) =>
      trellis.services.db.transaction(async (tx) =>
        (await tx.accessToken.findMany({ where: { ...where, name: 'old' } })).map(({ id }) => id),
      );
    const at = (index: number) => `${Object.values(row)[0]}-${index}`;
    const kept = new Set(await endedOf(row));
    expect(kept.size).toBe(1_000);
    for (const index of [0, 1, 102, 1_099]) expect(kept).toContain(at(index));
    for (const index of [2, 101]) expect(kept).not.toContain(at(index));
    expect(await endedOf(other.row)).toHaveLength(1_100);
    expect((await trellis.data('{ events { totalCount } }')).events.totalCount).toBe(events.totalCount + 1);
  });
});

describe('the limit of 1,000 new access tokens in an hour', () => {
  it('applies to each user, and counts revoked tokens', async () => {
    const [person, other] = [await trellis.createPerson(), await trellis.createPerson()];
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const rowOf = (index: number, createdAt: Date) => ({
      ...{ id: `${person.userId}-${index}`, userId: person.userId, name: 'old', hash: `${index}` },
      ...{ createdAt, revokedAt: minutesAgo(1) },
    });
    const rows = [
      ...Array.from({ length: 998 }, (_, index) => rowOf(index, minutesAgo(50))),
      rowOf(998, minutesAgo(70)),
    ];
    await trellis.services.db.transaction((tx) => tx.accessToken.createMany({ data: rows }));
    // That of the test is a new one as well.
    await trellis.succeed('createAccessToken', { name: 'thousandth' }, '__typename', person.token);
    expect(await create({}, person.token)).toMatchObject({
      code: 'CONFLICT',
      message: 'The user got 1000 access tokens in the last hour, and the limit is 1000. Try again later.',
    });
    await trellis.succeed('createAccessToken', { name: 'other' }, '__typename', other.token);
  });
});
