import type { Planned } from '../act/action.ts';
import type { ManifestPlan } from '../act/manifest-plan.tsx';
import { ManifestPlanView } from '../act/manifest-plan.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import type { ReleasesOf } from '../documents/releases.ts';
import { text } from './strings.ts';

export type Component = FragmentOf<typeof ReleasesOf>;
export type Release = Component['releases']['nodes'][number];

interface Payload {
  changes: ManifestPlan;
  omitted?: readonly { component: string; name: string; reason: string }[];
}

/** The planned changes of a rollback or a promotion. */
export function planned({ payload }: Planned) {
  const { changes, omitted = [] } = payload as Payload;
  return (
    <>
      <ManifestPlanView plan={changes} />
      {omitted.length > 0 && (
        <details>
          <summary>{text.omitted(omitted.length)}</summary>
          <ul>
            {omitted.map(({ component, name, reason }) => (
              <li key={name}>
                <strong>{component}</strong> <span className="soft">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
