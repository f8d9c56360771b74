import type { Grant } from '../access/grants.ts';

const download = (url: string) => `curl -sSo trellis ${url}/cli/trellis.mjs && chmod +x trellis`;

/** How a script uses a token. The secret is not in it: the pipeline stores it. */
export function tokenExample(grants: readonly Grant[] | null, url: string): string {
  const place = grants?.length === 1 ? grants[0]!.place : undefined;
  const deploys = grants?.[0]?.actions.some((each) => each.startsWith('DEPLOY_'));
  const command =
    deploys && place && place.kind !== 'team' ? `./trellis deploy ${quoted(nameOf(place))}` : './trellis ls';
  return [
    '# TRELLIS_TOKEN is the token, as a secret of the pipeline.',
    `export TRELLIS_URL=${url}`,
    download(url),
    command,
  ].join('\n');
}

/** Components are named with their application. */
const nameOf = ({ kind, name, where }: NonNullable<Grant['place']>) =>
  kind === 'component' && where ? `${where.split(' · ')[0]}/${name}` : name;

const quoted = (name: string) => (/^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

/** The request of a pipeline without a stored secret, as docs/identity.md has it. */
export const exchangeExample = (account: string, url: string) => `export TRELLIS_URL=${url}
SERVICE_ACCOUNT=${account}
TRELLIS_TOKEN=$(printf %s "$ID_TOKEN" |
  curl -sS --fail-with-body "$TRELLIS_URL/auth/token" \\
    --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\
    --data-urlencode subject_token_type=urn:ietf:params:oauth:token-type:id_token \\
    --data-urlencode audience="$SERVICE_ACCOUNT" \\
    --data-urlencode subject_token@- |
  jq -er .access_token)`;
