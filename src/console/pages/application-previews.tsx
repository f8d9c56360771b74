import { Link } from 'wouter';
import { present } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { usePages, useView } from '../api/view.ts';
import { ApplicationPreviewsQuery } from '../documents/previews.ts';
import { addItems, closeItem, type Preview } from '../previews/items.ts';
import { text } from '../previews/strings.ts';
import { Address } from '../ui/address.tsx';
import { nameOfImage } from '../ui/image.ts';
import { restOf } from '../ui/load-more.tsx';
import { Tag, type Tone } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ApplicationFrame } from './application-head.tsx';

const tones: { readonly [state in Preview['state']]: Tone } = {
  DEPLOYING: 'busy',
  SEEDING: 'busy',
  READY: 'good',
  FAILED: 'bad',
  DELETING: 'idle',
};

/** The images that the preview changes. Listing all of them would take a line for each component. */
function Images({ images }: Pick<Preview, 'images'>) {
  const changed = images.filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return <span className="soft">{text.sameImages}</span>;
  return changed.map(({ component, image }) => (
    <div key={component} title={image}>
      {component} <span className="mono">{nameOfImage(image)}</span>
    </div>
  ));
}

/** The previews of an application, with what opens and closes one. */
export function ApplicationPreviewsPage({ appId }: { appId: number }) {
  const view = useView(ApplicationPreviewsQuery, { by: { appId } });
  const pages = usePages();
  return (
    <ApplicationFrame appId={appId} tab="previews" view={view}>
      {(application) => (
        <Listing
          texts={application.previewSettings ? text : { ...text, none: text.off }}
          list={application.previews}
          add={addItems(appId, application)}
          classes={{ expires: 'soft' }}
          keyOf={({ uid }) => uid}
          cells={(preview) => ({
            key: preview.application ? (
              <Link href={`/applications/${preview.application.uid}`}>{preview.key}</Link>
            ) : (
              preview.key
            ),
            state: (
              <>
                <Tag tone={tones[preview.state]}>{text.states[preview.state]}</Tag>{' '}
                {preview.reason && <span className="soft small">{preview.reason}</span>}
              </>
            ),
            address: preview.urls[0] ? <Address address={preview.urls[0]} /> : '–',
            images: <Images images={preview.images} />,
            expires: <Time at={preview.expiresAt} />,
          })}
          itemsOf={application.mayClose && ((preview) => present(closeItem(appId, preview)))}
          more={restOf(application.previews, (after) =>
            pages.load(ApplicationPreviewsQuery, { by: { appId }, after }),
          )}
        />
      )}
    </ApplicationFrame>
  );
}
