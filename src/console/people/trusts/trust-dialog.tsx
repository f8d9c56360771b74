import { useState } from 'react';
import { useQuery } from 'urql';
import { dialogOf } from '../../act/dialog.tsx';
import type { DialogProps } from '../../act/dialog-frame.tsx';
import { wordsOf } from '../../act/words.ts';
import { TokenMakerQuery } from '../../documents/tokens.ts';
import { Notice } from '../../ui/blocks.tsx';
import { Example } from '../../ui/example.tsx';
import { chosenGrants, chosenInWords, grantFields } from '../access/grant-fields.tsx';
import { grantsInput } from '../access/grants.ts';
import { text } from '../strings.ts';
import { exchangeExample } from '../tokens/examples.ts';
import { lifetimeField, lifetimeInput } from '../tokens/lifetime.ts';
import type { Account } from './account.ts';

const words = text.automation;
const { trustFields: labels, trustHints: hints } = words;
const begin = { preset: 'everything' } as const;

/** Lets a pipeline exchange its ID tokens for tokens of a service account. */
export function TrustDialog({
  account,
  role,
  team,
  draft,
  close,
}: DialogProps<{ account: Account; role: string; team: string }>) {
  const [from] = useState(Date.now);
  const [{ data }] = useQuery({ query: TokenMakerQuery });
  const end = data?.viewer.accessToken?.expiresAt ?? null;
  return dialogOf(close, {
    draft,
    ...wordsOf(words, 'trust', account.name),
    mutation: 'addTrust',
    form: (values) => ({
      ...claimsForm,
      first: [
        'issuer',
        'audience',
        'claims',
        ...grantFields(values, begin, text.tokens.everythingOf.account),
        { ...lifetimeField(from, end), value: end === null ? 'never' : 'inherit' },
      ],
      also: (entered) => ({ ...grantsInput(chosenGrants(entered, begin)), ...lifetimeInput(entered, from) }),
    }),
    target: { serviceAccount: { serviceAccountId: account.uid } },
    summary: (values) =>
      chosenInWords(values, begin, {
        title: words.pipelineMay,
        unlimited: text.grants.unlimited.account(role, team),
      }),
    result: () => (
      <>
        <Notice tone="good">{words.exampleText}</Notice>
        <Example title={words.example} value={exchangeExample(account.uid, location.origin)} />
      </>
    ),
  });
}

const claimsForm = {
  labels,
  hints,
  fields: {
    issuer: { placeholder: 'https://ci.example' },
    audience: { value: location.origin },
    claims: { add: labels.addClaim, value: [{ name: 'sub', pattern: '' }] },
    'claims.name': { label: labels.claim },
    'claims.pattern': { label: labels.pattern, placeholder: 'repo:shop/web:ref:refs/heads/main' },
  },
};
