import { describe, expect, it } from 'vitest';
import { exchangeGrant, idToken, sendForm } from '../../support/token-issuer.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

describe('POST /auth/token', () => {
  it('reads many parameters in no time', async () => {
    const form = new URLSearchParams({
      grant_type: exchangeGrant,
      subject_token: 'x',
      subject_token_type: idToken,
    });
    const begun = performance.now();
    const { status } = await sendForm(trellis, `${form}${'&a=b'.repeat(15_000)}`);
    expect(status).toBe(400);
    // Milliseconds, unless the time grows with the square of the number.
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
