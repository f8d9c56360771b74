import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/db/open.ts';
import { createAcceptedTokens } from '../../../src/domain/access-token/accepted-reads.ts';
import { httpLimits } from '../../../src/http/http-limits.ts';
import { once } from '../../support/once.ts';
import { type Answer, send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

const lifeMs = 800;
const trellis = useTrellis({ http: { acceptedTokenMs: lifeMs } });

// The tests own both clocks: that of caches, and that by which tokens expire.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

const timeout = 60_000;

const ask = (token: string, query = '{ __typename }', variables?: object): Promise<Answer> =>
  send(trellis, { body: JSON.stringify({ query, variables }), token });

/** A token, and its row. */
async function issue(options: object = {}): Promise<{ secret: string; tokenId: string }> {
  const selection = 'secret accessToken { tokenId: uid }';
  const made = await trellis.succeed('createAccessToken', { name: 'test', ...options }, selection);
  return { secret: made.secret, tokenId: made.accessToken.tokenId };
}

const revoke = (tokenId: string) =>
  trellis.succeed('revokeAccessToken', { token: { tokenId } }, 'accessToken { revokedAt }');

/** As another process would: this one is not told of it. */
const behindItsBack = (tokenId: string, data: object) =>
  trellis.services.db.transaction((tx) => tx.accessToken.update({ where: { id: tokenId }, data }));

async function seesTeam(token: string, teamId: string): Promise<boolean> {
  const query = 'query($by: TeamRef!) { team(by: $by) { name } }';
  const { body } = await ask(token, query, { by: { teamId } });
  return body.data.team !== null;
}

/** How many statements a request has. */
async function statementsOf(token: string): Promise<number> {
  trellis.statements.length = 0;
  await ask(token);
  return trellis.statements.length;
}

describe('an accepted token', () => {
  it('is looked up again after five seconds by default', () => {
    expect(httpLimits.acceptedTokenMs).toBe(5_000);
  });

  it('is used again without a statement', { timeout }, async () => {
    const { secret } = await issue();
    expect(await statementsOf(secret)).toBeGreaterThan(0);
    // Its first use is recorded after the answer.
    await expect.poll(() => statementsOf(secret)).toBe(0);
    vi.advanceTimersByTime(lifeMs);
    expect(await statementsOf(secret)).toBeGreaterThan(0);
  });

  it('is rejected as soon as anyone revokes it', { timeout }, async () => {
    const [first, second] = [await issue(), await issue()];
    for (const { secret } of [first, second, first]) expect((await ask(secret)).status).toBe(200);
    await revoke(first.tokenId);
    expect((await ask(first.secret)).status).toBe(401);
    const query = 'mutation($t: AccessTokenRef!) { revokeAccessToken(input: { token: $t }) { __typename } }';
    expect((await ask(second.secret, query, { t: { tokenId: second.tokenId } })).status).toBe(200);
    expect((await ask(second.secret)).status).toBe(401);
  });

  it('reflects membership changes immediately', { timeout }, async () => {
    const { teamId } = await trellis.createTeam();
    const { token, userId } = await trellis.createPerson();
    const member = { team: { teamId }, user: { userId } };
    for (let times = 0; times < 3; times++) {
      expect(await seesTeam(token, teamId)).toBe(false);
      await trellis.succeed('addTeamMember', { ...member, role: 'VIEWER' }, 'member { role }');
      expect(await seesTeam(token, teamId)).toBe(true);
      await trellis.succeed('removeTeamMember', member, 'member { role }');
    }
    expect(await seesTeam(token, teamId)).toBe(false);
  });

  it('reflects membership changes immediately while other requests are running', { timeout }, async () => {
    const { teamId } = await trellis.createTeam();
    for (let times = 0; times < 5; times++) {
      const { token, userId } = await trellis.createMember(teamId, 'VIEWER');
      let isRemoved = false;
      const asking = Array.from({ length: 8 }, () => {
        const first = seesTeam(token, teamId);
        const all = first.then(async () => {
          while (!isRemoved) await seesTeam(token, teamId);
        });
        return { first, all };
      });
      await Promise.all(asking.map(({ first }) => first));
      await trellis
        .succeed('removeTeamMember', { team: { teamId }, user: { userId } }, 'member { role }')
        .finally(() => {
          isRemoved = true;
        });
      expect(await seesTeam(token, teamId)).toBe(false);
      await Promise.all(asking.map(({ all }) => all));
      expect(await seesTeam(token, teamId)).toBe(false);
    }
  });

  it('is rejected once it expires', { timeout }, async () => {
    const expiresAt = new Date(Date.now() + 2_000);
    const { secret } = await issue({ expiresAt });
    expect((await ask(secret)).status).toBe(200);
    // It is in the cache, and the time is less than the life of what is cached.
    vi.advanceTimersByTime(lifeMs - 1);
    expect((await ask(secret)).status).toBe(200);
    vi.setSystemTime(expiresAt.getTime() - 1);
    expect((await ask(secret)).status).toBe(200);
    vi.setSystemTime(expiresAt.getTime() + 1);
    expect((await ask(secret)).status).toBe(401);
  });

  it('is rejected within seconds when another process revokes it', { timeout }, async () => {
    const { secret, tokenId } = await issue();
    expect((await ask(secret)).status).toBe(200);
    await behindItsBack(tokenId, { revokedAt: new Date() });
    vi.advanceTimersByTime(lifeMs);
    expect((await ask(secret)).status).toBe(401);
  });

  it('is rejected within seconds then, even if the clock is set back', { timeout }, async () => {
    const { secret, tokenId } = await issue();
    expect((await ask(secret)).status).toBe(200);
    await behindItsBack(tokenId, { revokedAt: new Date() });
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(lifeMs);
    expect((await ask(secret)).status).toBe(401);
  });

  it('loses access within seconds when another process removes its user', { timeout }, async () => {
    const { teamId } = await trellis.createTeam();
    const { token, userId } = await trellis.createMember(teamId, 'VIEWER');
    expect(await seesTeam(token, teamId)).toBe(true);
    await trellis.services.db.transaction((tx) => tx.membership.deleteMany({ where: { userId } }));
    vi.advanceTimersByTime(lifeMs);
    expect(await seesTeam(token, teamId)).toBe(false);
  });
});

describe('a rejected token', () => {
  it('is looked up on every request', { timeout }, async () => {
    for (let times = 0; times < 4; times++) {
      trellis.statements.length = 0;
      expect((await ask('trl_nobody')).status).toBe(401);
      expect(trellis.statements.filter((each) => each.includes('"hash"'))).toHaveLength(1);
    }
  });

  it('is accepted as soon as it becomes valid', { timeout }, async () => {
    const { secret, tokenId } = await issue();
    await behindItsBack(tokenId, { revokedAt: new Date() });
    for (let times = 0; times < 3; times++) expect((await ask(secret)).status).toBe(401);
    await behindItsBack(tokenId, { revokedAt: null });
    expect((await ask(secret)).status).toBe(200);
  });
});

describe('a token lookup', () => {
  /** The database, in which every read passes a gate behind which it has its rows. */
  const gated = (gate: () => Promise<void>): Database => {
    const { db } = trellis.services;
    const query: Database['query'] = async (text, params) => {
      const rows = await db.query(text, params);
      await gate();
      return rows;
    };
    return Object.assign(Object.create(db), { query });
  };

  it('is not cached when it began before a change', { timeout }, async () => {
    const { secret, tokenId } = await issue();
    let open = () => {};
    let read = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const hasRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const accepted = createAcceptedTokens(
      gated(() => {
        read();
        return gate;
      }),
      httpLimits.acceptedTokenMs,
    );
    const [before, beside] = [accepted(secret), accepted(secret)];
    await hasRead;
    await revoke(tokenId);
    open();
    // They asked while it was still good, and were told so with one lookup.
    expect((await before)?.row.id).toBe(tokenId);
    expect((await beside)?.row.id).toBe(tokenId);
    expect(await accepted(secret)).toBeUndefined();
  });

  it('is not cached when it fails', { timeout }, async () => {
    const { secret, tokenId } = await issue();
    let isDown = true;
    const accepted = createAcceptedTokens(
      gated(async () => {
        if (isDown) throw new Error('down');
      }),
      httpLimits.acceptedTokenMs,
    );
    await expect(Promise.all([accepted(secret), accepted(secret)])).rejects.toThrow('down');
    isDown = false;
    expect((await accepted(secret))?.row.id).toBe(tokenId);
    isDown = true;
    // This one is kept.
    expect((await accepted(secret))?.row.id).toBe(tokenId);
  });

  once('does not evict a valid token when many unknown tokens are tried', { timeout }, async () => {
    const { secret } = await issue();
    let reads = 0;
    const accepted = createAcceptedTokens(
      gated(async () => {
        reads++;
      }),
      httpLimits.acceptedTokenMs,
    );
    await accepted(secret);
    await Promise.all(Array.from({ length: 500 }, (_, each) => accepted(`trl_unknown_${each}`)));
    reads = 0;
    await accepted(secret);
    expect(reads).toBe(0);
  });
});
