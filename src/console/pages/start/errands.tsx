import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import type { ResultOf } from '../../api/graphql.ts';
import { ErrandsQuery } from '../../documents/errands.ts';
import { Button } from '../../ui/controls.tsx';
import { atDialog } from '../../ui/linked.ts';
import type { Progress } from './progress.ts';
import { text } from './strings.ts';

const key = 'trellis/errands-dismissed';
/** The team of the errands, and the version that its shop has in a new demo. */
const teamName = 'retail';
const installedVersion = '0.0.12';
/** The end of the image that crashes in the simulated region. */
const failing = '-crash';
/** How long it takes at most to make the demo after its teams. */
const longestMs = 3_600_000;

/** Things to try in the demo, ticked off by what is there. Nothing in other installations. */
export function Errands({ teams }: { teams: Progress['teams'] }) {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null);
  const team = teams.find(({ name }) => name === teamName);
  const since = team?.createdAt ?? '';
  const [{ data }] = useQuery({
    query: ErrandsQuery,
    variables: {
      team: { name: teamName },
      since,
      until: new Date(Date.parse(since || '0') + longestMs).toISOString(),
    },
    pause: isDismissed || !team,
  });
  if (isDismissed || !data?.events?.nodes.length) return null;
  const errands = errandsOf(data);
  if (errands.length === 0) return null;
  const dismiss = () => {
    localStorage.setItem(key, new Date().toISOString());
    setDismissed(true);
  };
  return (
    <section className="card checklist" aria-label={text.errands.title}>
      <h2>{text.errands.title}</h2>
      <ul>
        {errands.map(({ title, href, isDone }) => (
          <li key={title} className={isDone ? 'status tone-good' : 'status tone-idle'}>
            {isDone ? title : <Link href={href}>{title}</Link>}
            {isDone && <span className="visually-hidden"> {text.isDone}</span>}
          </li>
        ))}
      </ul>
      <div className="spacer" />
      <Button look="quiet small" onClick={dismiss}>
        {text.checklist.dismiss}
      </Button>
    </section>
  );
}

function errandsOf({ team }: ResultOf<typeof ErrandsQuery>) {
  const [shop] = team?.applications.nodes ?? [];
  const [shipping] = shop?.shipping.nodes ?? [];
  const [catalogue] = shop?.catalogue.nodes ?? [];
  if (!shop || !shipping || !catalogue) return [];
  return [
    {
      title: text.errands.failing,
      href: `/components/${shipping.uid}`,
      isDone: !shipping.image.endsWith(failing),
    },
    {
      title: text.errands.upgrade,
      href: atDialog(`/applications/${shop.uid}`, 'upgrade'),
      isDone: catalogue.group?.templateVersion !== installedVersion,
    },
    {
      title: text.errands.open,
      href: `/components/${catalogue.uid}/network`,
      isDone: catalogue.ports.nodes.some(({ isOuter }) => isOuter),
    },
  ];
}
