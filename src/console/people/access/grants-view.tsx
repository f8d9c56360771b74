import { text } from '../strings.ts';
import { type Action, inWords, isEverything } from './actions.ts';
import { type Grant, type GrantScope, presetOf } from './grants.ts';

const words = text.grants;

/** The grants of a token, or a pipeline, in words. `unlimited` is the text for one without grants. */
export function Grants({
  grants,
  isReadOnly,
  unlimited,
}: {
  grants: readonly Grant[] | null;
  isReadOnly?: boolean;
  unlimited: string;
}) {
  return (
    <ul className="grants">
      {grants === null ? (
        <li>{unlimited}</li>
      ) : (
        grants.map((grant, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: grants have no identity
          <GrantItem key={index} grant={grant} />
        ))
      )}
      {isReadOnly && <li>{words.isReadOnly}</li>}
    </ul>
  );
}

function GrantItem({ grant: { actions, place } }: { grant: Grant }) {
  const lines = inWords(actions, words.everything);
  const isAll = isEverything(actions, place?.kind ?? 'enterprise');
  return (
    <li>
      <strong>{placeText(place)}</strong>
      {': '}
      {isAll ? words.everythingHere : seeText(actions)}
      {!isAll && lines.length > 0 && words.andMay}
      {!isAll && lines.length > 0 && (
        <ul>
          {lines.map(([title, verbs]) => (
            <li key={title}>
              {title}: {verbs}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The objects that can be read without further actions, in words: logs and secret values need their own. */
export function seeText(actions: readonly Action[]): string {
  const hidden = [
    ...(actions.includes('READ_LOGS') ? [] : [words.logs]),
    ...(actions.includes('READ_SECRETS') ? [] : [words.secrets]),
  ];
  return hidden.length === 0 ? words.seeAll : words.seeAllBut(hidden.join(` ${words.and} `));
}

function placeText(place: GrantScope | undefined): string {
  if (!place) return words.places.everywhere;
  return words.places[place.kind](place.name, place.where);
}

/** A summary of grants in a few words. */
export function shortOf(grants: readonly Grant[] | null, unlimited: string): string {
  if (grants === null) return unlimited;
  const [grant] = grants;
  if (!grant || grants.length > 1) return words.short.several(grants.length);
  const where = grant.place?.name ?? words.everywhere;
  const preset = presetOf(grant);
  if (preset === 'read' || preset === 'deploy') return words.short[preset](where);
  if (isEverything(grant.actions, grant.place?.kind ?? 'enterprise')) return words.short.application(where);
  return words.short.other(grant.actions.filter((each) => each !== 'READ').length, where);
}
