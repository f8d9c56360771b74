import { useState } from 'react';
import { useQuery } from 'urql';
import { dialogOf } from '../../act/dialog.tsx';
import type { DialogProps } from '../../act/dialog-frame.tsx';
import { wordsOf } from '../../act/words.ts';
import { TokenMakerQuery } from '../../documents/tokens.ts';
import type { Field, Values } from '../../form/values.ts';
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
    fields: (values) => [
      ...claimFields,
      ...grantFields(values, { preset: 'everything' }, text.tokens.everythingOf.account),
      { ...lifetimeField(from, end), value: end === null ? 'never' : 'inherit' },
    ],
    input: (values) => {
      const grants = chosenGrants(values, { preset: 'everything' });
      return {
        serviceAccount: { serviceAccountId: account.uid },
        issuer: String(values.issuer).trim(),
        audience: String(values.audience).trim(),
        claims: claimsIn(values),
        ...(grants && { grants: grantsInput(grants) }),
        ...lifetimeInput(values, from),
      };
    },
    summary: (values) =>
      chosenInWords(
        values,
        { preset: 'everything' },
        { title: words.pipelineMay, unlimited: text.grants.unlimited.account(role, team) },
      ),
    result: () => (
      <>
        <Notice tone="good">{words.exampleText}</Notice>
        <Example title={words.example} value={exchangeExample(account.uid, location.origin)} />
      </>
    ),
  });
}

const claimFields: readonly Field[] = [
  {
    name: 'issuer',
    label: labels.issuer,
    hint: hints.issuer,
    placeholder: 'https://ci.example',
    required: true,
  },
  {
    name: 'audience',
    label: labels.audience,
    hint: hints.audience,
    value: location.origin,
    required: true,
  },
  {
    name: 'claims',
    label: labels.claims,
    hint: hints.claims,
    kind: 'rows',
    add: labels.addClaim,
    value: [{ name: 'sub', pattern: '' }],
    fields: [
      { name: 'name', label: labels.claim, value: '', required: true },
      {
        name: 'pattern',
        label: labels.pattern,
        placeholder: 'repo:shop/web:ref:refs/heads/main',
        value: '',
        required: true,
      },
    ],
  },
];

const claimsIn = (values: Values) =>
  (Array.isArray(values.claims) ? (values.claims as readonly Values[]) : []).map(({ name, pattern }) => ({
    name: String(name).trim(),
    pattern: String(pattern).trim(),
  }));
