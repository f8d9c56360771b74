import { describe, expect, it } from 'vitest';
import { useSignIn } from '../../support/sign-in.ts';

describe('the identity provider', () => {
  const named = useSignIn({ openId: { name: 'Example' } });
  const unnamed = useSignIn();

  it('has the name of its setting, or else of its host', async () => {
    const nameIn = async ({ trellis }: ReturnType<typeof useSignIn>) =>
      ((await (await fetch(`${trellis.url}/auth/session`)).json()) as any).provider.name;
    expect(await nameIn(named)).toBe('Example');
    expect(await nameIn(unnamed)).toMatch(/^127\.0\.0\.1:\d+$/);
  });
});
