import { describe, expect, it } from 'vitest';
import { recordExpiring } from '../../../src/domain/certificate/expiry-operations.ts';
import { daysFromNow, issue } from '../../support/certificates.ts';
import { eventsOf } from '../../support/own-events.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const dayMs = 86_400_000;

/** A team with a certificate that ends in 60 days. */
async function scene() {
  const { teamId } = await trellis.createTeam();
  const { pem, key } = await issue({ names: ['shop.example'], until: daysFromNow(60) });
  const { certificate } = await trellis.succeed(
    'addCertificate',
    { team: { teamId }, chain: pem, key },
    'certificate { uid name expiresAt revision }',
  );
  return { teamId, certificate };
}

/** Looks as many days before the end of the certificate. */
const lookAt = (expiresAt: string, daysLeft: number) =>
  recordExpiring(trellis.services.db, new Date(Date.parse(expiresAt) - daysLeft * dayMs));

const daysTold = async (teamId: string) =>
  (await eventsOf(trellis, teamId, 'certificate.expiring')).map(({ changes }) => changes.days);

describe('a certificate that expires', () => {
  it('is recorded 30, 7 and 1 days before, each once', async () => {
    const { teamId, certificate } = await scene();
    for (const daysLeft of [50, 30.1, 30, 29, 8, 7, 6.9, 2, 0.9, 0.5, -1, -40]) {
      await lookAt(certificate.expiresAt, daysLeft);
      const expected = [30, 7, 1].filter((days) => daysLeft <= days);
      expect(await daysTold(teamId), String(daysLeft)).toEqual(expected);
    }
    const [first] = await eventsOf(trellis, teamId, 'certificate.expiring');
    expect(first).toMatchObject({
      tokenId: null,
      actor: null,
      objectUid: String(certificate.uid),
      changes: { name: certificate.name, expiresAt: certificate.expiresAt, days: 30 },
    });
    const { certificate: now } = await trellis.data(
      `{ certificate(by: { certificateId: ${certificate.uid} }) { revision } }`,
    );
    expect(now.revision).toBe(certificate.revision);
  });

  it('is recorded with the last of several times that have passed, and not after its end', async () => {
    const { teamId, certificate } = await scene();
    await lookAt(certificate.expiresAt, 5);
    expect(await daysTold(teamId)).toEqual([7]);
    const other = await scene();
    await lookAt(other.certificate.expiresAt, -0.1);
    expect(await daysTold(other.teamId)).toEqual([]);
  });

  it('is recorded once if several gateways look at the same time', async () => {
    const { teamId, certificate } = await scene();
    await Promise.all(Array.from({ length: 4 }, () => lookAt(certificate.expiresAt, 7)));
    expect(await daysTold(teamId)).toEqual([7]);
  });

  it('is recorded again after it was replaced', async () => {
    const { teamId, certificate } = await scene();
    await lookAt(certificate.expiresAt, 1);
    const { pem, key } = await issue({ names: ['shop.example'], until: daysFromNow(90) });
    const replaced = await trellis.succeed(
      'replaceCertificate',
      { certificate: { certificateId: certificate.uid }, chain: pem, key },
      'certificate { expiresAt }',
    );
    const { expiresAt } = replaced.certificate;
    await lookAt(expiresAt, 31);
    expect(await daysTold(teamId)).toEqual([1]);
    await lookAt(expiresAt, 30);
    expect(await daysTold(teamId)).toEqual([1, 30]);
    // Its replacement does not show what was told before.
    const [change] = await eventsOf(trellis, teamId, 'certificate.replace');
    expect(Object.keys(change!.changes)).not.toContain('toldDays');
  });
});
