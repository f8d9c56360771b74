import '../../styles/people.css';
import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import { useAct } from '../../act/act.ts';
import { dialogOf } from '../../act/dialog.tsx';
import { LoadingDialog } from '../../act/dialog-frame.tsx';
import type { ResultOf } from '../../api/graphql.ts';
import { TokenMakerQuery, TokenOwnersQuery } from '../../documents/tokens.ts';
import type { Failure } from '../../form/failure.ts';
import type { Field, Values } from '../../form/values.ts';
import { type Begin, chosenGrants, chosenInWords, grantFields } from '../access/grant-fields.tsx';
import { grantsInput } from '../access/grants.ts';
import { text } from '../strings.ts';
import { tokenExample } from './examples.ts';
import { lifetimeField, lifetimeInput } from './lifetime.ts';
import { TokenResult } from './token-result.tsx';

const { fields: labels, hints } = text.tokens;

/** Whose token it is. With a team, the caller or one of its service accounts, as the caller chooses. */
export type TokenOwner =
  | { kind: 'me' }
  | { kind: 'user'; uid: number; name: string }
  | { kind: 'account'; uid: string; name: string; role: string; team: string }
  | { kind: 'choice'; team: string; name: string };

interface Props {
  owner: TokenOwner;
  begin?: Begin;
  draft: string;
  close(): void;
}
type Maker = ResultOf<typeof TokenMakerQuery>['viewer'];
type Accounts = NonNullable<ResultOf<typeof TokenOwnersQuery>['team']>;

/** Makes an access token, and shows its secret once. */
export function TokenDialog(props: Props) {
  const { owner, close } = props;
  const [{ data }] = useQuery({ query: TokenMakerQuery });
  const teamId = owner.kind === 'choice' ? owner.team : '';
  const [{ data: found, fetching }] = useQuery({
    query: TokenOwnersQuery,
    variables: { by: { id: teamId } },
    pause: teamId === '',
  });
  if (!data || (teamId !== '' && fetching && !found)) {
    return <LoadingDialog title={titleOf(owner)} close={close} />;
  }
  return <Form {...props} maker={data.viewer} accounts={found?.team ?? undefined} />;
}

const titleOf = (owner: TokenOwner) =>
  owner.kind === 'me'
    ? text.tokens.titles.own
    : owner.kind === 'choice'
      ? text.tokens.titles.pipeline(owner.name)
      : text.tokens.titles.other(owner.name);

/** The value of the owner field for the caller, and for an account that does not exist yet. */
const me = 'me';
const newAccount = 'new';

function Form({ owner, begin = {}, draft, close, maker, accounts }: FormProps) {
  const [from] = useState(Date.now);
  const createAccount = useAct('createServiceAccount');
  // An account that was made stays when the token could not be.
  const made = useRef<{ name: string; uid: string }>(undefined);
  const sent = useRef<Values>({});
  const name = owner.kind === 'choice' ? text.tokens.pipelineName(owner.name) : '';
  const owners = accounts?.mayManage ? accounts.serviceAccounts.nodes : undefined;
  const everything = owner.kind === 'me' ? text.tokens.presets.everything : everythingOf(owner);

  async function prepare(values: Values): Promise<Failure | undefined> {
    const wanted = String(values.account ?? '').trim();
    if (values.owner !== newAccount || made.current?.name === wanted) return undefined;
    const outcome = await createAccount({
      team: { id: owner.kind === 'choice' ? owner.team : '' },
      name: wanted,
      role: 'DEVELOPER',
    });
    if (outcome.failure) {
      const issues = outcome.failure.issues.map((issue) => ({ ...issue, path: ['account'] }));
      return { ...outcome.failure, issues };
    }
    const { serviceAccount } = outcome.payload as { serviceAccount: { uid: string } };
    made.current = { name: wanted, uid: serviceAccount.uid };
    return undefined;
  }

  return dialogOf(close, {
    draft,
    label: text.tokens.create,
    title: titleOf(owner),
    mutation: 'createAccessToken',
    form: (values) => ({
      first: [
        'name',
        ...(owner.kind === 'choice' && owners ? ownerFields(values, maker, owners, name) : []),
        ...grantFields(values, begin, everything),
        lifetimeField(from, maker.accessToken?.expiresAt ?? null),
      ],
      fields: { name: { label: labels.name, hint: hints.name, value: name } },
      also(entered) {
        sent.current = entered;
        return {
          ...ownerInput(owner, entered, made.current?.uid),
          ...grantsInput(chosenGrants(entered, begin)),
          ...lifetimeInput(entered, from),
        };
      },
    }),
    target: {},
    prepare,
    summary: (values) =>
      chosenInWords(values, begin, {
        title: text.tokens.summary,
        unlimited: unlimitedOf(owner, values),
      }),
    result: (payload) => (
      <TokenResult
        secret={(payload as { secret: string }).secret}
        example={tokenExample(chosenGrants(sent.current, begin) ?? null, location.origin)}
      />
    ),
  });
}
interface FormProps extends Props {
  maker: Maker;
  accounts: Accounts | undefined;
}

function ownerFields(
  values: Values,
  maker: Maker,
  accounts: Accounts['serviceAccounts']['nodes'],
  name: string,
): Field[] {
  // A viewer could not do what pipelines do.
  const [first] = accounts.filter(({ role }) => role !== 'VIEWER');
  const owner: Field = {
    name: 'owner',
    label: labels.owner,
    hint: hints.owner,
    kind: 'select',
    value: first?.uid ?? newAccount,
    options: [
      ...accounts.map((each) => ({ value: each.uid, text: text.tokens.serviceAccount(each.name) })),
      { value: newAccount, text: text.tokens.newAccount },
      ...(maker.user ? [{ value: me, text: text.tokens.me(maker.user.nickName || maker.user.email) }] : []),
    ],
  };
  if ((values.owner ?? owner.value) !== newAccount) return [owner];
  return [
    owner,
    { name: 'account', label: labels.account, hint: hints.account, value: accountName(name), required: true },
  ];
}

/** `Pipeline of web` as the name of an account. */
const accountName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

function ownerInput(owner: TokenOwner, values: Values, made: string | undefined) {
  if (owner.kind === 'user') return { user: { userId: owner.uid } };
  if (owner.kind === 'account') return { serviceAccount: { serviceAccountId: owner.uid } };
  const chosen = values.owner ?? me;
  if (owner.kind === 'me' || chosen === me) return {};
  return { serviceAccount: { serviceAccountId: chosen === newAccount ? (made ?? '') : String(chosen) } };
}

const everythingOf = ({ kind }: TokenOwner) =>
  kind === 'user' ? text.tokens.everythingOf.other : text.tokens.everythingOf.account;

function unlimitedOf(owner: TokenOwner, values: Values): string {
  const { unlimited } = text.grants;
  if (owner.kind === 'user') return unlimited.user(owner.name);
  if (owner.kind === 'account') return unlimited.account(owner.role, owner.team);
  return owner.kind === 'me' || (values.owner ?? me) === me ? unlimited.own : unlimited.any;
}
