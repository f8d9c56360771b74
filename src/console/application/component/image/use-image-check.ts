import { useEffect, useState } from 'react';
import type { ResultOf } from '../../../api/graphql.ts';
import { request } from '../../../api/request.ts';
import { CheckImage } from '../../../documents/create.ts';
import type { Failure } from '../../../form/failure.ts';

type Found = NonNullable<ResultOf<typeof CheckImage>['check']>;
export interface ImageCheck {
  image: string;
  found?: Found;
  failure?: Failure;
}

/** How long nothing must be typed before a registry is asked. */
const typingMs = 400;

/** The answer of the registry about an image. Undefined while it is asked. */
export function useImageCheck(team: { id: string }, image: string): ImageCheck | undefined {
  const [check, setCheck] = useState<ImageCheck>();
  const wanted = image.trim();
  useEffect(() => {
    if (wanted === '') return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      request(CheckImage, { team: { id: team.id }, image: wanted }, aborter.signal).then(
        ({ data, failure }) => setCheck({ image: wanted, found: data?.check ?? undefined, failure }),
        // It was aborted, because something else was typed.
        () => {},
      );
    }, typingMs);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [wanted, team.id]);
  return check?.image === wanted ? check : undefined;
}
